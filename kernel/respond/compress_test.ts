import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { defaultNames } from "../../core/names.ts";
import type { RequestContext } from "../request-context.ts";
import { compile } from "../catalog/compile.ts";
import { beginBody, bodyOfParts, chunkBytes, type Chunked, gzipBytesMin } from "../objects/chunks.ts";
import { compress } from "./compress.ts";
import type { Reply } from "../request/exchange.ts";

function requestContextOf(accepts: string, on = true): RequestContext {
  const catalog = compile([], { names: defaultNames, featureGates: new Map([["APIResponseCompression", on]]), runtimeConfig: new Map() });
  return { exchange: { headers: { "accept-encoding": accepts } }, catalog } as unknown as RequestContext; // the fields that compressed() reads
}
function replyOf(body: Chunked): Reply {
  return { status: 200, headers: { "content-type": "application/json" }, body };
}
async function bytesOf(body: Reply["body"]): Promise<Uint8Array> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}
const least = gzipBytesMin;

test("compress() compresses bodies of at least the bound, in bytes and not in characters", async () => {
  for (
    const [body, isLarge] of [
      ["x".repeat(least), true],
      ["x".repeat(least - 1), false],
      ["é".repeat(least / 2), true],
      ["é".repeat(least / 2 - 1), false],
      [new Uint8Array(least), true],
      [new Uint8Array(least - 1), false],
    ] as const
  ) {
    const reply = compress(requestContextOf("gzip"), replyOf(body), body.length * 3);
    assert.equal(reply.headers["content-encoding"], isLarge ? "gzip" : undefined);
    const bytes = await bytesOf(reply.body);
    assert.deepEqual(new Uint8Array(isLarge ? gunzipSync(bytes) : bytes), await bytesOf(body));
    if (isLarge) assert.ok(bytes.length < least / 10);
  }
});

test("compress() pulls chunks only as its output is pulled", async () => {
  let pulled = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (; pulled < 1000; pulled++) yield crypto.getRandomValues(new Uint8Array(16_384));
  }
  const { body } = compress(requestContextOf("deflate, gzip"), replyOf(pieces()), 1000 * 16_384);
  assert.ok(typeof body !== "string" && !(body instanceof Uint8Array));
  const stream = body[Symbol.asyncIterator]();
  assert.equal((await stream.next()).done, false);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.ok(pulled < 100, `${pulled} chunks were pulled for one of the output`);
  await stream.return?.();
});

test("compress() fails with the error of its input", async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    throw new Error("broken");
  }
  const { body } = compress(requestContextOf("gzip"), replyOf(failing()), least);
  await assert.rejects(bytesOf(body), /broken/);
});

test("compress() returns the same reply if the client does not accept gzip or the gate is off", () => {
  const reply = replyOf("x".repeat(least));
  for (
    const call of [
      requestContextOf(""),
      requestContextOf("deflate"),
      requestContextOf("gzip;q=1"),
      requestContextOf("x-gzip"),
      requestContextOf("gzip", false),
    ]
  ) {
    assert.equal(compress(call, reply, least), reply);
  }
  assert.notEqual(compress(requestContextOf("gzip"), reply, least), reply);
});

test("bodyOfParts() returns small bodies whole and large ones in chunks, with all bytes in order", async () => {
  assert.equal(bodyOfParts(["a"]), "a");
  assert.deepEqual(await bytesOf(bodyOfParts(["a", Uint8Array.of(0x62), "é"])), new TextEncoder().encode("abé"));
  const large = new Uint8Array(chunkBytes).fill(1);
  const parts = ["head", large, ...Array.from({ length: 50_000 }, (_, index) => `${index},`), large, "é"];
  const body = bodyOfParts(parts);
  assert.ok(typeof body !== "string" && !(body instanceof Uint8Array));
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  assert.ok(pieces.includes(large), "a large part is not copied");
  assert.ok(pieces.length < 20);
  const expected = Buffer.concat(parts.map((part) => typeof part === "string" ? Buffer.from(part) : part));
  assert.deepEqual(new Uint8Array(Buffer.concat(pieces)), new Uint8Array(expected));
});

test("beginBody() counts all bytes of a body up to the bound of compression, and encodes no more than that", async () => {
  const halves = [new Uint8Array(least / 2), new Uint8Array(least / 2 - 1)];
  const below = await beginBody(halves);
  assert.equal(below.bytes, least - 1);
  assert.deepEqual(await bytesOf(below.body), new Uint8Array(least - 1));
  assert.equal((await beginBody([...halves, new Uint8Array(1)])).bytes, least);
  const empty = await beginBody([]);
  assert.deepEqual({ ...empty, body: await bytesOf(empty.body) }, { body: new Uint8Array(), bytes: 0 });
});

test("beginBody() yields to the event loop while parts are encoded, before and after it returns", async () => {
  let turns = 0, on = true;
  const turn = (): void => {
    turns++;
    if (on) setTimeout(turn, 0);
  };
  turn();
  function* slow(): Generator<string> {
    for (let part = 0; part < 20; part++) {
      for (const until = performance.now() + 10; performance.now() < until;);
      yield "x".repeat(part < 10 ? 10 : gzipBytesMin);
    }
  }
  const { body } = await beginBody(slow());
  assert.ok(turns > 5, `${turns} turns`);
  const before = turns;
  await bytesOf(body);
  on = false;
  assert.ok(turns > before + 5, `${turns - before} turns`);
});

test("beginBody() encodes parts only when they are pulled", async () => {
  let made = 0;
  function* parts(): Generator<Uint8Array> {
    for (; made < 100; made++) yield new Uint8Array(chunkBytes);
  }
  const { body } = await beginBody(parts());
  assert.ok(typeof body !== "string" && !(body instanceof Uint8Array));
  await body[Symbol.asyncIterator]().next();
  assert.ok(made <= 2);
});
