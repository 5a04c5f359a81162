// Clients that send endless bodies: the server reads a bounded part, and they get their answer.
// In a process of its own: it measures memory.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import process from "node:process";
import type { Duplex, Readable } from "node:stream";
import { test } from "node:test";
import { StatusError } from "../../core/status-error.ts";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { readBody } from "./body.ts";
import type { Input } from "./input.ts";
import { http2Session, rawConnection, readAll, textReply, withServer } from "./testing/clients.ts";
import { bodyBytesMax } from "../../kernel/request-context.ts";
import { headersMax } from "../../protocols/http2/client/hpack.ts";
import { discardBytesMax } from "./bounds.ts";

const timeout = 120_000;
const mebibyte = 1024 * 1024;
/** Maximum bytes in the buffers of sockets in between. */
const slackBytes = 16 * mebibyte;
/** Bytes after which the test fails: the server has no bound. */
const capBytes = 128 * mebibyte;

/** Handlers that do not read a body, or reject it. */
const handlers: readonly (readonly [what: string, handle: (exchange: Exchange) => Promise<Reply>])[] = [
  ["is never read", () => Promise.resolve(textReply("not read"))],
  ["is too large", async (exchange) => {
    try {
      return textReply(`${(await exchange.body(bodyBytesMax)).length} bytes`);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { ...textReply(error.message), status: error.code };
    }
  }],
];

interface Sent {
  /** Whether the server ended the stream. */
  readonly ended: boolean;
  readonly answer: string;
  readonly bytes: number;
}
/** Sends `unit` repeatedly until the server ends the stream or the cap is reached. */
async function sendEndlessly(stream: Duplex, unit: Uint8Array): Promise<Sent> {
  let answer = "", ended = false, bytes = 0;
  stream.on("data", (chunk: Buffer) => answer += chunk.toString("latin1"));
  const end = new Promise<void>((resolve) => {
    // Deno's HTTP/2 client emits "aborted" instead of "close" when it must stop sending.
    for (const event of ["close", "error", "aborted"]) stream.once(event, () => resolve());
  }).then(() => void (ended = true));
  for (; !ended && bytes < capBytes; bytes += unit.length) {
    // A broken stream does not emit "drain".
    if (!stream.write(unit)) await Promise.race([end, once(stream, "drain").catch(() => {})]);
  }
  if (!ended) stream.destroy();
  else await end;
  return { ended, answer, bytes };
}

const host = "host: x\r\n";
const content = new Uint8Array(64 * 1024).fill(97);
const chunk = Buffer.concat([Buffer.from("10000\r\n"), content, Buffer.from("\r\n")]);
const manyHeaders = Array.from({ length: 3 * headersMax }, (_, index) => `x-${index}: y\r\n`).join("");

for (const [what, handle] of handlers) {
  for (
    const [how, head, unit] of [
      ["of a length", "content-length: 99999999999\r\n", content],
      ["in chunks", "transfer-encoding: chunked\r\n", chunk],
    ] as const
  ) {
    test(
      `an HTTP/1.1 body ${how} that ${what} is cut at its bound, and answered`,
      { timeout },
      () =>
        withServer(handle, async ({ listener, ca }) => {
          const client = await rawConnection(listener, ca);
          client.write(`POST / HTTP/1.1\r\n${host}${head}\r\n`);
          const { ended, answer, bytes } = await sendEndlessly(client, unit);
          assert.ok(ended);
          assert.match(answer, /^HTTP\/1\.1 (200|413) /);
          assert.ok(bytes < bodyBytesMax + discardBytesMax + slackBytes, `${bytes} bytes`);
        }),
    );
  }

  test(
    `an HTTP/2 body that ${what} is cut at its bound, and answered`,
    { timeout },
    () =>
      withServer(handle, async ({ listener, ca }) => {
        const session = await http2Session(listener, { ca });
        const stream = session.request({ ":method": "POST", ":path": "/" }, { endStream: false });
        let status = 0;
        stream.on("response", (headers) => status = Number(headers[":status"]));
        const { ended, bytes } = await sendEndlessly(stream, content);
        assert.ok(ended);
        assert.ok([200, 413].includes(status), String(status));
        assert.ok(bytes < bodyBytesMax + discardBytesMax + slackBytes, `${bytes} bytes`);
        session.destroy();
      }),
  );
}

