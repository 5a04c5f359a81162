import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import { remoteSliceBytes, slicePieces, type Slices } from "./begin-request.ts";

/** A socket whose parser notes the bytes of each slice. */
function slicing(slices: Slices) {
  const socket = new Socket(), parsed: number[] = [];
  const parse = (slice: Buffer) => void parsed.push(slice.length);
  socket.on("data", parse);
  slicePieces(socket, slices);
  return { socket, parsed, parse };
}
const next = (rest: number) => Math.min(rest, remoteSliceBytes);

test("a piece of input is parsed in slices, and none is after the end of the request", () => {
  let begun = 0;
  const { socket, parsed } = slicing({ next, begin: (bytes) => (begun += bytes) <= 2 * remoteSliceBytes });
  socket.emit("data", Buffer.alloc(64 * 1024));
  socket.emit("data", Buffer.alloc(1));
  assert.deepEqual(parsed, [remoteSliceBytes, remoteSliceBytes]);
  const whole = slicing({ next, begin: () => true });
  whole.socket.emit("data", Buffer.alloc(2 * remoteSliceBytes + 1));
  assert.deepEqual(whole.parsed, [remoteSliceBytes, remoteSliceBytes, 1]);
});

test("the runtime removes its parser after an answer; bytes of the same piece behind the answer end the connection", () => {
  const { socket, parsed, parse } = slicing({ next, begin: () => true });
  socket.prependListener("data", () => socket.off("data", parse));
  socket.emit("data", Buffer.alloc(remoteSliceBytes + 1));
  assert.deepEqual([parsed, socket.destroyed], [[remoteSliceBytes], true]);
  socket.emit("data", Buffer.alloc(1));
  assert.deepEqual(parsed, [remoteSliceBytes]);
});
