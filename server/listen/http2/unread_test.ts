// Clients that do not read: whatever is written for them has a bound, whichever frames it is in.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { errorCode, flag, FrameReader, frameType, headBytes, uint32Bytes } from "../../../protocols/http2/frames.ts";
import { Slabs } from "../../../protocols/http2/frame-writer.ts";
import { preface, setting, settingsPayload } from "../../../protocols/http2/settings.ts";
import { frame, headers, request } from "../testing/frames-client.ts";
import { StepScheduler } from "../step-scheduler.ts";
import { ServerSession } from "./session.ts";
import type { ServerStream } from "./stream.ts";
import { http2ConnectionWindowBytes, http2UnreadBytesMax } from "./bounds.ts";
import { earlyResetsMax } from "../bounds.ts";

const { headers: head, reset, settings, ping, goAway, windowUpdate, data } = frameType;
const nothing = (): void => {};

/** A session, and its client, which reads only what `take` lets the socket take. */
class Scene {
  readonly received: { readonly type: number; readonly stream: number; readonly payload: Buffer }[] = [];
  readonly slabs = new Slabs();
  readonly session: ServerSession;
  readonly socket: Duplex;
  requests = 0;
  holds = 0;
  isStopped = false;
  #taken: (() => void) | undefined;

  constructor({ streamsMax = 1000, answer }: { readonly streamsMax?: number; readonly answer: (stream: ServerStream) => void }) {
    const reader = new FrameReader();
    this.socket = new Duplex({
      read: nothing,
      highWaterMark: 1,
      write: (chunk: Buffer, _encoding, done) => {
        reader.add(Buffer.from(chunk));
        while (reader.next()) this.received.push({ type: reader.type, stream: reader.stream, payload: reader.payload });
        this.#taken = done;
      },
    });
    const hold = () => void this.holds++, release = () => void this.holds--, stop = () => void (this.isStopped = true);
    this.session = new ServerSession({
      socket: this.socket as Socket, // of which the session uses what a Duplex has
      input: { hold, release, stop, piece: nothing },
      turns: new StepScheduler(),
      slabs: this.slabs,
      streamsMax,
      onRequest: (stream) => {
        this.requests++;
        answer(stream);
      },
      onTooLargeHead: nothing,
      report: (error) => assert.fail(String(error)),
    });
    this.send(Buffer.from(preface), frame(settings, 0, 0, ""));
  }
  send(...frames: readonly Buffer[]): void {
    this.socket.push(Buffer.concat(frames));
  }
  /** The socket takes the write in progress. */
  take(): boolean {
    const done = this.#taken;
    this.#taken = undefined;
    done?.();
    return done !== undefined;
  }
  /** Lets the session read until it waits for the socket, or has read everything. */
  async settled(): Promise<void> {
    for (let at = 0; at < 3; at++) {
      for (let before = -1; before !== this.session.unreadBytes + this.requests;) {
        before = this.session.unreadBytes + this.requests;
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
  }
  /** The socket takes everything, until the session has read everything. */
  async takeAll(): Promise<void> {
    do await this.settled(); while (this.take());
  }
}

/** Status 200 and a field of 200 bytes. */
const block = `\x88\x00\x01a\x7f\x49${"x".repeat(200)}`;
const bodyless = (stream: ServerStream): void => stream.respond(block, true);
const get = (at: number, method = "HEAD"): Buffer => headers(2 * at + 1, request({ ":method": method }));
/** Frames with an answer each, by which a client could fill the memory, and the bytes of an answer. */
const answered: readonly (readonly [what: string, unit: (at: number) => Buffer, bytes: number])[] = [
  ["HEAD requests", get, headBytes + block.length],
  ["PING", () => frame(ping, 0, 0, "12345678"), headBytes + 8],
  ["SETTINGS", () => frame(settings, 0, 0, settingsPayload([[setting.initialWindowSize, 10]])), headBytes],
];
for (const [what, unit, bytes] of answered) {
  test(`of ${what} from a client that does not read, only so many are read as its bound has room for`, async () => {
    const scene = new Scene({ streamsMax: 1_000_000, answer: bodyless });
    const count = Math.ceil(http2UnreadBytesMax / bytes) + 1000;
    scene.send(...Array.from({ length: count }, (_, at) => unit(at)));
    await scene.settled();
    const { unreadBytes } = scene.session;
    assert.ok(unreadBytes > http2UnreadBytesMax && unreadBytes <= http2UnreadBytesMax + bytes, `${unreadBytes} bytes`);
    assert.equal(scene.holds, 1);
    await scene.takeAll();
    assert.equal(scene.holds, 0);
    assert.equal(scene.received.filter(({ type }) => type === head || type === ping || type === settings).length, count + 2);
    scene.session.destroy();
  });
}

test("a client that has streams reset and reads nothing loses its connection, as one that reads", async () => {
  const scene = new Scene({ answer: nothing });
  for (let at = 1; at < 2000; at += 2) scene.send(headers(at), frame(windowUpdate, 0, at, uint32Bytes(0)));
  await scene.takeAll();
  assert.equal(scene.received.filter(({ type }) => type === reset).length, earlyResetsMax + 1);
  assert.equal(scene.received.at(-1)!.payload.readUInt32BE(4), errorCode.enhanceYourCalm);
});

test("a request counts as open until the socket has taken its last frame, with and without a body", async () => {
  const withBody = (stream: ServerStream): void => {
    stream.respond(block, false);
    stream.send(Buffer.from("x"), true);
  };
  for (const answer of [bodyless, withBody]) {
    const scene = new Scene({ streamsMax: 3, answer });
    await scene.takeAll();
    scene.send(get(0, "GET"), get(1, "GET"), get(2, "GET"), get(3, "GET"), frame(ping, 0, 0, "12345678"));
    await scene.settled();
    assert.equal(scene.requests, 3);
    assert.ok(scene.take());
    await scene.settled();
    assert.equal(scene.requests, 4);
    await scene.takeAll();
    assert.equal(scene.received.filter(({ type }) => type === reset).length, 0);
    assert.equal(scene.received.at(-1)!.type, ping);
    scene.session.destroy();
  }
});

test("requests in progress do not count twice: a client with all of its streams open is still read", async () => {
  const open: ServerStream[] = [];
  const scene = new Scene({ streamsMax: 2, answer: (stream) => open.push(stream) });
  await scene.takeAll();
  scene.send(get(0, "GET"), get(1, "GET"), frame(ping, 0, 0, "12345678"));
  await scene.takeAll();
  assert.equal(scene.received.at(-1)!.type, ping);
  open[0]!.respond(block, true);
  scene.send(frame(ping, 0, 0, "12345678"), get(2, "GET"));
  await scene.settled();
  assert.equal(scene.requests, 2);
  await scene.takeAll();
  assert.equal(scene.requests, 3);
  assert.equal(scene.received.filter(({ type }) => type === ping).length, 2);
  scene.session.destroy();
});

test("after its end a connection reads on up to the window of a client, and no further", async () => {
  const scene = new Scene({ answer: bodyless });
  await scene.takeAll();
  scene.send(frame(goAway, 0, 0, Buffer.concat([uint32Bytes(0), uint32Bytes(0)])));
  await scene.settled();
  const piece = frame(data, 0, 1, Buffer.alloc(16_000));
  for (let left = http2ConnectionWindowBytes; left >= piece.length; left -= piece.length) scene.send(piece);
  await scene.settled();
  assert.equal(scene.isStopped, false);
  scene.send(piece);
  await scene.settled();
  assert.equal(scene.isStopped, true);
  scene.session.destroy();
});

test("a connection that ended by a mistake is closed after a second, also if its client has not read the answers before", async () => {
  const scene = new Scene({ streamsMax: 1_000_000, answer: bodyless });
  scene.send(...Array.from({ length: 500 }, (_, at) => get(at)), frame(data, flag.endStream, 0, ""));
  const closed = new Promise((resolve) => scene.socket.once("close", resolve));
  await scene.settled();
  assert.ok(scene.session.closed && scene.isStopped);
  await closed;
  assert.equal(scene.slabs.heldBytes, 0);
});

test("buffers are counted from the first frame until the socket has taken them, or the connection is over", async () => {
  const scene = new Scene({ answer: bodyless });
  await scene.settled();
  assert.ok(scene.slabs.heldBytes > 0);
  await scene.takeAll();
  assert.equal(scene.slabs.heldBytes, 0);
  scene.send(get(0));
  await scene.settled();
  assert.ok(scene.slabs.heldBytes > 0);
  scene.session.destroy();
  assert.equal(scene.slabs.heldBytes, 0);
});
