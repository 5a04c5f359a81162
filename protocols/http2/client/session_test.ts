import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { within } from "../../../test/store/helpers.ts";
import { flag, frameType, readFrames } from "../frames.ts";
import { headerBlock } from "./hpack.ts";
import { ClientSession, etcdIdleFramesMax, type Session, type StreamEvents } from "./session.ts";

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The server's end of a session, frame by frame. */
interface Peer {
  readonly socket: Socket;
  send(type: number, flags: number, stream: number, payload?: Buffer): void;
  /** The next frame of a type. */
  next(type: number): Promise<Frame>;
}

interface Ends {
  readonly peer: Peer;
  readonly session: Session;
  readonly opened: Promise<void>;
  readonly ended: Promise<unknown>;
}

const prefaceBytes = 24;
const ok = headerBlock([[":status", "200"]]);
const block = headerBlock([[":method", "POST"]]);
const settings = (...pairs: readonly (readonly [number, number])[]): Buffer => {
  const bytes = Buffer.alloc(pairs.length * 6);
  pairs.forEach(([which, value], at) => bytes.writeUInt32BE(value, bytes.writeUInt16BE(which, at * 6)));
  return bytes;
};
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

function peerOf(socket: Socket): Peer {
  const come: Frame[] = [];
  let news = Promise.withResolvers<void>();
  let skip = prefaceBytes;
  const read = readFrames((type, flags, stream, payload) => {
    come.push({ type, flags, stream, payload });
    news.resolve();
    news = Promise.withResolvers();
  });
  socket.on("data", (chunk: Buffer) => {
    const skipped = Math.min(skip, chunk.length);
    skip -= skipped;
    read(chunk.subarray(skipped));
  });
  socket.on("error", () => {});
  return {
    socket,
    send(type, flags, stream, payload = Buffer.alloc(0)) {
      const head = Buffer.alloc(9);
      head.writeUIntBE(payload.length, 0, 3);
      head[3] = type;
      head[4] = flags;
      head.writeUInt32BE(stream, 5);
      socket.write(Buffer.concat([head, payload]));
    },
    async next(type) {
      for (;;) {
        const at = come.findIndex((frame) => frame.type === type);
        if (at >= 0) return come.splice(at, 1)[0]!;
        await within(news.promise, `a frame of type ${type}`);
      }
    },
  };
}

/** A session and its peer, which has sent its settings unless the test does. */
async function withSession(
  use: (ends: Ends) => Promise<void>,
  more: { first?: Buffer | "nothing"; firstStream?: number } = {},
): Promise<void> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const opened = Promise.withResolvers<void>(), ended = Promise.withResolvers<unknown>();
  const session = new ClientSession(connect(address.port, "127.0.0.1"), {
    onOpen: opened.resolve,
    onEnd: ended.resolve,
    ...(more.firstStream === undefined ? {} : { firstStream: more.firstStream }),
  });
  const peer = peerOf((await accepted)[0]);
  try {
    if (more.first !== "nothing") {
      peer.send(frameType.settings, 0, 0, more.first);
      await within(opened.promise, "the session");
    }
    await use({ peer, session, opened: opened.promise, ended: ended.promise });
  } finally {
    session.destroy("the test is over");
    peer.socket.destroy();
    server.close();
  }
}

/** Records the events of a stream. */
function listener() {
  const end = Promise.withResolvers<Parameters<StreamEvents["end"]>[0]>();
  const heads: string[] = [];
  const chunks: Buffer[] = [];
  const events: StreamEvents = {
    headers: (headers) => void heads.push([...headers].map((field) => field.join("=")).join()),
    data: (chunk) => void chunks.push(chunk),
    end: end.resolve,
  };
  return { events, heads, text: () => Buffer.concat(chunks).toString(), end: () => within(end.promise, "the end of a stream") };
}

test("a session sends its settings first, acknowledges the server's and answers its pings", () =>
  withSession(async ({ peer, session }) => {
    const { payload } = await peer.next(frameType.settings);
    assert.deepEqual(payload, settings([1, 0], [2, 0], [4, 8 * 1024 * 1024]));
    assert.equal((await peer.next(frameType.windowUpdate)).stream, 0);
    assert.equal((await peer.next(frameType.settings)).flags, flag.ack);
    peer.send(frameType.ping, 0, 0, Buffer.from("12345678"));
    const pong = await peer.next(frameType.ping);
    assert.deepEqual([pong.flags, pong.payload.toString()], [flag.ack, "12345678"]);
    const answered = new Promise<void>((resolve) => session.ping(resolve));
    peer.send(frameType.ping, flag.ack, 0, (await peer.next(frameType.ping)).payload);
    await within(answered, "the answer to our ping");
  }));

