import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { FrameWriter, Slabs } from "./frame-writer.ts";
import { flag, frameType, headBytes } from "./frames.ts";

/** A writer, and the writes to its socket; `written` ends the oldest of them. */
function scene() {
  const writes: Buffer[] = [];
  const ends: (() => void)[] = [];
  const socket: Pick<Socket, "destroyed" | "write"> = {
    destroyed: false,
    // The overloads of the declared type differ in the callback only.
    write: ((piece: Buffer, end: () => void) => {
      writes.push(Buffer.from(piece));
      ends.push(end);
      return true;
    }) as Socket["write"],
  };
  const writer = new FrameWriter(socket as Socket, new Slabs(), () => {});
  return { writer, writes, written: () => ends.shift()!() };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const data = (size: number, byte: number) => new Uint8Array(size).fill(byte);

test("FrameWriter writes the frames of a turn in one write, also when they exceed its small buffer", async () => {
  const { writer, writes, written } = scene();
  const frames = Array.from({ length: 60 }, (_, index) => data(1_500, index));
  for (const [index, frame] of frames.entries()) writer.frame(frameType.data, 0, index * 2 + 1, frame);
  await turn();
  assert.deepEqual(writes.map(({ length }) => length), [60 * (1_500 + headBytes)]);
  for (const [index, frame] of frames.entries()) {
    const at = index * (1_500 + headBytes) + headBytes;
    assert.ok(writes[0]!.subarray(at, at + 1_500).equals(frame));
  }
  // A small write after it: the buffers are used again.
  written();
  writer.frame(frameType.data, 0, 1, data(10, 7));
  await turn();
  assert.equal(writes[1]!.length, 10 + headBytes);
  written();
  assert.equal(writer.unreadBytes, 0);
});

test("FrameWriter writes the frames that come during a write after it, in order", async () => {
  const { writer, writes, written } = scene();
  writer.frame(frameType.data, 0, 1, data(10_000, 1));
  await turn();
  for (let byte = 2; byte <= 4; byte++) writer.frame(frameType.data, 0, 1, data(10_000, byte));
  await turn();
  assert.equal(writes.length, 1);
  while (writer.unreadBytes > 0) written();
  const all = Buffer.concat(writes);
  assert.equal(all.length, 4 * (10_000 + headBytes));
  assert.deepEqual([1, 2, 3, 4].map((byte) => all[byte * (10_000 + headBytes) - 1]), [1, 2, 3, 4]);
});

test("FrameWriter counts the streams whose last frame the socket has not taken, by each frame that ends one", async () => {
  const { writer, written } = scene();
  writer.frame(frameType.headers, flag.endStream, 1, data(10, 1));
  writer.frame(frameType.headers, 0, 3, data(10, 1));
  writer.frame(frameType.data, flag.endStream, 3, data(10, 1));
  writer.frame(frameType.reset, 0, 5, data(4, 0));
  writer.frame(frameType.settings, flag.ack, 0, data(0, 0));
  assert.equal(writer.unreadEnds, 3);
  await turn();
  // During the write, in the same buffer.
  writer.frame(frameType.headers, flag.endStream, 7, data(10, 1));
  assert.equal(writer.unreadEnds, 4);
  written();
  assert.equal(writer.unreadEnds, 1);
  written();
  assert.equal(writer.unreadEnds, 0);
});

test("Slabs have connections ended in a later turn while they hold more bytes than their bound", async () => {
  const held: ReturnType<Slabs["take"]>[] = [];
  let ended = 0;
  const slabs: Slabs = new Slabs(40_000, () => {
    ended++;
    const slab = held.shift();
    if (slab !== undefined) slabs.drop(slab);
    return slab !== undefined;
  });
  for (let count = 0; count < 2; count++) held.push(slabs.take(false));
  await turn();
  assert.deepEqual([slabs.heldBytes, ended], [32_768, 0]);
  for (let count = 0; count < 3; count++) held.push(slabs.take(false));
  assert.equal(ended, 0);
  await turn();
  assert.deepEqual([slabs.heldBytes, ended], [32_768, 3]);
  // Nothing can be ended: no loop.
  held.length = 0;
  slabs.take(false);
  await turn();
  assert.equal(ended, 4);
});
