// The life of an HTTP/2 connection, seen by a client frame by frame.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { errorCode, flag, frameBytesMax, frameType, streamIdMax, uint32Bytes } from "../../../protocols/http2/frames.ts";
import { Slabs } from "../../../protocols/http2/frame-writer.ts";
import { preface, setting, settingsPayload } from "../../../protocols/http2/settings.ts";
import type { Exchange, Reply } from "../../../kernel/request/exchange.ts";
import { signalled, textReply, withServer } from "../testing/clients.ts";
import { StepScheduler } from "../step-scheduler.ts";
import { ServerSession } from "./session.ts";
import { frame, type FramesClient, framesClient, headers, request } from "../testing/frames-client.ts";
import { http2ConnectionWindowBytes, http2HeaderTableBytes } from "./bounds.ts";
import { bodyBytesMax } from "../../../kernel/request-context.ts";
import { http2StreamWindowBytes } from "./stream.ts";
import { headerBytesMax } from "../../../kernel/access/authentication/token-chain.ts";

const timeout = 60_000;
const { data, headers: head, reset, settings, ping, goAway, windowUpdate } = frameType;

/** The last streams of the GOAWAY frames so far. */
const lastStreams = (client: FramesClient): number[] =>
  client.received.filter(({ type }) => type === goAway).map(({ payload }) => payload.readUInt32BE(0));

test(
  "Listener.close() sends GOAWAY without a bound, then with the last accepted stream, and answers requests in between",
  { timeout },
  () => {
    const begun = signalled(), go = signalled();
    const handle = async ({ url }: Exchange): Promise<Reply> => {
      if (url !== "/wait") return textReply("on its way");
      begun.done();
      await go.promise;
      return textReply("in progress");
    };
    return withServer(handle, async ({ listener }) => {
      const client = await framesClient(listener);
      client.send(headers(1, request({ ":path": "/wait" })));
      await begun.promise;
      const closed = listener.close(600_000);
      const asked = await client.next(({ type, flags }) => type === ping && flags === 0);
      assert.deepEqual(lastStreams(client), [streamIdMax]);
      client.send(headers(3));
      assert.equal(await client.body(3), "on its way");
      client.send(frame(ping, flag.ack, 0, asked!.payload));
      await client.next(({ type, payload }) => type === goAway && payload.readUInt32BE(0) !== streamIdMax);
      assert.deepEqual(lastStreams(client), [streamIdMax, 3]);
      client.send(headers(5));
      go.done();
      assert.equal(await client.body(1), "in progress");
      await Promise.all([client.closed, closed]);
      assert.deepEqual(client.received.filter(({ stream }) => stream === 5), [], "the client sends it again elsewhere");
    });
  },
);

test("frames of a request that GOAWAY left out are ignored, and the requests in progress are answered", { timeout }, () => {
  const begun = signalled(), go = signalled();
  const handle = async (): Promise<Reply> => {
    begun.done();
    await go.promise;
    return textReply("in progress");
  };
  return withServer(handle, async ({ listener }) => {
    const client = await framesClient(listener);
    client.send(headers(1));
    await begun.promise;
    const closed = listener.close(600_000);
    const asked = await client.next(({ type, flags }) => type === ping && flags === 0);
    client.send(frame(ping, flag.ack, 0, asked!.payload));
    await client.next(({ type, payload }) => type === goAway && payload.readUInt32BE(0) === 1);
    const upload = [headers(3, request({ ":method": "POST" }), 0), frame(data, 0, 3, "a"), frame(windowUpdate, 0, 3, uint32Bytes(1))];
    client.send(...upload, frame(reset, 0, 3, uint32Bytes(errorCode.cancel)), frame(ping, 0, 0, "12345678"));
    await client.next(({ type, flags }) => type === ping && flags === flag.ack);
    go.done();
    assert.equal(await client.body(1), "in progress");
    await Promise.all([client.closed, closed]);
    assert.deepEqual(lastStreams(client), [streamIdMax, 1]);
  });
});

