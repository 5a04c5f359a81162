import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { constants, createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { test } from "node:test";
import { type Channel, type Method, openChannel } from "./grpc.ts";
import { grpcCode, GrpcError } from "./errors.ts";
import { within } from "../../test/store/helpers.ts";

const echo: Method<string, string> = {
  path: "/test/Echo",
  encode: (request) => Buffer.from(request),
  decode: (bytes) => bytes.toString(),
};

interface Server {
  readonly channel: Channel;
  readonly sessions: Set<ServerHttp2Session>;
}

/** A server that answers every stream with `answer`, and a channel to it. */
async function withServer(answer: (stream: ServerHttp2Stream) => void, use: (server: Server) => Promise<void>): Promise<void> {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {});
    session.on("close", () => sessions.delete(session));
  });
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    answer(stream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const channel = openChannel(`http://127.0.0.1:${address.port}`, { keepaliveMs: 10_000 });
  try {
    await use({ channel, sessions });
  } finally {
    channel.close();
    for (const session of sessions) session.destroy();
    server.close();
  }
}

function frame(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** Answers with these bytes, in chunks of `piece` bytes, and these trailers. */
function reply(stream: ServerHttp2Stream, bytes: Buffer, trailers: Record<string, string>, piece = bytes.length): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  for (let start = 0; start < bytes.length; start += piece) stream.write(bytes.subarray(start, start + piece));
  stream.end();
}

async function failure(act: () => Promise<unknown>): Promise<GrpcError> {
  const error = await within(act(), "a failure").then(() => assert.fail("it did not fail"), (error: unknown) => error);
  if (!(error instanceof GrpcError)) throw error;
  return error;
}

test("call() sends one framed message and returns the answer's", () =>
  withServer(async (stream) => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    assert.deepEqual(Buffer.concat(chunks), frame("héllo"));
    reply(stream, frame("wörld"), { "grpc-status": "0" }, 1);
  }, async ({ channel, sessions }) => {
    assert.equal(await channel.call(echo, "héllo", 5000), "wörld");
    assert.equal(await channel.call(echo, "héllo", 5000), "wörld");
    assert.equal(sessions.size, 1);
  }));

test("call() fails with the percent-decoded status of the trailers, or of headers without a body", () =>
  withServer((stream) => {
    stream.resume();
    stream.respond({ ":status": 200, "grpc-status": "3", "grpc-message": "too%20large%3a 100%" }, { endStream: true });
  }, async ({ channel }) => {
    const error = await failure(() => channel.call(echo, "x".repeat(5_000_000), 5000));
    assert.deepEqual([error.code, error.message, error.unsent], [3, "too%20large%3a 100%", false]);
  }).then(() =>
    withServer((stream) => reply(stream, Buffer.alloc(0), { "grpc-status": "14", "grpc-message": "no%20leader" }), async ({ channel }) => {
      const error = await failure(() => channel.call(echo, "a", 5000));
      assert.deepEqual([error.code, error.message, error.unsent], [grpcCode.unavailable, "no leader", false]);
    })
  ));

test("call() returns an answer that arrives before the whole request was sent", () =>
  withServer((stream) => reply(stream, frame("enough"), { "grpc-status": "0" }), async ({ channel }) => {
    assert.equal(await within(channel.call(echo, "x".repeat(5_000_000), 20_000), "the answer"), "enough");
    assert.equal(await within(channel.call(echo, "a", 20_000), "the next one"), "enough");
  }));

test("call() fails unless the answer is one whole uncompressed message with a status", async () => {
  const broken = [frame("a").subarray(0, 4), frame("abc").subarray(0, 7), Buffer.concat([frame("a"), frame("b")]), Buffer.alloc(0)];
  const compressed = frame("a");
  compressed[0] = 1;
  for (const bytes of [...broken, compressed]) {
    await withServer((stream) => reply(stream, bytes, { "grpc-status": "0" }), async ({ channel }) => {
      assert.equal((await failure(() => channel.call(echo, "a", 5000))).code, grpcCode.unavailable);
    });
  }
  await withServer((stream) => reply(stream, frame("a"), {}), async ({ channel }) => {
    assert.equal((await failure(() => channel.call(echo, "a", 5000))).code, grpcCode.unavailable);
  });
  await withServer((stream) => stream.respond({ ":status": 502 }, { endStream: true }), async ({ channel }) => {
    assert.match((await failure(() => channel.call(echo, "a", 5000))).message, /502/);
  });
});

