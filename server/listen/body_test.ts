import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { readBody } from "./body.ts";
import type { Input } from "./input.ts";

// Of the input of a connection, reading a body uses these two.
const input = { piece() {}, gate() {} } as unknown as Input;
const read = (pieces: readonly string[], announced?: number) =>
  readBody(
    { source: Readable.from(pieces.map((piece) => Buffer.from(piece))), input, taken: 0, discarded: false },
    announced === undefined ? undefined : String(announced),
    1000,
  );

test("readBody() joins pieces of any size, with and without an announced length", async () => {
  const pieces = ["a", "bc", "d".repeat(300), "e"], whole = pieces.join("");
  assert.equal(Buffer.from(await read(pieces)).toString(), whole);
  assert.equal(Buffer.from(await read(pieces, whole.length)).toString(), whole);
  assert.equal(Buffer.from(await read([whole], whole.length)).toString(), whole);
  await assert.rejects(read(["x".repeat(600), "y".repeat(600)]), { code: 413 });
});

test("readBody() gives each body a buffer of its own, also an empty one: it may be transferred to another thread", async () => {
  for (const announced of [undefined, 0]) {
    const first = await read([], announced);
    structuredClone(first, { transfer: [first.buffer] });
    assert.equal((await read([], announced)).length, 0);
  }
});
