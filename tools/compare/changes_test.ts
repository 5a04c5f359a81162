// In Deno's suite only: a tool for those who write rules.
import assert from "node:assert/strict";
import { test } from "node:test";
import { field, int32, list, object, string, struct } from "../../plugin.ts";
import { randomOf } from "../../core/random.ts";
import { comparable } from "./answers.ts";
import { recordedBases } from "./bases.ts";
import { changesOf, withGenerated } from "./changes.ts";
import { wordsOf } from "./kubectl.ts";
import { minimal } from "./minimal.ts";
import { Mutations } from "./mutations.ts";

test("each value of an object is removed and replaced, at any depth, but for the kind", () => {
  const base = { apiVersion: "v1", kind: "Thing", spec: { list: [{ a: true }], count: 3 } }, before = structuredClone(base);
  const changes = new Map(changesOf(base).map(({ what, object }) => [what, object]));
  assert.deepEqual(changes.get("spec.list.0.a = false"), { ...base, spec: { list: [{ a: false }], count: 3 } });
  assert.deepEqual(changes.get("spec.list.0 removed"), { ...base, spec: { list: [], count: 3 } });
  assert.deepEqual(changes.get("spec.count removed"), { ...base, spec: { list: [{ a: true }] } });
  assert.deepEqual(changes.get("spec.count = -1"), { ...base, spec: { list: [{ a: true }], count: -1 } });
  assert.ok(![...changes.keys()].some((what) => what.startsWith("kind") || what.startsWith("apiVersion")));
  assert.deepEqual(base, before);
  assert.deepEqual(withGenerated(base, { kind: "Other", spec: { more: 2n ** 60n }, data: "x" }), [
    { what: "spec.more = 1152921504606846976", object: { ...base, spec: { ...base.spec, more: 2n ** 60n } } },
    { what: 'data = "x"', object: { ...base, data: "x" } },
  ]);
});

test("errors are compared by code, reason and causes, objects without identity and times", () => {
  const cause = (field: string) => ({ field, reason: "FieldValueInvalid", message: "is wrong" });
  const status = (message: string, ...fields: readonly string[]) =>
    comparable({ status: 422, body: { kind: "Status", reason: "Invalid", message, details: { causes: fields.map(cause) } } });
  assert.deepEqual(status("one", "b", "a"), { meaning: "422 Invalid\na: FieldValueInvalid\nb: FieldValueInvalid", text: "one" });
  assert.equal(status("spec: Forbidden: no\n@@ -1 +1 @@\n-a\n+b\n, c: Invalid", "a").text, "spec: Forbidden: no, c: Invalid");
  assert.notEqual(status("one", "a").meaning, status("one", "b").meaning);
  const object = (uid: string, time: string, value: string) =>
    comparable({ status: 201, body: { metadata: { uid, creationTimestamp: time, labels: { of: uid } }, value } }).meaning;
  assert.equal(object("1-2", "2024", "a"), object("3-4", "2025", "a"));
  assert.notEqual(object("1-2", "2024", "a"), object("1-2", "2024", "b"));
});

test("the recorded conversations have objects of many kinds", () => {
  const bases = recordedBases(false);
  assert.ok(bases.length > 30, `${bases.length} collections`);
  assert.ok(bases.every(({ objects }) => objects.length > 0 && !JSON.stringify(objects).includes("${sa")));
});

test("a walk's changes keep to the schema, are the same for a seed, and a difference is shown by its smallest object", async () => {
  const schema = object("Thing", {
    spec: field(2, struct("ThingSpec", { names: field(1, list(string), "Names."), count: field(2, int32, "A count.") }), "What it is."),
  }, {
    package: "example/v1",
    doc: "A thing.",
  });
  const base = { kind: "Thing", apiVersion: "example/v1", metadata: { name: "a" }, spec: { names: ["b"] } };
  const walk = () => {
    const mutations = new Mutations(schema, new Map([["count", [5, "no number"]]]), randomOf(7));
    return Array.from({ length: 40 }, () => mutations.next(base));
  };
  const changes = walk();
  assert.deepEqual(changes, walk());
  assert.ok(changes.every(({ path, object }) => path.length > 0 && object["kind"] === "Thing" && object !== base));
  assert.ok(changes.some(({ what }) => what === "spec.count = 5"));
  const large = { kind: "Thing", metadata: { name: "a" }, spec: { names: ["b", "c"], count: -1 } };
  const isWrong = ({ spec }: any) => Promise.resolve(spec?.count === -1);
  assert.deepEqual(await minimal(large, isWrong), { kind: "Thing", spec: { count: -1 } });
});

test("lines of kubectl are split as by a shell", () => {
  assert.deepEqual(wordsOf("patch deploy web -p '{\"a\": 1}' --to=a"), ["patch", "deploy", "web", "-p", '{"a": 1}', "--to=a"]);
});