test("call() distinguishes a call that the server has not processed from one that it may have", async () => {
  const unreachable = openChannel("http://127.0.0.1:1", { keepaliveMs: 10_000 });
  assert.equal((await failure(() => unreachable.call(echo, "a", 5000))).unsent, true);
  await withServer((stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM), async ({ channel }) => {
    assert.equal((await failure(() => channel.call(echo, "a", 5000))).unsent, true);
  });
  await withServer((stream) => stream.session?.destroy(), async ({ channel }) => {
    const error = await failure(() => channel.call(echo, "a", 5000));
    assert.deepEqual([error.code, error.unsent], [grpcCode.unavailable, false]);
  });
});

test("call() connects again after its connection was lost or got a GOAWAY", () =>
  withServer((stream) => reply(stream, frame("b"), { "grpc-status": "0" }), async ({ channel, sessions }) => {
    assert.equal(await channel.call(echo, "a", 5000), "b");
    for (const end of [(session: ServerHttp2Session) => session.close(), (session: ServerHttp2Session) => session.destroy()]) {
      const [session] = sessions;
      assert.ok(session !== undefined);
      const gone = once(session, "close");
      end(session);
      await within(gone, "the session to end");
      // The client may not know of the end yet: one call may fail, the next must not.
      await channel.call(echo, "a", 5000).catch(() => {});
      assert.equal(await channel.call(echo, "a", 5000), "b");
    }
  }));

test("call() rejects at its timeout and at its signal", () =>
  withServer((stream) => stream.resume(), async ({ channel }) => {
    assert.equal((await failure(() => channel.call(echo, "a", 50))).code, grpcCode.deadlineExceeded);
    const reason = new Error("enough");
    const controller = new AbortController();
    const calling = channel.call(echo, "a", 5000, controller.signal);
    controller.abort(reason);
    await assert.rejects(calling, reason);
    await assert.rejects(channel.call(echo, "a", 5000, AbortSignal.abort(reason)), reason);
  }));

test("stream() yields messages from chunks of any size, and fails when the server ends the stream", async () => {
  const texts = ["", "a", "b".repeat(300), "c".repeat(70_000), "d"];
  const bytes = Buffer.concat(texts.map(frame));
  for (const piece of [1, 4, 5, 6, 7, 1000, bytes.length]) {
    const some = piece === 1 ? Buffer.concat(texts.slice(0, 3).map(frame)) : bytes;
    await withServer((stream) => reply(stream, some, { "grpc-status": "9", "grpc-message": "enough" }, piece), async ({ channel }) => {
      const stream = await channel.stream(echo, { more: "headers" });
      const seen: string[] = [];
      const error = await failure(async () => {
        for await (const messages of stream) seen.push(...messages);
      });
      assert.deepEqual(seen, piece === 1 ? texts.slice(0, 3) : texts);
      assert.deepEqual([error.code, error.message], [9, "enough"]);
    });
  }
});

test("stream() carries messages both ways and ends quietly when it is cancelled", () =>
  withServer((stream) => {
    assert.equal(stream.sentTrailers, undefined);
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    stream.pipe(stream);
  }, async ({ channel }) => {
    const stream = await channel.stream(echo, {});
    stream.send("1");
    const seen: string[] = [];
    for await (const messages of stream) {
      seen.push(...messages);
      if (seen.length < 3) stream.send(`${seen.length + 1}`);
      else stream.cancel();
    }
    assert.deepEqual(seen, ["1", "2", "3"]);
  }));

test("a stream with one request ends with its answer, and the reader decides how much arrives", async () => {
  let ended = false;
  const piece = frame("x".repeat(1_000_000));
  await withServer((stream) => {
    stream.on("end", () => ended = true).resume();
    reply(stream, Buffer.concat(Array.from({ length: 20 }, () => piece)), { "grpc-status": "0" });
  }, async ({ channel }) => {
    const stream = await channel.stream(echo, {}, "all");
    let count = 0;
    for await (const replies of stream) count += replies.length;
    assert.deepEqual([count, ended], [20, true]);
  });
});
