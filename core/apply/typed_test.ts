import assert from "node:assert/strict";
import { test } from "node:test";
import { sameValue } from "../derive/same-value.ts";
import {
  anyJson,
  boolean,
  field,
  int32,
  type Json,
  list,
  mapBy,
  quantity,
  raw,
  record,
  setOf,
  string,
  struct,
  structural,
  time,
} from "../schema.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { atomOf, deducedDepthMax } from "./atom.ts";
import { pathTexts, readFieldSet, setOfPaths, writeFieldSet } from "./field-set.ts";
import { merge, removeFields } from "./merge.ts";
import { compare, fieldSetOf, hasAllKeys, problemsText, reconcile, typeProblems } from "./typed.ts";
import { documentDepthMax } from "../bounds.ts";

const Port = struct("Port", {
  port: field(1, int32, "Number.", { required: true }),
  protocol: field(2, string, "Protocol.", { default: "TCP" }),
  name: field(3, string, "Name."),
});
const Owner = struct("Owner", { uid: field(1, string, "UID."), name: field(2, string, "Name.") });
const Part = struct("Part", { one: field(1, string, "One."), two: field(2, string, "Two.") });
const Whole = struct("Whole", { one: field(1, string, "One."), two: field(2, string, "Two.") }, { atomic: true });
const Thing = struct("Thing", {
  text: field(1, string, "Text."),
  flag: field(2, boolean, "Flag.", { pointer: true }),
  count: field(3, int32, "Count."),
  size: field(4, quantity, "Size."),
  at: field(5, time, "Time."),
  words: field(6, setOf(string), "Set."),
  ports: field(7, mapBy(["port", "protocol"], Port), "Keyed."),
  values: field(8, list(string), "One value."),
  labels: field(9, record(string), "Record."),
  part: field(10, Part, "Granular struct.", { pointer: true }),
  whole: field(11, Whole, "Atomic struct.", { pointer: true }),
  any: field(12, anyJson, "Untyped."),
  embedded: field(13, raw, "One value."),
  owners: field(13, mapBy(["uid"], Owner), "Keyed without a default."),
});
const atom = atomOf(Thing);
const paths = (value: Json) => pathTexts(fieldSetOf(atom, value));

test("typeProblems() reports type errors with upstream's messages", () => {
  const problemsOf = (value: Json) => problemsText(typeProblems(atom, value));
  assert.equal(problemsOf({ nope: 1 }), ".nope: field not declared in schema");
  assert.equal(problemsOf(JSON.parse('{"__proto__":{}}')), ".__proto__: field not declared in schema");
  assert.equal(problemsOf({ text: 1 }), ".text: expected string, got &value.valueUnstructured{Value:1}");
  assert.equal(problemsOf({ flag: "yes" }), ".flag: expected boolean, got &{yes}");
  assert.equal(problemsOf({ count: "soon" }), ".count: expected numeric (int or float), got string");
  assert.equal(problemsOf({ size: { a: [1] } }), ".size: expected any scalar, got &{map[a:[1]]}");
  assert.equal(problemsOf({ labels: ["a"] }), ".labels: expected map, got &{[a]}");
  assert.equal(problemsOf({ ports: { name: "app" } }), ".ports: expected list, got &{map[name:app]}");
  assert.equal(problemsOf({ words: ["a", "a"] }), '.words: duplicate entries for key [="a"]');
  assert.equal(problemsOf({ words: [null] }), ".words: element 0: associative list without keys has an element that's an explicit null");
  assert.equal(
    problemsOf({ ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] }),
    '.ports: duplicate entries for key [port=1,protocol="TCP"]',
  );
  assert.equal(
    problemsOf({ owners: [{ name: "a" }] }),
    '.owners: element 0: associative list with keys has an element that omits all key fields ["uid"] (and doesn\'t have default values for any key fields)',
  );
  assert.equal(
    problemsOf({ text: 1, count: true }),
    "errors:\n  .text: expected string, got &value.valueUnstructured{Value:1}\n  .count: expected numeric (int or float), got bool",
  );
});

