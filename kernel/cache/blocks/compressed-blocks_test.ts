import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../core/test-clock.ts";
import { deflate } from "../../../protocols/gzip/deflate.ts";
import { noAttributes } from "../index/attributes.ts";
import type { CachedEntry } from "../index/entry.ts";
import type { Span } from "../index/key-index.ts";
import { Slabs } from "../index/slabs.ts";
import { CompressedBlocks } from "./compressed-blocks.ts";

const slabs = new Slabs();
const entry = (key: string): CachedEntry => ({ ...slabs.lay([]), key, revision: 1, attributes: noAttributes, asStored: true });
const spanOf = (...chunk: readonly CachedEntry[]): Span => ({ chunk, from: 0, to: chunk.length });
const pieces = [deflate(new Uint8Array(100))];
const random = () => [deflate(crypto.getRandomValues(new Uint8Array(1_000)))];
const bounds = { bytesMax: 1024 * 1024, variantsMax: 1, idleMs: 1000 };

test("CompressedBlocks find a block by its form and exactly its entries", () => {
  const blocks = new CompressedBlocks(bounds, manualClock());
  const [a, b, c] = [entry("a"), entry("b"), entry("c")];
  blocks.keep("json", spanOf(a, b), pieces);
  assert.equal(blocks.get("json", spanOf(a, b)), pieces);
  assert.equal(blocks.get("json", { chunk: [c, a, b, c], from: 1, to: 3 }), pieces);
  for (const other of [spanOf(a), spanOf(b), spanOf(a, c), spanOf(a, b, c), spanOf(a, entry("b"))]) {
    assert.equal(blocks.get("json", other), undefined);
  }
  assert.equal(blocks.get("protobuf", spanOf(a, b)), undefined);
});

test("CompressedBlocks replace the block of a form that begins with the same entry, within the number of variants", () => {
  const clock = manualClock();
  const [a, b, c] = [entry("a"), entry("b"), entry("c")];
  const one = new CompressedBlocks(bounds, clock), two = new CompressedBlocks({ ...bounds, variantsMax: 2 }, clock);
  for (const blocks of [one, two]) {
    for (const span of [spanOf(a), spanOf(a, b), spanOf(a, c)]) blocks.keep("json", span, pieces);
    blocks.keep("protobuf", spanOf(a), pieces);
  }
  const kept = (blocks: CompressedBlocks) => [spanOf(a), spanOf(a, b), spanOf(a, c)].map((span) => blocks.get("json", span) !== undefined);
  assert.deepEqual([kept(one), kept(two)], [[false, false, true], [false, true, true]]);
  assert.equal(one.get("protobuf", spanOf(a)), pieces);
  assert.ok(one.bytes < two.bytes);
});

test("CompressedBlocks keep the same block once", () => {
  const blocks = new CompressedBlocks({ ...bounds, variantsMax: 4 }, manualClock());
  const span = spanOf(entry("a"));
  blocks.keep("json", span, pieces);
  const { bytes } = blocks;
  blocks.keep("json", span, [...pieces]);
  assert.deepEqual([blocks.bytes, blocks.get("json", span)], [bytes, pieces]);
});

test("CompressedBlocks never exceed their bound, and keep those that are used", () => {
  const bytesMax = 64 * 1024;
  const blocks = new CompressedBlocks({ ...bounds, bytesMax }, manualClock());
  const used = spanOf(entry("used"));
  blocks.keep("json", used, pieces);
  let most = 0;
  for (let count = 0; count < 1000; count++) {
    blocks.keep("json", spanOf(entry(`${count}`)), random());
    most = Math.max(most, blocks.bytes);
    assert.ok(blocks.bytes <= bytesMax, `${blocks.bytes}`);
    assert.equal(blocks.get("json", used), pieces, `after ${count}`);
  }
  assert.ok(most > bytesMax / 2);
  blocks.keep("json", spanOf(entry("huge")), Array.from({ length: 40 }, random).flat());
  assert.ok(blocks.bytes <= bytesMax);
});

test("CompressedBlocks drop blocks without use after the idle time, and stop their timer", () => {
  const clock = manualClock();
  const blocks = new CompressedBlocks(bounds, clock);
  assert.equal(clock.waiting, 0);
  const [used, idle] = [spanOf(entry("used")), spanOf(entry("idle"))];
  for (const span of [used, idle]) blocks.keep("json", span, pieces);
  clock.advance(999);
  for (const span of [used, idle]) assert.equal(blocks.get("json", span), pieces);
  clock.advance(1);
  assert.equal(blocks.get("json", used), pieces);
  clock.advance(1000);
  assert.equal(blocks.get("json", idle), undefined);
  assert.equal(blocks.get("json", used), pieces);
  clock.advance(2000);
  assert.equal(blocks.get("json", used), undefined);
  assert.deepEqual([blocks.bytes, clock.waiting], [0, 0]);
  blocks.keep("json", used, pieces);
  assert.equal(clock.waiting, 1);
});

test("CompressedBlocks keep nothing after close()", () => {
  const clock = manualClock();
  const blocks = new CompressedBlocks(bounds, clock);
  const span = spanOf(entry("a"));
  blocks.keep("json", span, pieces);
  blocks.close();
  assert.equal(blocks.get("json", span), undefined);
  blocks.keep("json", span, pieces);
  assert.deepEqual([blocks.get("json", span), blocks.bytes, clock.waiting], [undefined, 0, 0]);
});