test(
  "the first head after a smaller SETTINGS_HEADER_TABLE_SIZE begins with an update of the table, also for a client that checks it",
  { timeout },
  () =>
    withServer(() => Promise.resolve(textReply("here")), async ({ listener, ca }) => {
      const client = await framesClient(listener);
      const sizes = (...bytes: number[]): Buffer =>
        frame(settings, 0, 0, settingsPayload(bytes.map((size) => [setting.headerTableSize, size] as const)));
      const firstByte = async (stream: number): Promise<number | undefined> =>
        (await client.next(({ type, stream: id }) => type === head && id === stream))?.payload[0];
      client.send(sizes(65_536), headers(1));
      assert.equal(await firstByte(1), 0x88);
      client.send(sizes(0, 65_536), headers(3));
      assert.equal(await firstByte(3), 0x20);
      client.send(sizes(4096), sizes(100), headers(5));
      assert.equal(await firstByte(5), 0x88);
      client.socket.destroy();

      const session = connect(`https://127.0.0.1:${listener.port}`, { ca: ca.cert, settings: { headerTableSize: 0 } });
      const stream = session.request({ ":path": "/" });
      stream.setEncoding("utf8");
      let text = "";
      for await (const piece of stream) text += piece;
      assert.equal(text, "here");
      session.destroy();
    }),
);

test("bytes of bodies that are longer than announced do not use up the window of the connection", { timeout }, () => {
  const full = new Uint8Array(frameBytesMax), mistakes = http2ConnectionWindowBytes / frameBytesMax;
  const handle = async (exchange: Exchange): Promise<Reply> =>
    textReply(`${await Promise.resolve(exchange.body(bodyBytesMax)).then(({ length }) => length, () => -1)} bytes`);
  return withServer(handle, async ({ listener }) => {
    const client = await framesClient(listener);
    for (let at = 0; at < mistakes; at++) {
      client.send(headers(2 * at + 1, request({ ":method": "POST", "content-length": "1" }), 0), frame(data, 0, 2 * at + 1, full));
    }
    const last = 2 * mistakes + 1;
    client.send(headers(last, request({ ":method": "POST" }), 0), frame(data, flag.endStream, last, full));
    assert.deepEqual(await client.outcome(last), { status: "200" });
    client.socket.destroy();
  });
});

test("a connection whose client leaves ends with its last answer", { timeout }, () => {
  const begun = signalled(), go = signalled();
  const handle = async (): Promise<Reply> => {
    begun.done();
    await go.promise;
    return textReply("here");
  };
  return withServer(handle, async ({ listener }) => {
    const client = await framesClient(listener);
    client.send(headers(1), frame(goAway, 0, 0, new Uint8Array(8)));
    await begun.promise;
    go.done();
    assert.equal(await client.body(1), "here");
    await client.closed;
  });
});

test(
  "SETTINGS and PING are acknowledged, and the listener's own settings bound a client",
  { timeout },
  () =>
    withServer(() => Promise.resolve(textReply("here")), async ({ listener }) => {
      const client = await framesClient(listener);
      client.send(frame(ping, 0, 0, "12345678"));
      const [first] = [await client.next(() => true)];
      assert.equal(first?.type, settings);
      const values = Array.from(
        { length: first.payload.length / 6 },
        (_, at) => [first.payload.readUInt16BE(6 * at), first.payload.readUInt32BE(6 * at + 2)],
      );
      assert.deepEqual(Object.fromEntries(values), {
        1: http2HeaderTableBytes,
        3: 7,
        4: http2StreamWindowBytes,
        6: headerBytesMax,
      });
      assert.equal((await client.next(({ type, flags }) => type === ping && flags === flag.ack))?.payload.toString(), "12345678");
      assert.equal(client.received.some(({ type, flags }) => type === settings && flags === flag.ack), true);
      client.socket.destroy();
    }, { http2: { streamsMax: 7 } }),
);

test(
  "a larger initial window is acknowledged before its data: until then a client may count with the smaller one",
  { timeout },
  () =>
    withServer(() => Promise.resolve(textReply("here")), async ({ listener }) => {
      const client = await framesClient(listener);
      const window = (bytes: number): Buffer => frame(settings, 0, 0, settingsPayload([[setting.initialWindowSize, bytes]]));
      client.send(window(0), headers(1));
      await client.next(({ type }) => type === head);
      client.send(window(3));
      const first = await client.next(({ type }) => type === data);
      assert.equal(first?.payload.toString(), "her");
      const before = client.received.slice(0, client.received.indexOf(first)).filter(({ type, flags }) =>
        type === settings && flags === flag.ack
      );
      assert.equal(before.length, 3);
      client.socket.destroy();
    }),
);

test("a stream beyond the maximum is refused, and can be sent again later", { timeout }, () => {
  const go = signalled();
  const handle = async (): Promise<Reply> => {
    await go.promise;
    return textReply("here");
  };
  return withServer(handle, async ({ listener }) => {
    const client = await framesClient(listener);
    client.send(headers(1), headers(3), headers(5));
    assert.deepEqual(await client.outcome(5), { reset: errorCode.refusedStream });
    go.done();
    assert.equal(await client.body(3), "here");
    client.send(headers(7));
    assert.equal(await client.body(7), "here");
    client.socket.destroy();
  }, { http2: { streamsMax: 2 } });
});

