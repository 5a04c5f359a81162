import assert from "node:assert/strict";
import { test } from "node:test";
import { compareKeys as compareInStore } from "../../store/bytes.ts";
import type { CachedEntry } from "./entry.ts";
import { compareKeys, KeyIndex } from "./key-index.ts";
import { Slabs } from "./slabs.ts";
import { noAttributes } from "./attributes.ts";

const slabs = new Slabs();
function entry(key: string, revision = 1): CachedEntry {
  return { ...slabs.lay([new Uint8Array(1)]), key, revision, attributes: noAttributes, asStored: true };
}
function keys(index: KeyIndex, prefix = "", start?: string): string[] {
  return [...index.runs(prefix, start)].flatMap((run) => run.map(({ key }) => key));
}

test("compareKeys() orders keys as the stores do", () => {
  const unusual = [
    "",
    "a",
    "a\0",
    "a/b",
    "a-b/c",
    "b",
    "\u{7f}",
    "\u{e9}",
    "\u{d7ff}",
    "\u{e000}",
    "\u{fffd}",
    "\u{ffff}",
    "\u{1f600}",
    "\u{10ffff}",
    "x\u{1f600}a",
    "x\u{fffd}",
  ];
  for (const a of unusual) {
    for (const b of unusual) assert.equal(Math.sign(compareKeys(a, b)), Math.sign(compareInStore(a, b)), `${a} ${b}`);
  }
});

test("KeyIndex orders keys by their UTF-8 bytes, with any characters", () => {
  const some = ["a", "a\u{d7ff}", "a\u{e000}", "a\u{ffff}", "a\u{1f600}", "a\u{10ffff}", "b", "\u{d7ff}", "\u{fffd}", "\u{1f600}"];
  const sorted = some.toSorted(compareInStore);
  assert.notDeepEqual(sorted, some.toSorted());
  let index = KeyIndex.of<CachedEntry>([]);
  for (const key of some.toReversed()) index = index.with(entry(key));
  assert.deepEqual(keys(index), sorted);
  for (const key of some) {
    assert.equal(index.get(key)?.key, key);
    assert.equal(index.get(`${key}!`), undefined);
    assert.deepEqual(keys(index, "", key), sorted.slice(sorted.indexOf(key)));
  }
});

test("KeyIndex keeps its order and its snapshots through random changes", () => {
  let seed = 42;
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below;
  let index = KeyIndex.of<CachedEntry>([]);
  const model = new Map<string, CachedEntry>();
  const snapshots: { index: KeyIndex; keys: string[] }[] = [];
  for (let round = 0; round < 6000; round++) {
    const key = `p${random(3)}/k-${random(700)}`;
    if (random(3) === 0) {
      index = index.without(key);
      model.delete(key);
    } else {
      const made = entry(key, round);
      index = index.with(made);
      model.set(key, made);
    }
    if (round % 1000 === 0) snapshots.push({ index, keys: [...model.keys()].sort() });
  }
  const sorted = [...model.keys()].sort();
  assert.deepEqual(keys(index), sorted);
  assert.equal(index.size, sorted.length);
  for (const key of sorted) assert.equal(index.get(key), model.get(key));
  for (let round = 0; round < 200; round++) {
    const prefix = `p${random(4)}/`, start = `p${random(4)}/k-${random(700)}`;
    const expected = sorted.filter((key) => key.startsWith(prefix) && key >= start);
    assert.deepEqual(keys(index, prefix, start), expected);
    assert.equal(index.count(prefix, start), expected.length);
  }
  for (const snapshot of snapshots) assert.deepEqual(keys(snapshot.index), snapshot.keys);
});

test("KeyIndex finds all keys of a prefix, and none in an empty index", () => {
  const all = ["o", "p", "p-/a", "p.", "p/", "p/a", "p/\u{10ffff}", "p0"];
  const index = KeyIndex.of(all.map((key) => entry(key)));
  assert.deepEqual(keys(index, "p/"), ["p/", "p/a", "p/\u{10ffff}"]);
  assert.deepEqual(keys(index, "p/", "p/\0"), ["p/a", "p/\u{10ffff}"]);
  assert.deepEqual(keys(index, "p/", "p/a\0"), ["p/\u{10ffff}"]);
  assert.deepEqual(keys(index, "p/", "z"), []);
  assert.equal(index.count("p/", "z"), 0);
  assert.deepEqual(keys(index, "q"), []);
  const empty = KeyIndex.of<CachedEntry>([]);
  assert.deepEqual([keys(empty), empty.count("p"), empty.get("p"), empty.size], [[], 0, undefined, 0]);
  assert.equal(empty.without("p"), empty);
  assert.equal(index.without("nowhere"), index);
  assert.deepEqual(keys(index.without("p0").with(entry("z"))), [...all.slice(0, -1), "z"]);
});

test("KeyIndex holds keys that are names of built-in properties", () => {
  const unusual = ["__proto__", "constructor", "hasOwnProperty"];
  let index = KeyIndex.of<CachedEntry>([]);
  for (const key of unusual) assert.equal(index.get(key), undefined);
  for (const key of unusual) index = index.with(entry(key));
  for (const key of unusual) assert.equal(index.get(key)?.key, key);
});

test("KeyIndex can be emptied and filled again", () => {
  const names = Array.from({ length: 1000 }, (_, index) => `k-${String(index).padStart(4, "0")}`);
  let index = KeyIndex.of(names.map((key) => entry(key)));
  for (const name of names) index = index.without(name);
  assert.deepEqual([keys(index), index.size], [[], 0]);
  for (const name of names.toReversed()) index = index.with(entry(name));
  assert.deepEqual(keys(index), names);
});
