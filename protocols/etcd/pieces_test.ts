// The answers of servers that have RangeStream, that do not, and that stop in the middle.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import { test } from "node:test";
import { GrpcError } from "../grpc/errors.ts";
import { frameMessage } from "../grpc/messages.ts";
import { connect, type Connection } from "./connection.ts";
import { type RangeReply, rangeStream } from "./messages.ts";

const request = { from: Uint8Array.of(97), to: Uint8Array.of(98), at: 7 };
/** A RangeStreamResponse with one key, and with a count and a revision if it is the last. */
const piece = (key: number, isLast = false): Buffer => {
  const kv = [0x0a, 1, key, 0x18, 5], header = isLast ? [0x0a, 2, 0x18, 7] : [], count = isLast ? [0x20, 2] : [];
  const range = [...header, 0x12, kv.length, ...kv, ...count];
  return frameMessage(Uint8Array.of(0x0a, range.length, ...range));
};

async function withServer(
  answer: (stream: ServerHttp2Stream) => void,
  use: (connection: Connection, asked: () => number) => Promise<void>,
  timeoutMs = 60_000,
): Promise<void> {
  const server = createServer(), sessions = new Set<{ destroy(): void }>();
  let asked = 0;
  server.on("session", (session) => sessions.add(session.on("error", () => {})));
  server.on("stream", (stream: ServerHttp2Stream) => {
    asked++;
    stream.on("error", () => {});
    answer(stream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number }; // it listens on a port
  const connection = connect({ endpoints: [`http://127.0.0.1:${port}`], timeoutMs });
  try {
    await use(connection, () => asked);
  } finally {
    await connection.close();
    for (const session of sessions) session.destroy();
    server.close();
  }
}

function answered(stream: ServerHttp2Stream, pieces: readonly Buffer[], code: string): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": code, "grpc-message": code === "0" ? "" : "no" }));
  for (const each of pieces) stream.write(each);
  stream.end();
}

async function keysOf(pieces: AsyncIterable<readonly RangeReply[]> | undefined, keys: number[] = []): Promise<readonly number[]> {
  for await (const replies of pieces ?? []) for (const { entries } of replies) keys.push(...entries.map(({ key }) => key[0]!));
  return keys;
}
const { signal } = new AbortController();

test("pieces() resolves with the pieces of an answer, in order", async () => {
  await withServer((stream) => answered(stream, [piece(1), piece(2, true)], "0"), async (connection) => {
    assert.deepEqual(await keysOf(await connection.pieces(rangeStream, request, signal)), [1, 2]);
  });
});

test("pieces() of a server without the method resolves with undefined, and the server is asked once", async () => {
  await withServer((stream) => answered(stream, [], "12"), async (connection, asked) => {
    for (let i = 0; i < 2; i++) assert.equal(await connection.pieces(rangeStream, request, signal), undefined);
    assert.equal(asked(), 1);
  });
});

test("pieces() rejects with another error, and its answer with one in the middle", async () => {
  await withServer((stream) => answered(stream, [], "11"), async (connection) => {
    await assert.rejects(connection.pieces(rangeStream, request, signal), (error) => error instanceof GrpcError && error.code === 11);
  });
  await withServer((stream) => answered(stream, [piece(1)], "11"), async (connection) => {
    const keys: number[] = [], pieces = await connection.pieces(rangeStream, request, signal);
    await assert.rejects(keysOf(pieces, keys), (error) => error instanceof GrpcError && error.code === 11);
    assert.deepEqual(keys, [1]);
  });
});

test("pieces() of a server that stops in the middle end at their time, or with their reader's signal", async () => {
  const closed: Promise<unknown>[] = [];
  const stops = (stream: ServerHttp2Stream) => {
    closed.push(once(stream, "close"));
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    stream.write(piece(1));
  };
  await withServer(stops, async (connection) => {
    const read = async () => await keysOf(await connection.pieces(rangeStream, request, signal));
    await assert.rejects(read(), /No answer within 200 ms/);
  }, 200);
  await withServer(stops, async (connection) => {
    const leaving = new AbortController(), reading = keysOf(await connection.pieces(rangeStream, request, leaving.signal));
    leaving.abort(new Error("left"));
    await assert.rejects(reading, /left/);
    await Promise.all(closed);
  });
});