test(
  "an answer before the end of its request is followed by RST_STREAM with NO_ERROR, and data in flight is ignored",
  { timeout },
  () =>
    withServer(() => Promise.resolve(textReply("early")), async ({ listener }) => {
      const client = await framesClient(listener);
      client.send(headers(1, request({ ":method": "POST" }), 0));
      assert.equal(await client.body(1), "early");
      assert.equal((await client.next(({ type }) => type === reset))?.payload.readUInt32BE(0), errorCode.none);
      client.send(frame(data, 0, 1, "late"), frame(data, flag.endStream, 1, "later"), headers(3));
      assert.equal(await client.body(3), "early");
      assert.equal(client.received.filter(({ type }) => type === reset || type === goAway).length, 1);
      client.socket.destroy();
    }),
);

test(
  "a client that waits for 100 Continue gets it before the answer",
  { timeout },
  () =>
    withServer(async (exchange) => textReply(`${(await exchange.body(100)).length} bytes`), async ({ listener }) => {
      const client = await framesClient(listener);
      client.send(headers(1, request({ ":method": "POST", expect: "100-continue" }), 0));
      const informed = await client.next(({ type }) => type === head);
      assert.equal(informed && client.headersOf(informed)[":status"], "100");
      client.send(frame(data, flag.endStream, 1, "abc"));
      assert.equal(await client.body(1), "3 bytes");
      client.socket.destroy();
    }),
);

test("HEAD, 204 and 304 have no body, and large heads are continued", { timeout }, () => {
  const large = "x".repeat(40_000);
  const handle = async ({ url }: Exchange): Promise<Reply> => ({ ...textReply("body", { large }), status: Number(url.slice(1)) });
  return withServer(handle, async ({ listener }) => {
    const client = await framesClient(listener);
    const rows = [["HEAD", "200", "4"], ["GET", "204", undefined], ["GET", "304", undefined]] as const;
    for (const [at, [method, status, length]] of rows.entries()) {
      const stream = 2 * at + 1;
      client.send(headers(stream, request({ ":method": method, ":path": `/${status}` })));
      const last = await client.next(({ type, flags, stream: id }) =>
        type === frameType.continuation && flags === flag.endHeaders && id === stream
      );
      const frames = client.received.filter(({ stream: id }) => id === stream);
      assert.equal(frames.at(-1), last, "nothing follows the head");
      assert.equal(frames[0]!.flags, flag.endStream);
      const fields = client.headersOf({ ...frames[0]!, payload: Buffer.concat(frames.map(({ payload }) => payload)) });
      assert.deepEqual([fields[":status"], fields["content-length"], fields["large"]], [status, length, large]);
    }
    client.socket.destroy();
  });
});

test(
  "a response with a line end in a header is reported and reset",
  { timeout },
  () =>
    withServer(() => Promise.resolve(textReply("body", { a: "b\r\nc" })), async ({ listener, reported }) => {
      const client = await framesClient(listener);
      client.send(headers(1));
      assert.deepEqual(await client.outcome(1), { reset: errorCode.internal });
      assert.match(String(reported[0]), /header a of a response has an invalid value/);
      client.socket.destroy();
    }),
);

test("what fails in the server itself ends the connection with GOAWAY, and is reported", { timeout }, async () => {
  const written: Buffer[] = [], reported: unknown[] = [];
  const socket = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk);
      done();
    },
  });
  const nothing = () => {};
  new ServerSession({
    socket: socket as Socket, // of which the session uses what a Duplex has
    input: { hold: nothing, release: nothing, stop: nothing, piece: nothing },
    turns: new StepScheduler(),
    slabs: new Slabs(),
    streamsMax: 1,
    onRequest: () => {
      throw new Error("a bug");
    },
    onTooLargeHead: nothing,
    report: (error) => reported.push(error),
  });
  const ended = once(socket, "finish");
  socket.push(Buffer.concat([Buffer.from(preface), frame(settings, 0, 0, ""), headers(1)]));
  await ended;
  assert.match(String(reported), /a bug/);
  const last = Buffer.concat(written).subarray(-17);
  assert.deepEqual([last[3], last.readUInt32BE(13)], [goAway, errorCode.internal]);
});
