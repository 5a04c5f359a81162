/** Round trip for every patch format: applying the difference of two random objects to the first gives the second. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boolean, field, int32, list, record, setOf, string, struct } from "../schema.ts";
import type { Json } from "../schema.ts";
import { jsonFromTree, readJson, readWrittenJson } from "../tree/json.ts";
import { convertUntyped } from "./converted.ts";
import { applyJsonPatch, readJsonPatch } from "./json-patch.ts";
import { mergePatch, readMergePatch } from "./merge.ts";
import { shapeOf } from "./strategic-shape.ts";
import { readStrategicPatch, strategicMerge } from "./strategic.ts";
import { type UntypedMap, untypedOf } from "./untyped.ts";
import { plainTree } from "./written.ts";

type JsonObject = { readonly [key: string]: Json };
const rounds = 300;
/** Keys, including names with a meaning in JavaScript or in patches. */
const keys = ["a", "b", "~1", "a/b", "", "__proto__", "constructor", "0", "-", "é", "\u2028<"];

/** Random integers below a bound, deterministic for a seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}
function forSeeds(round: (random: (below: number) => number) => void): void {
  const first = Math.trunc(Math.random() * 2 ** 31);
  for (let seed = first; seed < first + rounds; seed++) {
    try {
      round(randomFrom(seed));
    } catch (error) {
      throw new Error(`with seed ${seed}`, { cause: error });
    }
  }
}

function randomJson(random: (below: number) => number, depth: number): Json {
  const kind = random(depth > 0 ? 7 : 4);
  if (kind === 0) return random(5);
  if (kind === 1) return ["x", 'q"<\\', "\ud83d\ude00", ""][random(4)]!;
  if (kind === 2) return random(2) === 0;
  if (kind === 3) return [9007199254740993n, -1.5, 1e21, 0][random(4)]!;
  if (kind === 4) return Array.from({ length: random(4) }, () => randomJson(random, depth - 1));
  return randomObject(random, depth - 1);
}
function randomObject(random: (below: number) => number, depth: number): JsonObject {
  return Object.fromEntries(Array.from({ length: random(6) }, () => [keys[random(keys.length)]!, randomJson(random, depth)]));
}
function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
function textOf(value: Json): string {
  return JSON.stringify(value, (_key, each) => typeof each === "bigint" ? `bigint ${each}` : each).replace(/"bigint (-?\d+)"/g, "$1");
}
function bytesOf(value: Json): Uint8Array {
  return new TextEncoder().encode(textOf(value));
}
/** Compares without the order of keys. */
function same(got: Json, want: Json): void {
  assert.deepStrictEqual(got, want);
}

function mergeDiff(from: JsonObject, to: JsonObject): JsonObject {
  const changes: [string, Json][] = [];
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) changes.push([key, null]);
  for (const [key, value] of Object.entries(to)) {
    const old = Object.hasOwn(from, key) ? from[key] : undefined;
    if (isObject(old) && isObject(value)) changes.push([key, mergeDiff(old, value)]);
    else if (old === undefined || textOf(old) !== textOf(value)) changes.push([key, value]);
  }
  return Object.fromEntries(changes);
}

test("mergePatch() with the difference of two objects turns the first into the second", () => {
  forSeeds((random) => {
    const from = randomObject(random, 3), to = randomObject(random, 3);
    const read = readWrittenJson(textOf(from));
    assert.ok(read.ok);
    const before = JSON.stringify(read.tree);
    const { tree } = readMergePatch(bytesOf(mergeDiff(from, to)), true);
    same(jsonFromTree(plainTree(mergePatch(read.tree, tree))), to);
    assert.equal(JSON.stringify(read.tree), before);
  });
});

