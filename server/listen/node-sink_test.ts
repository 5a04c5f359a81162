// Clients receive the written bytes for all sizes of chunks, shared or queued.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { framed } from "./node-sink.ts";
import { protocols, rawConnection, readAll, textReply, withServer } from "./testing/clients.ts";
import { chunkBytes } from "../../kernel/objects/chunks.ts";

/** Sizes around the bounds of shared frames and of one write. */
const sizes = [
  1,
  0,
  chunkBytes,
  chunkBytes + 1,
  2 * chunkBytes,
  2 * chunkBytes + 1,
  0,
  17,
  5 * chunkBytes,
];
const chunks = Object.freeze(sizes.map((size, index) => new Uint8Array(size).fill(97 + index)));
const whole = Buffer.concat(chunks).toString("latin1");

/** The same chunks for every client, one in each turn of the event loop: later ones follow a sent head. */
async function* slowly(): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    yield chunk;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
const streaming = (): Promise<Reply> => Promise.resolve(textReply(slowly()));

for (const [protocol, ask] of protocols) {
  test(`chunks shared by several clients reach each of them whole and in order over ${protocol}`, () =>
    withServer(streaming, async ({ listener, ca }) => {
      const answers = await Promise.all([1, 2, 3].map(() => ask(listener, { ca })));
      for (const { body } of answers) assert.ok(body.toString("latin1") === whole);
    }));
}

test("framed() frames a shared chunk once, and keeps no more memory than its bytes", () => {
  const chunk = new Uint8Array(17).fill(97), made = framed(chunk);
  assert.equal(new TextDecoder().decode(made), `11\r\n${"a".repeat(17)}\r\n`);
  assert.equal(made.buffer.byteLength, made.length);
  assert.equal(framed(chunk), made);
});

test("streamed answers to pipelined requests are sent in order, each with its end", () => {
  const handle = ({ url }: Exchange): Promise<Reply> => url === "/stream" ? streaming() : Promise.resolve(textReply("between"));
  return withServer(handle, async ({ listener, ca }) => {
    const client = await rawConnection(listener, ca);
    const head = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
    client.write(head("/stream") + head("/") + head("/stream") + head("/stream", "connection: close\r\n"));
    let rest = await readAll(client);
    for (const wanted of [whole, "between", whole, whole]) {
      const answer = readAnswer(rest);
      assert.ok(answer.body === wanted, `${answer.body.length} bytes, not ${wanted.length}`);
      rest = answer.rest;
    }
    assert.equal(rest, "");
  });
});

test("a client of HTTP/1.0 gets chunks without their framing", () =>
  withServer(streaming, async ({ listener, ca }) => {
    const client = await rawConnection(listener, ca);
    client.write("GET / HTTP/1.0\r\nhost: x\r\n\r\n");
    const text = await readAll(client);
    assert.ok(text.slice(text.indexOf("\r\n\r\n") + 4) === whole);
  }));

/** Parses one answer of HTTP/1.1 (RFC 9112, sections 6 and 7.1), and the rest of the text. */
function readAnswer(text: string): { readonly body: string; readonly rest: string } {
  const end = text.indexOf("\r\n\r\n");
  assert.ok(text.startsWith("HTTP/1.1 200 ") && end > 0, text.slice(0, 100));
  const head = text.slice(0, end).toLowerCase();
  let at = end + 4, body = "";
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return { body: text.slice(at, at + Number(length)), rest: text.slice(at + Number(length)) };
  for (;;) {
    const line = text.indexOf("\r\n", at);
    assert.match(text.slice(at, line), /^[0-9a-f]+$/);
    const size = parseInt(text.slice(at, line), 16);
    at = line + 2;
    body += text.slice(at, at + size);
    assert.equal(text.slice(at + size, at + size + 2), "\r\n");
    at += size + 2;
    if (size === 0) return { body, rest: text.slice(at) };
  }
}
