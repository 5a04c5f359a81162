import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../schema.ts";
import { elementText, keyElement, readElement, sortByElement } from "./element.ts";
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmptySet,
  isSubset,
  pathTexts,
  readFieldSet,
  recursiveDifference,
  sameSet,
  setOfPaths,
  union,
  writeFieldSet,
} from "./field-set.ts";

const written = (set: FieldSet) => JSON.stringify(writeFieldSet(set));

test("writeFieldSet() writes the dot of a node first, then members, keys, values and indexes in upstream's order", () => {
  const value = {
    "f:b": {},
    "f:a": {
      "v:true": {},
      'v:"x"': {},
      "v:10": {},
      "v:9": {},
      "i:10": {},
      "i:9": {},
      'k:{"name":"b"}': {},
      'k:{"name":"a"}': {},
      "f:z": {},
      ".": {},
    },
  };
  assert.equal(
    written(readFieldSet(structuredClone(value))),
    // A set that was read is written as the same value: the value is cached.
    JSON.stringify(value),
  );
  assert.equal(
    written(union(readFieldSet(value), setOfPaths(["f:c"]))),
    '{"f:a":{".":{},"f:z":{},"k:{\\"name\\":\\"a\\"}":{},"k:{\\"name\\":\\"b\\"}":{},"v:9":{},"v:10":{},"v:\\"x\\"":{},"v:true":{},"i:9":{},"i:10":{}},"f:b":{},"f:c":{}}',
  );
});

test("readFieldSet() normalises keys, skips elements of unknown types, and rejects invalid values", () => {
  const odd = readFieldSet({ 'k:{ "b":2, "a":1 }': {}, "x:later": { "f:a": {} } });
  assert.deepEqual([...odd.children!.keys()], ['k:{"a":1,"b":2}']);
  assert.ok(isEmptySet(readFieldSet({})));
  assert.ok(isEmptySet(readFieldSet(undefined)));
  for (
    const bad of [[], "f:a", 7, { f: {} }, { "f:a": 1 }, { "f:a": [] }, { "k:[]": {} }, { "k:{": {} }, { "v:": {} }, {
      "i:x": {},
    }] as Json[]
  ) {
    assert.throws(() => readFieldSet(bad), Error, JSON.stringify(bad));
  }
});

test("readFieldSet() reads __proto__ and constructor as ordinary names", () => {
  const value = JSON.parse('{"f:data":{"f:__proto__":{},"f:constructor":{}}}');
  const set = readFieldSet(value);
  assert.deepEqual(pathTexts(set), [".data.__proto__", ".data.constructor"]);
  assert.equal(written(difference(set, setOfPaths(["f:data", "f:constructor"]))), '{"f:data":{"f:__proto__":{}}}');
});

test("readFieldSet() rejects a set that is too deep without overflowing the stack", () => {
  let deep: Json = {};
  for (let i = 0; i < 20_000; i++) deep = { "f:a": deep };
  assert.throws(() => readFieldSet(deep), /too deep/);
});

test("elementText() formats elements as upstream's error messages", () => {
  assert.equal(elementText("f:a.b"), ".a.b");
  assert.equal(elementText(keyElement([["protocol", "TCP"], ["containerPort", 53]])), '[containerPort=53,protocol="TCP"]');
  assert.equal(elementText('v:"q\\"u"'), '[="q\\"u"]');
  assert.equal(elementText("v:1"), "[=1]");
  assert.equal(elementText("i:3"), "[3]");
  assert.equal(readElement('k:{"b":"x","a":null}'), 'k:{"a":null,"b":"x"}');
});

test("sortByElement() orders members, keys, values and indexes; numbers by value, strings by bytes", () => {
  const ports = [80, 9, 443].map((containerPort) => keyElement([["containerPort", containerPort]]));
  const sorted = [...ports, 'v:"a!"', 'v:"a"', 'v:"a\\nb"', "v:2", "v:10", "i:10", "i:9", "f:b", "f:a"];
  assert.deepEqual(sortByElement(sorted.map((element) => [element, 0])).map(([element]) => element), [
    "f:a",
    "f:b",
    'k:{"containerPort":9}',
    'k:{"containerPort":80}',
    'k:{"containerPort":443}',
    "v:2",
    "v:10",
    'v:"a"',
    'v:"a\\nb"',
    'v:"a!"',
    "i:9",
    "i:10",
  ]);
});

