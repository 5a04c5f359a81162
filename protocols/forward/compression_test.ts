import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from "node:zlib";
import { type Coding, recoded } from "./compression.ts";

/** A source that counts what is read of it. */
function sourceOf(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> & { readonly read: number; readonly closed: boolean } {
  let read = 0, closed = false;
  return {
    get read() {
      return read;
    },
    get closed() {
      return closed;
    },
    [Symbol.asyncIterator]: () => ({
      next() {
        const value = bytes.subarray(read * size, (read + 1) * size);
        read++;
        return Promise.resolve(value.length === 0 ? { done: true, value } : { done: false, value });
      },
      return() {
        closed = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}
/** The same piece again and again. */
function endless(value: Uint8Array): AsyncIterable<Uint8Array> & { readonly read: number; readonly closed: boolean } {
  const state = { read: 0, closed: false };
  return Object.assign(state, {
    [Symbol.asyncIterator]: () => ({
      next() {
        state.read++;
        return Promise.resolve({ done: false, value });
      },
      return() {
        state.closed = true;
        return Promise.resolve({ done: true, value });
      },
    }),
  });
}
async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
const text = Buffer.from("some text that repeats, ".repeat(10_000));

test("recoded() compresses and decompresses", async () => {
  const both: readonly (readonly [Coding, Coding, (bytes: Uint8Array) => Buffer, (bytes: Uint8Array) => Buffer])[] = [
    ["gzip", "gunzip", gzipSync, gunzipSync],
    ["deflate", "inflate", deflateRawSync, inflateRawSync],
  ];
  for (const [write, read, compress, decompress] of both) {
    assert.deepEqual(decompress(await whole(recoded(sourceOf(text, 10_000), write))), text, write);
    assert.deepEqual(Buffer.from(await whole(recoded(sourceOf(compress(text), 7), read))), text, read);
  }
});

test("recoded() rejects broken content, and closes it", async () => {
  const broken: readonly (readonly [string, Coding, Uint8Array])[] = [
    ["other content", "gunzip", text],
    ["other content", "inflate", text],
    ["no content", "gunzip", new Uint8Array()],
    ["no content", "inflate", new Uint8Array()],
    ["a part", "gunzip", gzipSync(text).subarray(0, 100)],
    ["a part", "inflate", deflateRawSync(text).subarray(0, 100)],
  ];
  for (const [what, coding, bytes] of broken) {
    await assert.rejects(whole(recoded(sourceOf(bytes, 1_000), coding)), Error, `${what}, ${coding}`);
  }
});

test("recoded() rejects with the error of the content", async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield gzipSync(text).subarray(0, 20);
    await Promise.resolve();
    throw new Error("cut off");
  }
  for (const coding of ["gzip", "gunzip"] as const) await assert.rejects(whole(recoded(failing(), coding)), /cut off/);
});

test("recoded() decompresses no more than is read, and closes the content with its reader", async () => {
  const bomb = endless(gzipSync(new Uint8Array(16 << 20)));
  const pieces = recoded(bomb, "gunzip")[Symbol.asyncIterator]();
  for (let count = 0; count < 100; count++) assert.ok((await pieces.next()).value!.length <= 1 << 20);
  assert.ok(bomb.read <= 20, `${bomb.read} times 16 MiB were read`);
  await pieces.return?.();
  assert.ok(bomb.closed);
  const untouched = sourceOf(text, 10);
  await recoded(untouched, "gzip")[Symbol.asyncIterator]().return?.();
  assert.ok(untouched.closed);
});
