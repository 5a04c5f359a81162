import assert from "node:assert/strict";
import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { nextTurn } from "../../core/turns.ts";
import { remoteSliceBytes, slicePieces, type Slices } from "./begin-request.ts";

/** A socket whose parser notes the bytes of each slice. */
function slicing(slices: Slices) {
  const socket = new Socket(), parsed: number[] = [];
  const parse = (slice: Buffer) => void parsed.push(slice.length);
  socket.on("data", parse);
  const input = slicePieces(socket, slices);
  return { socket, parsed, parse, input };
}
async function until(condition: () => boolean): Promise<void> {
  for (let at = 0; !condition(); at++) {
    assert.ok(at < 1_000);
    await nextTurn();
  }
}
const next = (rest: number) => Math.min(rest, remoteSliceBytes);

test("a piece of input is parsed in slices, and none is after the end of the request", () => {
  let begun = 0;
  const { socket, parsed } = slicing({ next, begin: (bytes) => (begun += bytes) <= 2 * remoteSliceBytes, parsed: () => undefined });
  socket.emit("data", Buffer.alloc(64 * 1024));
  socket.emit("data", Buffer.alloc(1));
  assert.deepEqual(parsed, [remoteSliceBytes, remoteSliceBytes]);
  const whole = slicing({ next, begin: () => true, parsed: () => undefined });
  whole.socket.emit("data", Buffer.alloc(2 * remoteSliceBytes + 1));
  assert.deepEqual(whole.parsed, [remoteSliceBytes, remoteSliceBytes, 1]);
});

test("the runtime removes its parser after an answer; bytes of the same piece behind the answer end the connection", () => {
  const { socket, parsed, parse } = slicing({ next, begin: () => true, parsed: () => undefined });
  socket.prependListener("data", () => socket.off("data", parse));
  socket.emit("data", Buffer.alloc(remoteSliceBytes + 1));
  assert.deepEqual([parsed, socket.destroyed], [[remoteSliceBytes], true]);
  socket.emit("data", Buffer.alloc(1));
  assert.deepEqual(parsed, [remoteSliceBytes]);
});

test("slices beyond those of a turn wait, and the end of the connection waits behind them", async () => {
  const turns: PromiseWithResolvers<void>[] = [];
  let inTurn = 0;
  const { socket, parsed } = slicing({
    next,
    begin: () => true,
    parsed() {
      if (++inTurn % 3 > 0) return undefined;
      turns.push(Promise.withResolvers());
      return turns.at(-1)!.promise;
    },
  });
  const ended = once(socket, "end");
  let isEnded = false;
  void ended.then(() => isEnded = true);
  socket.push(Buffer.alloc(8 * remoteSliceBytes));
  socket.push(null);
  for (const count of [3, 6]) {
    await until(() => parsed.length === count);
    for (let at = 0; at < 5; at++) await nextTurn();
    assert.deepEqual([parsed.length, isEnded], [count, false]);
    turns.at(-1)!.resolve();
  }
  await ended;
  assert.deepEqual(parsed, Array(8).fill(remoteSliceBytes));
});

test("a reader of the response does not make the connection go on while a slice waits", async () => {
  const turn = Promise.withResolvers<void>();
  const { socket, parsed, input } = slicing({ next, begin: () => true, parsed: () => parsed.length === 1 ? turn.promise : undefined });
  const response = new IncomingMessage(socket);
  input.began(response);
  socket.push(Buffer.alloc(3 * remoteSliceBytes));
  await until(() => parsed.length === 1);
  response.read();
  assert.equal(socket.isPaused(), true);
  response.push(Buffer.alloc(response.readableHighWaterMark));
  turn.resolve();
  await nextTurn();
  assert.deepEqual([socket.isPaused(), parsed.length], [true, 1], "the reader is behind");
  response.read();
  await until(() => parsed.length === 3);
});
