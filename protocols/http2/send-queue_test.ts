import assert from "node:assert/strict";
import { test } from "node:test";
import { flag, frameBytesMax, headBytes } from "./frames.ts";
import { SendQueue } from "./send-queue.ts";
import { firstWindowBytes } from "./settings.ts";

/** A queue and what it has written: `stream:bytes`, with a full stop for the end of a stream. */
function fixture() {
  const written: string[] = [],
    writer = {
      isFull: false,
      frame(_type: number, flags: number, stream: number, payload: Uint8Array, from = 0, to = payload.length) {
        assert.ok(to - from <= frameBytesMax);
        written.push(`${stream}:${to - from}${(flags & flag.endStream) === 0 ? "" : "."}`);
      },
    };
  return { queue: new SendQueue(writer), writer, written: () => written.splice(0) };
}
const bytes = (count: number) => new Uint8Array(count);

test("SendQueue.send() writes data at once while nothing waits, without a call of onWritten before the end", () => {
  const { queue, written } = fixture(), stream = queue.open(1);
  let calls = 0;
  stream.onWritten = () => calls++;
  queue.send(stream, bytes(3), false);
  queue.send(stream, bytes(frameBytesMax), false);
  assert.deepEqual(written(), ["1:3", `1:${frameBytesMax}`]);
  assert.deepEqual([calls, stream.parts.length, stream.window], [0, 0, firstWindowBytes - frameBytesMax - 3]);
  queue.send(stream, bytes(2), true);
  assert.deepEqual(written(), ["1:2."]);
  assert.deepEqual([calls, stream.isDone], [1, true]);
});

test("SendQueue.send() splits data above a frame", () => {
  const { queue, written } = fixture();
  queue.send(queue.open(1), bytes(frameBytesMax + 1), false);
  assert.deepEqual(written(), [`1:${frameBytesMax}`, "1:1"]);
});

test("data waits for the window of its stream to the byte, in order", () => {
  const { queue, written } = fixture(), stream = queue.open(1), other = queue.open(3);
  queue.resize(10);
  queue.send(stream, bytes(10), false);
  assert.deepEqual(written(), ["1:10"]);
  queue.send(stream, bytes(1), false);
  queue.send(stream, bytes(2), true);
  queue.send(other, bytes(4), false);
  assert.deepEqual(written(), ["3:4"], "a stream without a window does not hold back others");
  queue.allowStream(stream, 2);
  assert.deepEqual(written(), ["1:1", "1:1"]);
  queue.allowStream(stream, 1);
  assert.deepEqual(written(), ["1:1."]);
});

test("data waits for the window of the connection to the byte, behind the streams that wait already", () => {
  const { queue, written } = fixture(), first = queue.open(1), second = queue.open(3);
  queue.resize(2 * firstWindowBytes);
  for (let left = firstWindowBytes; left > 0; left -= frameBytesMax) queue.send(first, bytes(Math.min(left, frameBytesMax)), false);
  assert.equal(written().length, Math.ceil(firstWindowBytes / frameBytesMax));
  queue.send(first, bytes(1), false);
  queue.send(second, bytes(1), false);
  assert.deepEqual(written(), []);
  queue.allow(2);
  assert.deepEqual(written(), ["1:1", "3:1"]);
});

test("data waits while the writer is full", () => {
  const { queue, writer, written } = fixture(), stream = queue.open(1);
  let calls = 0;
  stream.onWritten = () => calls++;
  writer.isFull = true;
  queue.send(stream, bytes(headBytes), false);
  assert.deepEqual([written(), stream.parts.length], [[], 1]);
  writer.isFull = false;
  queue.resume();
  assert.deepEqual([written(), stream.parts.length, calls], [[`1:${headBytes}`], 0, 1]);
});

test("SendQueue.close() drops what waits and what comes later", () => {
  const { queue, writer, written } = fixture(), stream = queue.open(1);
  writer.isFull = true;
  queue.send(stream, bytes(1), false);
  queue.close(stream);
  writer.isFull = false;
  queue.resume();
  queue.send(stream, bytes(1), true);
  assert.deepEqual([written(), stream.isDone], [[], false]);
});

test("data waits while a smaller initial window leaves the window of its stream negative; an empty end does not", () => {
  const { queue, written } = fixture(), stream = queue.open(1), other = queue.open(3);
  queue.send(stream, bytes(10), false);
  queue.send(other, bytes(10), false);
  queue.resize(4);
  assert.deepEqual([written(), stream.window], [["1:10", "3:10"], -6]);
  queue.send(stream, bytes(1), false);
  queue.send(other, bytes(0), true);
  assert.deepEqual(written(), ["3:0."]);
  queue.allowStream(stream, 6);
  assert.deepEqual(written(), [], "a window of zero");
  queue.allowStream(stream, 1);
  assert.deepEqual([written(), stream.window], [["1:1"], 0]);
});

test("SendQueue.send() writes nothing of a stream that was reset while another one waits, and then writes at once again", () => {
  const { queue, writer, written } = fixture(), reset = queue.open(1), stream = queue.open(3);
  writer.isFull = true;
  queue.send(reset, bytes(2), false);
  queue.send(stream, bytes(3), false);
  queue.close(reset);
  writer.isFull = false;
  queue.send(stream, bytes(1), false);
  assert.deepEqual(written(), [], "not before what waits");
  queue.resume();
  queue.send(stream, bytes(4), false);
  assert.deepEqual(written(), ["3:3", "3:1", "3:4"]);
});