function jsonDiff(from: Json, to: Json, path: string): Json[] {
  const escaped = (key: string) => `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  if (textOf(from) === textOf(to)) return [];
  if (isObject(from) && isObject(to)) {
    return [
      ...Object.keys(from).filter((key) => !Object.hasOwn(to, key)).map((key) => ({ op: "remove", path: escaped(key) })),
      ...Object.entries(to).flatMap(([key, value]): Json[] =>
        Object.hasOwn(from, key) ? jsonDiff(from[key]!, value, escaped(key)) : [{ op: "add", path: escaped(key), value }]
      ),
    ];
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    return [
      { op: "test", path, value: from },
      ...from.slice(to.length).map(() => ({ op: "remove", path: `${path}/-1` })),
      ...from.slice(0, to.length).flatMap((item: Json, at: number) => jsonDiff(item, to[at], `${path}/${at}`)),
      ...to.slice(from.length).map((value: Json) => ({ op: "add", path: `${path}/-`, value })),
    ];
  }
  return [{ op: "replace", path, value: to }];
}

test("applyJsonPatch() with the difference of two objects turns the first into the second", () => {
  forSeeds((random) => {
    const from = randomObject(random, 3), to = randomObject(random, 3);
    // Strings are compared as written, so every string must have a single written form.
    const read = readWrittenJson(textOf(from));
    assert.ok(read.ok);
    const { operations } = readJsonPatch(bytesOf(jsonDiff(from, to, "")), true);
    same(jsonFromTree(plainTree(applyJsonPatch(read.tree, operations))), to);
  });
});

const Item = struct("Item", {
  name: field(1, string, "Key."),
  size: field(2, int32, "Size."),
  tags: field(3, setOf(string), "Merged.", { patch: { strategy: ["merge"] } }),
});
const Thing = struct("Thing", {
  items: field(1, list(Item), "Merged by name.", { patch: { strategy: ["merge"], mergeKey: "name" } }),
  labels: field(2, record(string), "Merged."),
  words: field(3, list(string), "Replaced."),
  on: field(4, boolean, "On or off."),
});

function shuffled<T>(random: (below: number) => number, all: readonly T[]): T[] {
  const left = [...all], taken: T[] = [];
  for (let count = random(all.length + 1); count > 0; count--) taken.push(...left.splice(random(left.length), 1));
  return taken;
}
function randomThing(random: (below: number) => number): JsonObject {
  const maybe = (key: string, value: () => Json): JsonObject => random(4) === 0 ? {} : { [key]: value() };
  const item = (name: string) => ({
    name,
    ...maybe("size", () => random(3)),
    ...maybe("tags", () => [...shuffled(random, ["p", "q", "r"]), "s"]),
  });
  return {
    ...maybe("items", () => [...shuffled(random, ["a", "b", "c", "d"]), "e"].map(item)),
    ...maybe("labels", () => ({ z: "z", ...Object.fromEntries(shuffled(random, keys).map((key) => [key, String(random(3))])) })),
    ...maybe("words", () => shuffled(random, ["x", "y", "z"])),
    ...maybe("on", () => random(2) === 0),
  };
}

/** As kubectl: deletions as directives, and the order of every merged list. */
function strategicDiff(from: JsonObject, to: JsonObject): JsonObject {
  const patch: { [key: string]: Json } = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null;
  for (const [key, value] of Object.entries(to)) {
    const old = Object.hasOwn(from, key) ? from[key]! : undefined;
    if (old === undefined || !Array.isArray(value) || !Array.isArray(old) || key === "words") {
      patch[key] = isObject(old) && isObject(value) ? mergeDiff(old, value) : value;
    } else if (key === "tags") {
      patch["$setElementOrder/tags"] = value;
      patch["$deleteFromPrimitiveList/tags"] = old.filter((tag) => !value.includes(tag));
      patch["tags"] = value.filter((tag) => !old.includes(tag));
    } else {
      const names = value.map((item) => ({ name: item.name }));
      const gone = old.filter((item) => !value.some(({ name }) => name === item.name)).map(({ name }) => ({ name, $patch: "delete" }));
      const changed = value.map((item) => {
        const before = old.find(({ name }) => name === item.name);
        return before === undefined ? item : { ...strategicDiff(before, item), name: item.name };
      });
      patch["$setElementOrder/items"] = names;
      patch["items"] = [...changed, ...gone];
    }
  }
  return patch;
}

test("strategicMerge() with the difference of two objects turns the first into the second", () => {
  forSeeds((random) => {
    const from = randomThing(random), to = randomThing(random);
    const { tree } = readStrategicPatch(bytesOf(strategicDiff(from, to)), true);
    const read = readJson(textOf(from));
    assert.ok(read.ok);
    const merged = strategicMerge(untypedOf(read.tree) as UntypedMap, untypedOf(tree) as UntypedMap, shapeOf(Thing)); // objects both
    same(jsonFromTree(convertUntyped(merged, Thing)), to);
  });
});

test("no patch format changes a prototype", () => {
  const before = JSON.stringify([Object.prototype, Array.prototype, Map.prototype].map((each) => Object.getOwnPropertyNames(each)));
  forSeeds((random) => {
    const patch = randomObject(random, 4);
    const read = readWrittenJson('{"__proto__":{"a":{}},"constructor":{"prototype":{}}}');
    assert.ok(read.ok);
    mergePatch(read.tree, readMergePatch(bytesOf({ ...patch, ["__proto__"]: patch, constructor: { prototype: patch } }), true).tree);
    const path = keys.map((key) => key.replaceAll("~", "~0").replaceAll("/", "~1"));
    for (const key of path) {
      const { operations } = readJsonPatch(
        bytesOf([{ op: "add", path: `/__proto__/${key}`, value: patch }, {
          op: "add",
          path: `/constructor/prototype/${key}`,
          value: patch,
        }]),
        true,
      );
      applyJsonPatch(read.tree, operations);
    }
    strategicMerge(
      untypedOf(read.tree) as UntypedMap,
      new Map([["__proto__", new Map([["polluted", true]])]]),
      shapeOf(record(record(string))),
    );
  });
  assert.equal(JSON.stringify([Object.prototype, Array.prototype, Map.prototype].map((each) => Object.getOwnPropertyNames(each))), before);
});
