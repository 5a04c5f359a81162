import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../schema.ts";
import { readStoredJson } from "../tree/json.ts";
import { TreeObject } from "../tree/tree.ts";
import { decodeFieldsV1, fieldsV1Text, sharedFieldsV1, SharedValues } from "./shared-fields.ts";
import { rawText } from "./raw-json.ts";
import { seedOfRun } from "./test-random.ts";
import { sharedFieldSetCharactersMax, sharedFieldSetDepthMax, sharedFieldSetsCharactersMax } from "../tree/shared-trees.ts";

function stored(text: string): Json {
  const read = readStoredJson(new TextEncoder().encode(`{"fieldsV1":${text}}`));
  assert.ok(read.ok && read.tree instanceof TreeObject);
  return decodeFieldsV1(read.tree.get("fieldsV1")!, undefined, { reader: "json", findings: [] } as never) as Json;
}

test("sharedFieldsV1() returns one value for equal ones, also for those of stored objects", () => {
  const text = '{"f:data":{".":{},"f:shared":{}}}';
  const first = sharedFieldsV1(JSON.parse(text));
  assert.equal(sharedFieldsV1(JSON.parse(text)), first);
  assert.equal(stored(text), first);
  assert.equal(stored(`{ "f:data" : {".":{},"f:shared":{}}}`), first);
  assert.equal(fieldsV1Text(first), text);
  const read = stored('{"f:data":{"f:read":{}}}');
  assert.equal(sharedFieldsV1({ "f:data": { "f:read": {} } }), read);
  assert.notEqual(sharedFieldsV1({ "f:data": { "f:other": {} } }), read);
});

test("sharedFieldsV1() does not share values above the bounds, and what is no object", () => {
  const long = (characters: number): Json => ({ ["x".repeat(characters - '{"":{}}'.length)]: {} });
  const most = sharedFieldSetCharactersMax;
  assert.equal(sharedFieldsV1(long(most)), sharedFieldsV1(long(most)));
  assert.notEqual(sharedFieldsV1(long(most + 1)), sharedFieldsV1(long(most + 1)));
  const deep = (levels: number): Json => levels === 1 ? {} : { a: deep(levels - 1) };
  assert.equal(sharedFieldsV1(deep(sharedFieldSetDepthMax)), sharedFieldsV1(deep(sharedFieldSetDepthMax)));
  const deeper = deep(sharedFieldSetDepthMax + 1);
  assert.equal(sharedFieldsV1(deeper), deeper);
  assert.equal(sharedFieldsV1(null), null);
  assert.equal(sharedFieldsV1("f:data"), "f:data");
});

test("SharedValues begins a new table when the texts exceed the bound", () => {
  const values = new SharedValues(), text = (number: number) => `${number}`.padStart(1024, "0");
  const count = sharedFieldSetsCharactersMax / 1024, first = {};
  assert.equal(values.of(text(0), first), first);
  for (let number = 1; number < count; number++) values.of(text(number), {});
  assert.equal(values.of(text(0), {}), first);
  values.of(text(count), {});
  const again = {};
  assert.equal(values.of(text(0), again), again);
});

function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const seed = seedOfRun();

test(`random values are shared with equal ones, and keep their texts (seed ${seed})`, () => {
  const next = random(seed);
  const keys = ["f:a", "f:b", ".", 'k:{"name":"x<"}', "v:1", "1", "__proto__"];
  const some = (depth: number): Json => {
    if (depth === 0) return {};
    if (next() < 0.1) return [null, true, 1.5, "a\u2028", [], [{}]][Math.floor(next() * 6)]!;
    return Object.fromEntries(keys.filter(() => next() < 0.3).map((key) => [key, some(depth - 1)]));
  };
  for (let run = 0; run < 2000; run++) {
    const value = some(3), text = rawText(value), shared = sharedFieldsV1(value);
    assert.equal(rawText(shared), text);
    assert.equal(fieldsV1Text(shared), text);
    assert.deepEqual(shared, value);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject) assert.equal(sharedFieldsV1(JSON.parse(text)), shared);
    else assert.equal(shared, value);
  }
});