test("typeProblems() accepts numbers, strings and null for quantities and times", () => {
  assert.deepEqual(typeProblems(atom, { size: 1, at: "2024-01-01T00:00:00Z", text: null, ports: null, any: { a: [{}] } }), []);
});

test("hasAllKeys() finds an item without a key", () => {
  assert.ok(hasAllKeys(atom, { owners: [{ uid: "u" }, { uid: "u" }], ports: [{ name: "x" } as Json] }));
  assert.ok(!hasAllKeys(atom, { owners: [{ uid: "u" }, { name: "a" }] }));
});

test("fieldSetOf() counts leaves, items and entries, not structs", () => {
  assert.deepEqual(paths({ text: "a", part: { one: "1" }, whole: { one: "1" }, values: ["x"] }), [
    ".text",
    ".values",
    ".whole",
    ".part.one",
  ]);
  assert.deepEqual(paths({ labels: { a: "1" }, words: ["b"] }), [".labels.a", '.words[="b"]']);
  assert.deepEqual(paths({ ports: [{ port: 80 }] }), ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port']);
  assert.deepEqual(paths({ part: {}, labels: {}, words: [], text: null }), [".labels", ".part", ".text"]);
  assert.deepEqual(paths({ any: { a: { b: 1 }, c: [1] } }), [".any.a", ".any.c", ".any.a.b"]);
  assert.deepEqual(paths({ embedded: { a: { b: 1 }, c: [1] } }), [".embedded"]);
});

test("compare() returns added, changed and removed fields, down to the leaves", () => {
  const found = compare(
    atom,
    { text: "a", labels: { a: "1", b: "1" }, words: ["x", "y"], values: ["1"], whole: { one: "1" }, part: { one: "1" } },
    { text: "b", labels: { a: "1", c: "1" }, words: ["y", "z"], values: ["2"], whole: { one: "2" }, ports: [{ port: 1, protocol: "TCP" }] },
  );
  assert.deepEqual(pathTexts(found.modified), [".text", ".values", ".whole"]);
  assert.deepEqual(pathTexts(found.added), [
    ".ports",
    ".labels.c",
    '.ports[port=1,protocol="TCP"]',
    '.ports[port=1,protocol="TCP"].port',
    '.ports[port=1,protocol="TCP"].protocol',
    '.words[="z"]',
  ]);
  assert.deepEqual(pathTexts(found.removed), [".part", ".labels.b", ".part.one", '.words[="x"]']);
});

test("compare() compares duplicates as one value", () => {
  const twice = (value: string) => ({ ports: [{ port: 1, name: value }, { port: 1, name: "b" }] });
  assert.deepEqual(pathTexts(compare(atom, twice("a"), twice("a")).modified), []);
  assert.deepEqual(pathTexts(compare(atom, twice("a"), twice("c")).modified), ['.ports[port=1,protocol="TCP"]']);
  assert.deepEqual(pathTexts(compare(atom, { ports: [{ port: 1 }] }, twice("a")).added), ['.ports[port=1,protocol="TCP"]']);
});

test("merge() returns the same object if nothing changes, and shares unchanged parts", () => {
  const live = { labels: { a: "1" }, part: { one: "1" }, ports: [{ port: 1, protocol: "TCP" }] };
  assert.equal(merge(atom, live, { labels: { a: "1" } }), live);
  assert.equal(merge(atom, live, { labels: null, ports: [] }), live);
  const merged = merge(atom, live, { part: { two: "2" } }) as typeof live;
  assert.deepEqual(merged, { ...live, part: { one: "1", two: "2" } });
  assert.equal(merged.labels, live.labels);
});

test("merge() replaces atomic values, and treats __proto__ as an ordinary member", () => {
  assert.deepEqual(merge(atom, { values: ["a"], whole: { one: "1" } }, { values: ["b"], whole: { two: "2" } }), {
    values: ["b"],
    whole: { two: "2" },
  });
  const merged = merge(atom, { labels: {} }, { labels: JSON.parse('{"__proto__":"x"}') }) as { labels: Record<string, string> };
  assert.ok(Object.hasOwn(merged.labels, "__proto__"));
  assert.equal(Object.getPrototypeOf(merged.labels), Object.prototype);
});

test("merge() orders shared items as applied, and keeps others before the next shared one", () => {
  const words = (live: string[], applied: string[]) => (merge(atom, { words: live }, { words: applied }) as { words: string[] }).words;
  assert.deepEqual(words(["a", "x", "b"], ["b", "a"]), ["x", "b", "a"]);
  assert.deepEqual(words(["a", "b"], ["c", "a"]), ["c", "a", "b"]);
  assert.deepEqual(words(["x", "a", "y"], ["a", "z"]), ["x", "a", "y", "z"]);
});

test("removeFields() removes items and entries, and keeps emptied containers but for the whole", () => {
  const gone = setOfPaths(["f:labels", "f:a"], ["f:words", 'v:"x"'], ["f:part", "f:one"]);
  assert.deepEqual(removeFields(atom, { labels: { a: "1", b: "2" }, words: ["x"], part: { one: "1" }, text: "t" }, gone), {
    labels: { b: "2" },
    words: [],
    part: {},
    text: "t",
  });
  assert.equal(removeFields(atom, { part: { one: "1" } }, setOfPaths(["f:part"])), null);
  const value = { text: "t" };
  assert.equal(removeFields(atom, value, gone), value);
});

test("reconcile() merges the fields of a value that is atomic now, and changes nothing for one that is no longer atomic", () => {
  const before = readFieldSet({ "f:whole": { "f:one": {} }, "f:values": { 'k:{"name":"a"}': {} }, "f:part": {} });
  assert.deepEqual(pathTexts(reconcile(atom, before)), [".part", ".values", ".whole"]);
  const same = readFieldSet({ "f:part": { "f:one": {} } });
  assert.equal(reconcile(atom, same), same);
});

const P: StructuralSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const custom = atomOf(
  structural({ type: "object", properties: { free: P, list: { type: "array", items: { type: "string" }, nullable: true } } }),
);

test("a null list of a custom resource is a field that was added", () => {
  const { added } = compare(custom, {}, { list: null });
  assert.deepEqual(pathTexts(added), [".list"]);
  assert.deepEqual(pathTexts(fieldSetOf(custom, { list: null })), [".list"]);
});

test("a value without a schema may have ten thousand levels: deep ones are owned as one value", () => {
  const nested = (levels: number, leaf: Json) => {
    let value = leaf;
    for (let i = 0; i < levels; i++) value = { a: value };
    return value;
  };
  for (const levels of [deducedDepthMax, deducedDepthMax + 1, documentDepthMax]) {
    const before = { free: nested(levels, 1) }, after = { free: nested(levels, 2) };
    const path = `.free${".a".repeat(Math.min(levels, deducedDepthMax + 1))}`;
    assert.deepEqual(typeProblems(custom, after), []);
    assert.equal(pathTexts(fieldSetOf(custom, after)).at(-1), path);
    assert.deepEqual(pathTexts(compare(custom, before, after).modified), [path]);
    assert.equal(sameValue(merge(custom, before, after), after), true);
    assert.equal(hasAllKeys(custom, after), true);
    const set = readFieldSet(writeFieldSet(fieldSetOf(custom, after)));
    assert.equal(pathTexts(set).at(-1), path);
    assert.deepEqual(reconcile(custom, set), set);
  }
});

test("a struct without members takes any of them", () => {
  const empty = atomOf(struct("Holder", { spec: field(1, struct("HolderSpec", {}), "Spec.") }));
  const value = { spec: { a: { b: 1 }, c: [1] } };
  assert.deepEqual(typeProblems(empty, value, "allowed"), []);
  assert.deepEqual(pathTexts(fieldSetOf(empty, value)), [".spec.a", ".spec.c", ".spec.a.b"]);
  assert.equal(typeProblems(atom, { absent: 1 }, "allowed").length, 1, "another struct has its own only");
});