test("a stream receives fragmented headers, padded data and trailers, between frames of other streams", () =>
  withSession(async ({ peer, session }) => {
    const recorded = listener();
    session.open(block, Buffer.from("ask"), recorded.events);
    assert.equal((await peer.next(frameType.headers)).stream, 1);
    const request = await peer.next(frameType.data);
    assert.deepEqual([request.flags, request.payload.toString()], [flag.endStream, "ask"]);
    const priority = Buffer.alloc(5), padding = Buffer.alloc(3);
    peer.send(frameType.headers, flag.padded | flag.priority, 1, Buffer.concat([Buffer.of(3), priority, ok.subarray(0, 4), padding]));
    peer.send(frameType.continuation, 0, 1, ok.subarray(4, 5));
    peer.send(frameType.continuation, flag.endHeaders, 1, ok.subarray(5));
    peer.send(99, 0, 1, Buffer.from("unknown frame"));
    peer.send(frameType.data, flag.padded, 1, Buffer.concat([Buffer.of(3), Buffer.from("ans"), padding]));
    peer.send(frameType.data, 0, 1, Buffer.from("wer"));
    peer.send(frameType.headers, flag.endHeaders | flag.endStream, 1, headerBlock([["grpc-status", "0"]]));
    assert.equal(await recorded.end(), undefined);
    assert.deepEqual([recorded.heads, recorded.text()], [[":status=200", "grpc-status=0"], "answer"]);
    assert.equal(session.streams, 0);
  }));

test("data waits for the server's flow-control windows: of the stream, of the connection and by settings", () =>
  withSession(async ({ peer, session }) => {
    const stream = session.open(block, undefined, listener().events);
    stream.send(Buffer.from("0123456789"));
    assert.equal((await peer.next(frameType.data)).payload.toString(), "0123");
    peer.send(frameType.windowUpdate, 0, 1, number(2));
    assert.equal((await peer.next(frameType.data)).payload.toString(), "45");
    // Two more than before for every stream.
    peer.send(frameType.settings, 0, 0, settings([4, 6]));
    assert.equal((await peer.next(frameType.data)).payload.toString(), "67");
    peer.send(frameType.settings, 0, 0, settings([4, 0]));
    peer.send(frameType.windowUpdate, 0, 1, number(6));
    peer.send(frameType.windowUpdate, 0, 1, number(1));
    assert.equal((await peer.next(frameType.data)).payload.toString(), "8");
    peer.send(frameType.windowUpdate, 0, 1, number(0x7ffffffe));
    assert.equal((await peer.next(frameType.data)).payload.toString(), "9");
    // Ten of the connection's 65,535 bytes are used; the rest of a large message waits for more.
    stream.send(Buffer.alloc(70_000));
    for (let left = 65_525; left > 0;) left -= (await peer.next(frameType.data)).payload.length;
    peer.send(frameType.windowUpdate, 0, 0, number(10_000));
    assert.equal((await peer.next(frameType.data)).payload.length, 4_475);
  }, { first: settings([4, 4]) }));

test("streams beyond the server's limit wait, and have sent nothing if the session ends before", () =>
  withSession(async ({ peer, session, ended }) => {
    const [first, second, third, fourth] = [listener(), listener(), listener(), listener()];
    session.open(block, Buffer.from("1"), first.events);
    session.open(block, Buffer.from("2"), second.events);
    session.open(block, Buffer.from("3"), third.events).cancel();
    session.open(block, undefined, fourth.events).send(Buffer.from("4"));
    assert.equal(session.streams, 3);
    assert.equal((await peer.next(frameType.data)).payload.toString(), "1");
    peer.send(frameType.headers, flag.endHeaders | flag.endStream, 1, ok);
    assert.equal(await first.end(), undefined);
    const next = await peer.next(frameType.data);
    assert.deepEqual([next.stream, next.payload.toString()], [3, "2"]);
    peer.socket.destroy();
    await within(ended, "the end of the session");
    assert.equal((await second.end())?.unsent, false);
    assert.equal((await fourth.end())?.unsent, true);
    assert.deepEqual(third.heads, []);
  }, { first: settings([3, 1]) }));

