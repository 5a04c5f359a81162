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

test("writeFieldSet() puts a node's own dot first, then members, keys, values and places in upstream's order", () => {
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
    // What was read is written as it came: sets and values go together.
    JSON.stringify(value),
  );
  assert.equal(
    written(union(readFieldSet(value), setOfPaths(["f:c"]))),
    '{"f:a":{".":{},"f:z":{},"k:{\\"name\\":\\"a\\"}":{},"k:{\\"name\\":\\"b\\"}":{},"v:9":{},"v:10":{},"v:\\"x\\"":{},"v:true":{},"i:9":{},"i:10":{}},"f:b":{},"f:c":{}}',
  );
});

test("readFieldSet() brings keys to one spelling, passes over sorts it does not know, and refuses what is none", () => {
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

test("readFieldSet() takes names of prototypes for names", () => {
  const value = JSON.parse('{"f:data":{"f:__proto__":{},"f:constructor":{}}}');
  const set = readFieldSet(value);
  assert.deepEqual(pathTexts(set), [".data.__proto__", ".data.constructor"]);
  assert.equal(written(difference(set, setOfPaths(["f:data", "f:constructor"]))), '{"f:data":{"f:__proto__":{}}}');
});

test("readFieldSet() refuses a set that is too deep instead of running out of stack", () => {
  let deep: Json = {};
  for (let i = 0; i < 20_000; i++) deep = { "f:a": deep };
  assert.throws(() => readFieldSet(deep), /too deep/);
});

test("elementText() shows elements as messages do", () => {
  assert.equal(elementText("f:a.b"), ".a.b");
  assert.equal(elementText(keyElement([["protocol", "TCP"], ["containerPort", 53]])), '[containerPort=53,protocol="TCP"]');
  assert.equal(elementText('v:"q\\"u"'), '[="q\\"u"]');
  assert.equal(elementText("v:1"), "[=1]");
  assert.equal(elementText("i:3"), "[3]");
  assert.equal(readElement('k:{"b":"x","a":null}'), 'k:{"a":null,"b":"x"}');
});

test("sortByElement() orders members, keys, values and places; numbers by size, texts by bytes", () => {
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

test("difference() takes single paths, recursiveDifference() all below them", () => {
  const set = setOfPaths(["f:a"], ["f:a", "f:b"], ["f:c"]);
  assert.deepEqual(pathTexts(difference(set, setOfPaths(["f:a"]))), [".c", ".a.b"]);
  assert.deepEqual(pathTexts(recursiveDifference(set, setOfPaths(["f:a"]))), [".c"]);
});

/** A small random number generator, so that a failing run can be had again. */
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

test("a set that was sent in another form is written in the own one", () => {
  const rewritten = (value: Json): Json => writeFieldSet(readFieldSet(value));
  const leaf = { "f:data": {} };
  for (const sent of [{ "f:data": { ".": {} } }, { "f:data": null }, { ".": {}, "f:data": {} }]) assert.deepEqual(rewritten(sent), leaf);
  const own = { "f:data": { ".": {}, "f:k": {} } };
  assert.equal(rewritten(own), own);
});
