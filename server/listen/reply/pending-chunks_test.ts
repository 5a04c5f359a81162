import assert from "node:assert/strict";
import { test } from "node:test";
import { PendingChunks } from "./pending-chunks.ts";

/** Chunks below a bound of 100 bytes; `turn` runs what was planned for later, `reply` makes replies that note their end. */
function scene() {
  const planned: (() => void)[] = [], ended: string[] = [];
  const pending = new PendingChunks(100, (run) => void planned.push(run));
  const replies = new Map<string, { giveUp(): void }>();
  const reply = (name: string) => {
    const known = replies.get(name) ?? { giveUp: () => void ended.push(name) };
    replies.set(name, known);
    return known;
  };
  const turn = () => {
    for (const run of planned.splice(0)) run();
    return ended.splice(0);
  };
  return { pending, reply, turn };
}
const chunkOf = (bytes: number) => new Uint8Array(bytes);

test("PendingChunks ends the replies that have waited longest, until the others fit", () => {
  const { pending, reply, turn } = scene();
  for (const name of ["a", "b", "c"]) pending.hold(reply(name), chunkOf(33));
  assert.deepEqual([pending.bytes, turn()], [99, []]);
  pending.hold(reply("b"), chunkOf(33)); // Its client has read: now it waits since later than the others.
  pending.hold(reply("d"), chunkOf(2));
  assert.equal(pending.bytes, 101);
  assert.deepEqual([turn(), pending.bytes], [["a"], 68]);
  pending.hold(reply("e"), chunkOf(99));
  assert.deepEqual([turn(), pending.bytes], [["c", "b", "d"], 99]);
  pending.hold(reply("f"), chunkOf(101));
  assert.deepEqual([turn(), pending.bytes], [["e", "f"], 0], "one that is too large alone is ended too");
});

test("PendingChunks counts a chunk once for all replies that share it, and until the last of them", () => {
  const { pending, reply, turn } = scene(), shared = chunkOf(80);
  for (const name of ["a", "b", "c"]) pending.hold(reply(name), shared);
  pending.hold(reply("a"), shared);
  assert.equal(pending.bytes, 80);
  for (const name of ["a", "b", "b"]) pending.release(reply(name));
  assert.equal(pending.bytes, 80);
  pending.release(reply("c"));
  assert.equal(pending.bytes, 0);
  assert.deepEqual(turn(), []);
});

test("PendingChunks ends no reply if there is room again before the next turn", () => {
  const { pending, reply, turn } = scene();
  for (const name of ["a", "b"]) pending.hold(reply(name), chunkOf(60));
  pending.release(reply("b"));
  assert.deepEqual([turn(), pending.bytes], [[], 60]);
});