test("waiting streams begin when the server allows more, with the identifiers reserved for them", () =>
  withSession(async ({ peer, session }) => {
    const recorded = [listener(), listener(), listener()];
    for (const { events } of recorded) session.open(block, Buffer.from("ask"), events);
    // The third has the last identifier.
    assert.equal(session.usable, false);
    assert.equal((await peer.next(frameType.headers)).stream, 0x7ffffffb);
    peer.send(frameType.settings, 0, 0, settings([3, 2]));
    assert.equal((await peer.next(frameType.headers)).stream, 0x7ffffffd);
    peer.send(frameType.headers, flag.endHeaders | flag.endStream, 0x7ffffffb, ok);
    assert.equal((await peer.next(frameType.headers)).stream, 0x7fffffff);
    for (const stream of [0x7ffffffd, 0x7fffffff]) peer.send(frameType.headers, flag.endHeaders | flag.endStream, stream, ok);
    for (const { end } of recorded) assert.equal(await end(), undefined);
  }, { first: settings([3, 1]), firstStream: 0x7ffffffb }));

test("after a GOAWAY streams above the last identifier are unsent, and the others end", () =>
  withSession(async ({ peer, session, ended }) => {
    const first = listener(), second = listener();
    session.open(block, Buffer.from("1"), first.events);
    session.open(block, Buffer.from("2"), second.events);
    await peer.next(frameType.headers);
    peer.send(frameType.goAway, 0, 0, Buffer.concat([number(1), number(0)]));
    assert.equal((await second.end())?.unsent, true);
    assert.equal(session.usable, false);
    assert.throws(() => session.open(block, undefined, first.events));
    peer.send(frameType.headers, flag.endHeaders | flag.endStream, 1, ok);
    assert.equal(await first.end(), undefined);
    await within(ended, "the end of the session");
  }));

test("a session without free stream identifiers opens no more streams, and ends with the last one", () =>
  withSession(async ({ peer, session, ended }) => {
    const recorded = listener();
    assert.equal(session.usable, true);
    session.open(block, Buffer.from("1"), recorded.events);
    assert.equal(session.usable, false);
    assert.equal((await peer.next(frameType.headers)).stream, 0x7fffffff);
    peer.send(frameType.headers, flag.endHeaders | flag.endStream, 0x7fffffff, ok);
    assert.equal(await recorded.end(), undefined);
    await within(ended, "the end of the session");
  }, { firstStream: 0x7fffffff }));

test("a cancelled stream gets no more events, and its data in flight is dropped", () =>
  withSession(async ({ peer, session }) => {
    const gone = listener(), stays = listener();
    const stream = session.open(block, Buffer.from("1"), gone.events);
    session.open(block, Buffer.from("2"), stays.events);
    stream.cancel();
    const reset = await peer.next(frameType.reset);
    assert.deepEqual([reset.stream, reset.payload], [1, number(8)]);
    peer.send(frameType.headers, flag.endHeaders, 1, ok);
    peer.send(frameType.data, 0, 1, Buffer.from("late"));
    peer.send(frameType.reset, 0, 1, number(8));
    peer.send(frameType.windowUpdate, 0, 1, number(1));
    peer.send(frameType.headers, flag.endHeaders | flag.endStream, 3, ok);
    assert.equal(await stays.end(), undefined);
    assert.deepEqual([gone.heads, gone.text()], [[], ""]);
  }));

test("the windows of stream and connection grow by the processed bytes, and the server must not exceed them", () =>
  withSession(async ({ peer, session, ended }) => {
    await peer.next(frameType.windowUpdate);
    const slow = listener();
    const stream = session.open(block, undefined, slow.events);
    const piece = Buffer.alloc(16_384), pieces = 8 * 1024 * 1024 / piece.length;
    for (let sent = 0; sent < pieces; sent++) peer.send(frameType.data, 0, 1, piece);
    peer.send(frameType.ping, 0, 0, Buffer.alloc(8));
    await peer.next(frameType.ping);
    stream.used(4 * 1024 * 1024);
    const more = await peer.next(frameType.windowUpdate);
    assert.deepEqual([more.stream, more.payload], [1, number(4 * 1024 * 1024)]);
    for (let sent = 0; sent < pieces / 2; sent++) peer.send(frameType.data, 0, 1, piece);
    // 12 MiB are within the window of the connection, and exactly that of the stream.
    assert.equal(session.usable, true);
    peer.send(frameType.data, 0, 1, Buffer.of(1));
    assert.match(String(await within(ended, "the end of the session")), /exceeded the flow-control window/);
    assert.equal((await slow.end())?.unsent, false);
  }));