const neverEnding: readonly (readonly [what: string, head: string, unit: string | Uint8Array, answer: RegExp])[] = [
  [
    "a body behind too many headers",
    `POST / HTTP/1.1\r\n${host}${manyHeaders}content-length: 99999999999\r\n\r\n`,
    content,
    /^HTTP\/1\.1 431 /,
  ],
  [
    "chunks behind too many headers",
    `POST / HTTP/1.1\r\n${host}${manyHeaders}transfer-encoding: chunked\r\n\r\n`,
    chunk,
    /^HTTP\/1\.1 431 /,
  ],
  ["a head", `GET / HTTP/1.1\r\n${host}`, "x: y\r\n".repeat(10_000), /^HTTP\/1\.1 431 /],
  ["a header", `GET / HTTP/1.1\r\n${host}x: `, content, /^HTTP\/1\.1 431 /],
  ["a target", "GET /", content, /^HTTP\/1\.1 431 /],
  ["a method", "A", content, /^HTTP\/1\.1 405 /],
  ["a body behind an unknown method", `FOO / HTTP/1.1\r\n${host}content-length: 99999999999\r\n\r\n`, content, /^HTTP\/1\.1 200 /],
  [
    "a body behind an unknown expectation",
    `POST / HTTP/1.1\r\n${host}expect: magic\r\ncontent-length: 99999999999\r\n\r\n`,
    content,
    /^HTTP\/1\.1 417 /,
  ],
  // Closed while the client still sends: it may lose the answer.
  ["bytes of another protocol", `GET / HTTP/1.1\r\n${host}connection: upgrade\r\nupgrade: x\r\n\r\n`, content, /^/],
  // These follow a request in progress, or are part of its body: they end the connection.
  ["a chunk extension", `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n5;`, content, /^/],
  ["extensions of many chunks", `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n`, `1;${"a".repeat(8_000)}\r\nx\r\n`, /^/],
  ["a chunk size", `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n`, "0".repeat(65_536), /^/],
  ["trailers", `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n0\r\n`, "x: y\r\n".repeat(10_000), /^/],
  ["a trailer", `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n0\r\nx: `, content, /^/],
];
for (const [what, head, unit, expected] of neverEnding) {
  for (const [how, handle] of handlers) {
    test(
      `an HTTP/1.1 client that sends ${what} without end loses its connection, where a body ${how}`,
      { timeout },
      () =>
        withServer(handle, async ({ listener, ca }) => {
          const client = await rawConnection(listener, ca);
          client.write(head);
          const { ended, answer, bytes } = await sendEndlessly(client, Buffer.from(unit));
          assert.ok(ended);
          assert.match(answer, expected);
          assert.ok(bytes < discardBytesMax + slackBytes, `${bytes} bytes`);
        }),
    );
  }
}

test(
  "a body in chunks of one byte is received whole",
  { timeout },
  () =>
    withServer(async (exchange) => textReply(await exchange.body(bodyBytesMax)), async ({ listener, ca }) => {
      const text = "0123456789".repeat(10_000);
      const client = await rawConnection(listener, ca);
      client.write(`POST / HTTP/1.1\r\n${host}connection: close\r\ntransfer-encoding: chunked\r\n\r\n`);
      client.write([...text].map((byte) => `1\r\n${byte}\r\n`).join("") + "0\r\n\r\n");
      assert.equal((await readAll(client)).split("\r\n\r\n")[1], text);
    }),
);

test("readBody() keeps little more than the body, for pieces of any size", async () => {
  const source = new EventEmitter();
  const input: Input = { received: () => 0, watch: () => () => {}, piece() {}, gate() {}, hold() {}, release() {}, stop() {} };
  const body = { source: source as unknown as Readable, input, taken: 0, discarded: false };
  const read = readBody(body, undefined, mebibyte);
  const before = memory();
  const pieces = [1, 1, 2, 3, 5_000, 1, 16_384, 4_095, 4_096, 4_097, 16_383, 1];
  const wanted: Buffer[] = [];
  const emit = (size: number, keep: boolean): void => {
    const piece = Buffer.alloc(size, size + wanted.length);
    if (keep) wanted.push(piece);
    source.emit("data", piece);
  };
  for (const size of pieces) emit(size, true);
  while (body.taken < mebibyte) emit(1, false);
  assert.ok(memory() - before < 48 * mebibyte);
  source.emit("end");
  const whole = Buffer.from(await read);
  assert.equal(whole.length, mebibyte);
  assert.ok(whole.subarray(0, Buffer.concat(wanted).length).equals(Buffer.concat(wanted)));
});

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
