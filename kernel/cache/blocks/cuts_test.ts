import assert from "node:assert/strict";
import { test } from "node:test";
import { noAttributes } from "../index/attributes.ts";
import type { CachedEntry } from "../index/entry.ts";
import { Slabs } from "../index/slabs.ts";
import { blockBytesMax, blockBytesMin, cutsOf } from "./cuts.ts";

const slabs = new Slabs();
function entry(key: string, length: number): CachedEntry {
  return { ...slabs.lay([]), length, key, revision: 1, attributes: noAttributes, asStored: true };
}
const chunkOf = (lengths: readonly number[], name = (index: number) => `/registry/configmaps/ns/cm-${index}`) =>
  lengths.map((length, index) => entry(name(index), length));

function sizesOf(chunk: readonly CachedEntry[]): number[] {
  let from = 0;
  return cutsOf(chunk).map((to) => {
    const size = chunk.slice(from, to).reduce((sum, { length }) => sum + length, 0);
    assert.ok(to > from, "no block is empty");
    from = to;
    return size;
  });
}

test("cutsOf() ends at the end of the chunk, and blocks are within the bounds", () => {
  for (const length of [1, 100, 1_000, 5_000, blockBytesMin, blockBytesMax - 1, blockBytesMax, blockBytesMax + 1, 1_500_000]) {
    const chunk = chunkOf(Array.from({ length: 256 }, () => length));
    assert.equal(cutsOf(chunk).at(-1), 256);
    const sizes = sizesOf(chunk);
    for (const size of sizes) assert.ok(size <= Math.max(length, blockBytesMax), `${size} of ${length}`);
    for (const size of sizes.slice(0, -1)) assert.ok(size >= blockBytesMin, `${size} of ${length}`);
  }
});

test("cutsOf() gives names of any kind blocks of many objects", () => {
  const names: readonly ((n: number) => string)[] = [
    (n) => `cm-${n}`,
    (n) => String(n).padStart(12, "0"),
    (n) => "x".repeat(n),
    () => "same",
  ];
  for (const name of names) {
    const { length } = cutsOf(chunkOf(Array.from({ length: 256 }, () => 2_000), name));
    assert.ok(length >= 2 && length <= 256 * 2_000 / blockBytesMin, `${length}`);
  }
});

test("cutsOf() after a change of one entry differs in few blocks", () => {
  const chunk = chunkOf(Array.from({ length: 256 }, (_, index) => 1_900 + index % 7 * 30));
  const blocks = (of: readonly CachedEntry[]) => {
    let from = 0;
    return cutsOf(of).map((to) => of.slice(from, from = to).map(({ key, length }) => `${key} ${length}`).join());
  };
  const before = blocks(chunk);
  let most = 0;
  for (let at = 0; at < 256; at++) {
    const one = entry(chunk[at]!.key, 2_500), added = entry(`${chunk[at]!.key}-a`, 2_000);
    for (const changed of [chunk.with(at, one), chunk.toSpliced(at, 1), chunk.toSpliced(at + 1, 0, added)]) {
      const after = new Set(blocks(changed));
      most += before.filter((block) => !after.has(block)).length;
    }
  }
  assert.ok(before.length >= 3);
  assert.ok(most / (3 * 256) < 1.5, `${most / (3 * 256)} of ${before.length} blocks change on average`);
});