test("a server that sends very many frames without a call is left, and one that sends them within a call is not", () =>
  withSession(async ({ peer, session, ended }) => {
    const unknownType = 0x77;
    const flood = () => {
      for (let index = 0; index < etcdIdleFramesMax; index++) peer.send(unknownType, 0, 0);
    };
    const { events, heads, end } = listener();
    session.open(block, new Uint8Array(0), events);
    const { stream } = await peer.next(frameType.headers);
    flood();
    flood();
    peer.send(frameType.headers, flag.endHeaders | flag.endStream, stream, ok);
    assert.equal(await end(), undefined);
    assert.deepEqual(heads, [":status=200"]);
    flood();
    peer.send(unknownType, 0, 0);
    assert.match(String(await within(ended, "the end of the session")), /too many frames without a call/);
  }));

test("a protocol error ends the connection, and its streams do not count as unsent", async () => {
  const frames: Record<string, (peer: Peer) => void> = {
    "a frame that is too long": (peer) => peer.send(frameType.data, 0, 1, Buffer.alloc(16_385)),
    "a stream that was never opened": (peer) => peer.send(frameType.data, 0, 3, Buffer.alloc(1)),
    "a stream of its own": (peer) => peer.send(frameType.headers, flag.endHeaders, 2, ok),
    "data of no stream": (peer) => peer.send(frameType.data, 0, 0, Buffer.alloc(1)),
    "a promise": (peer) => peer.send(frameType.pushPromise, 0, 1, number(2)),
    "more padding than bytes": (peer) => peer.send(frameType.data, flag.padded, 1, Buffer.of(1)),
    "endless headers": (peer) => {
      peer.send(frameType.headers, 0, 1, Buffer.alloc(0));
      for (let sent = 0; sent < 64; sent++) peer.send(frameType.continuation, 0, 1, Buffer.alloc(0));
    },
    "long headers": (peer) => {
      peer.send(frameType.headers, 0, 1, Buffer.alloc(16_384));
      for (let sent = 0; sent < 4; sent++) peer.send(frameType.continuation, 0, 1, Buffer.alloc(16_384));
    },
    "headers that are interrupted": (peer) => {
      peer.send(frameType.headers, 0, 1, ok);
      peer.send(frameType.ping, 0, 0, Buffer.alloc(8));
    },
    "a continuation of nothing": (peer) => peer.send(frameType.continuation, flag.endHeaders, 1, ok),
    "headers that refer to others": (peer) => peer.send(frameType.headers, flag.endHeaders, 1, Buffer.of(0xbe)),
    "a window beyond 2^31": (peer) => peer.send(frameType.windowUpdate, 0, 0, number(0x7fffffff)),
    "a stream's window beyond 2^31": (peer) => peer.send(frameType.windowUpdate, 0, 1, number(0x7fffffff)),
    "settings beyond 2^31": (peer) => peer.send(frameType.settings, 0, 0, settings([4, 0xffffffff])),
    "settings that end too early": (peer) => peer.send(frameType.settings, 0, 0, Buffer.alloc(5)),
  };
  for (const [what, breaks] of Object.entries(frames)) {
    await withSession(async ({ peer, session, ended }) => {
      const recorded = listener();
      session.open(block, Buffer.from("1"), recorded.events);
      await peer.next(frameType.data);
      breaks(peer);
      await within(ended, what);
      assert.equal((await recorded.end())?.unsent, false, what);
      assert.equal(session.usable, false);
    });
  }
});

test("a server with another protocol ends the session", async () => {
  const beginnings: Record<string, (peer: Peer) => void> = {
    "HTTP/1.1": ({ socket }) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
    "a ping first": (peer) => peer.send(frameType.ping, 0, 0, Buffer.alloc(8)),
    "nothing": ({ socket }) => socket.end(),
  };
  for (const [what, begin] of Object.entries(beginnings)) {
    await withSession(async ({ peer, session, ended }) => {
      assert.equal(session.usable, false);
      begin(peer);
      await within(ended, what);
      assert.throws(() => session.open(block, undefined, listener().events));
    }, { first: "nothing" });
  }
});
