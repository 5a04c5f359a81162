import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { FrameWriter, Slabs } from "./frame-writer.ts";
import { frameType, headBytes } from "./frames.ts";

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