test("difference() removes single paths, recursiveDifference() also the paths below them", () => {
  const set = setOfPaths(["f:a"], ["f:a", "f:b"], ["f:c"]);
  assert.deepEqual(pathTexts(difference(set, setOfPaths(["f:a"]))), [".c", ".a.b"]);
  assert.deepEqual(pathTexts(recursiveDifference(set, setOfPaths(["f:a"]))), [".c"]);
});

/** A random number generator with a seed, so that a failing run can be repeated. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test("set operations agree with sets of path texts", () => {
  const seed = Date.now() % 1_000_000;
  const next = random(seed);
  const names = ["f:a", "f:b", 'k:{"name":"x"}', "v:1"];
  const some = () => {
    let set = emptySet;
    for (let i = 0; i < 6; i++) {
      set = union(
        set,
        setOfPaths(Array.from({ length: 1 + Math.floor(next() * 3) }, () => names[Math.floor(next() * names.length)]!)),
      );
    }
    return set;
  };
  const texts = (set: FieldSet) => pathTexts(set).sort();
  for (let i = 0; i < 300; i++) {
    const a = some(), b = some();
    const x = new Set(pathTexts(a)), y = new Set(pathTexts(b));
    assert.deepEqual(texts(union(a, b)), [...x.union(y)].sort(), `seed ${seed}`);
    assert.deepEqual(texts(difference(a, b)), [...x.difference(y)].sort(), `seed ${seed}`);
    assert.deepEqual(texts(intersection(a, b)), [...x.intersection(y)].sort(), `seed ${seed}`);
    assert.equal(isSubset(a, b), x.isSubsetOf(y), `seed ${seed}`);
    assert.equal(sameSet(a, union(b, a)), y.isSubsetOf(x), `seed ${seed}`);
    assert.ok(sameSet(readFieldSet(JSON.parse(written(a))), a), `seed ${seed}`);
  }
});

test("writeFieldSet() writes a set that was read from another form in the canonical one", () => {
  const rewritten = (value: Json): Json => writeFieldSet(readFieldSet(value));
  const leaf = { "f:data": {} };
  for (const sent of [{ "f:data": { ".": {} } }, { "f:data": null }, { ".": {}, "f:data": {} }]) assert.deepEqual(rewritten(sent), leaf);
  const own = { "f:data": { ".": {}, "f:k": {} } };
  assert.equal(rewritten(own), own);
});

test("writeFieldSet() gives sets that differ in nesting, in ownership or in a boundary of names different values, and equal ones the same", () => {
  const leaf = (...path: readonly string[]) => path.map((name) => `f:${name}`);
  const sets = [
    [leaf("a"), leaf("b")],
    [leaf("a", "b")],
    [leaf("a"), leaf("a", "b")],
    [leaf("a2:f:b")],
    [leaf("a3:f:b")],
    [leaf("a(3:f:b)")],
    [leaf("a."), leaf("b")],
    [leaf("a", "b"), leaf("c")],
    [leaf("a", "b", "c")],
  ].map((paths) => setOfPaths(...paths));
  const texts = sets.map((set) => JSON.stringify(writeFieldSet(set)));
  assert.equal(new Set(texts).size, texts.length);
  assert.equal(writeFieldSet(setOfPaths(leaf("b"), leaf("a"))), writeFieldSet(sets[0]!));
  assert.equal(writeFieldSet(setOfPaths(leaf("a"), leaf("b"))), writeFieldSet(sets[0]!));
  const wide = () => setOfPaths(...Array.from({ length: 500 }, (_, at) => leaf(`name-${at}`, "below")));
  assert.deepEqual(writeFieldSet(wide()), writeFieldSet(wide()));
  assert.equal(Object.keys(writeFieldSet(wide()) as object).length, 500);
});

test("writeFieldSet() distinguishes sets whose elements have the same end", () => {
  const end = "x".repeat(20);
  for (const start of ["a", "b", "a"]) {
    const set = setOfPaths([`f:${start}${end}`, "f:below"], [`f:${end}${start}`]);
    assert.deepEqual(writeFieldSet(set), { [`f:${start}${end}`]: { "f:below": {} }, [`f:${end}${start}`]: {} });
  }
  assert.deepEqual(writeFieldSet(setOfPaths([`f:a${end}`])), { [`f:a${end}`]: {} });
  assert.deepEqual(writeFieldSet(setOfPaths([`f:b${end}`])), { [`f:b${end}`]: {} });
});
