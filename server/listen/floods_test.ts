// HTTP/2 clients that send endless frames: the session ends, or the work of one turn of the event loop is bounded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect as tlsConnect, type TLSSocket } from "node:tls";
import type { Reply } from "../../kernel/request/exchange.ts";
import { FrameEnds } from "./frame-ends.ts";
import { pacedListener } from "./frame-pacing.ts";
import { headersOf } from "./request.ts";
import { http2, http2Ask, http2Session, signalled, textReply, withServer } from "./testing/clients.ts";
import { frame } from "./testing/frames-client.ts";
import { StepScheduler } from "./step-scheduler.ts";
import { earlyResetsMax, framesPerTurnMax, requestsPerTurnMax } from "./bounds.ts";
import { bodyBytesMax } from "../../kernel/request-context.ts";
import { piecesPerTurnMax } from "./request-queue.ts";

const timeout = 60_000;
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const endStream = 1, endHeaders = 4;
/** GET / of https://x, and POST / of the same. */
const get = Buffer.from([0x82, 0x87, 0x84, 0x41, 1, 0x78]), post = Buffer.from([0x83, 0x87, 0x84, 0x41, 1, 0x78]);
const cancel = Buffer.from([0, 0, 0, 8]);
const setting = frame(4, 0, 0);

function h2Connection({ port }: { readonly port: number }): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({ host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: ["h2"] }, () => resolve(socket));
    socket.once("error", reject);
  });
}

/** The kinds of floods, with the client's frames for one stream. */
const floods: readonly (readonly [what: string, unit: (stream: number) => Uint8Array])[] = [
  ["resets each request", (stream) => Buffer.concat([frame(1, endHeaders | endStream, stream, get), frame(3, 0, stream, cancel)])],
  ["resets each request with a body", (stream) => Buffer.concat([frame(1, endHeaders, stream, post), frame(3, 0, stream, cancel)])],
  [
    "has each request reset",
    (stream) => Buffer.concat([frame(1, endHeaders | endStream, stream, get), frame(8, 0, stream, new Uint8Array(4))]),
  ],
  ["acknowledges pings that were not sent", () => frame(6, 1, 0, new Uint8Array(8))],
];

const implementations = ["own", "runtime"] as const;
for (const [what, unit, http2Of] of floods.flatMap(([what, unit]) => implementations.map((one) => [what, unit, one] as const))) {
  test(`the session (${http2Of}) of a client that ${what} ends, and few of its requests are handled`, { timeout }, async () => {
    let handled = 0;
    await withServer(() => {
      handled++;
      // Answered after the turn in which the reset arrives.
      return new Promise((resolve) => setImmediate(() => resolve(textReply("here"))));
    }, async ({ listener, ca, reported }) => {
      const socket = await h2Connection(listener);
      const ended = new Promise<void>((resolve) => socket.on("error", () => resolve()).once("close", () => resolve()));
      socket.resume();
      socket.write(Buffer.concat([preface, setting]));
      let stream = 1;
      for (let at = 0; at < 100 && !socket.destroyed; at++) {
        const units: Uint8Array[] = [];
        for (let each = 0; each < 1000; each++, stream += 2) units.push(unit(stream));
        socket.write(Buffer.concat(units));
      }
      await ended;
      socket.destroy();
      assert.ok(handled <= 2 * earlyResetsMax, `${handled} requests were handled`);
      assert.equal((await http2(listener, { ca })).body.toString(), "here");
      assert.deepEqual(reported, []);
    }, { http2: { implementation: http2Of } });
  });
}

test("a client that cancels all of its unanswered requests keeps its session", { timeout }, () => {
  let waiting = 0;
  const all = signalled();
  const handle = (): Promise<Reply> => {
    if (++waiting > 200) return Promise.resolve(textReply("here"));
    if (waiting === 200) all.done();
    return new Promise<never>(() => {});
  };
  return withServer(handle, async ({ listener }) => {
    const socket = await h2Connection(listener);
    const answered = new Promise<void>((resolve, reject) => {
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")).includes("here") && resolve());
      socket.on("error", reject).once("close", () => reject(new Error("the session ended")));
    });
    const streams = Array.from({ length: 200 }, (_, index) => 2 * index + 1);
    socket.write(Buffer.concat([preface, setting, ...streams.map((stream) => frame(1, endHeaders | endStream, stream, get))]));
    await all.promise;
    socket.write(Buffer.concat(streams.map((stream) => frame(3, 0, stream, cancel))));
    socket.write(frame(1, endHeaders | endStream, 401, get));
    await answered;
    socket.destroy();
  });
});

test(
  "all requests beyond the bound of one turn are answered in later ones",
  { timeout },
  () =>
    withServer(({ url }) => Promise.resolve(textReply(url)), async ({ listener, ca }) => {
      const session = await http2Session(listener, { ca });
      const paths = Array.from({ length: 5 * requestsPerTurnMax }, (_, index) => `/${index}`);
      const answers = await Promise.all(paths.map((path) => http2Ask(session, { path })));
      assert.deepEqual(answers.map(({ body }) => body.toString()), paths);
      session.close();
    }),
);

test(
  "a body in many small DATA frames is received whole",
  { timeout },
  () =>
    withServer(async (exchange) => textReply(`${(await exchange.body(bodyBytesMax)).length}`), async ({ listener }) => {
      const socket = await h2Connection(listener);
      const count = 10 * piecesPerTurnMax;
      const answered = new Promise<string>((resolve) => {
        let text = "";
        socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")).includes(`${count}`) && resolve(text));
      });
      const data = Array.from({ length: count }, (_, index) => frame(0, index === count - 1 ? endStream : 0, 1, Buffer.from("a")));
      socket.write(Buffer.concat([preface, setting, frame(1, endHeaders, 1, post), ...data]));
      await answered;
      socket.destroy();
    }),
);

test("FrameEnds finds the ends of frames in pieces of any size", () => {
  const sent = Buffer.concat([preface, frame(4, 0, 0), frame(0, 0, 1, new Uint8Array(70_000)), frame(6, 0, 0, new Uint8Array(8)), setting]);
  const ends = [24, 33, 70_042, 70_059, 70_068];
  for (const size of [1, 7, 33, 1000, sent.length]) {
    const frames = new FrameEnds(), found: number[] = [];
    for (let at = 0; at < sent.length; at += size) {
      const piece = sent.subarray(at, at + size);
      for (let from = 0; from < piece.length;) {
        from = frames.after(piece, from, 1);
        found.push(at + from);
      }
    }
    assert.deepEqual(ends.filter((end) => !found.includes(end)), [], `pieces of ${size}`);
    if (size === sent.length) assert.deepEqual(found, ends);
  }
  assert.equal(new FrameEnds().after(sent, 0, 3), 70_042);
});

test("pacedListener() passes a bounded number of frames on each turn, in order, and pauses reading meanwhile", { timeout }, async () => {
  const turns = new StepScheduler(), taken: Uint8Array[] = [];
  let holds = 0, holdsMax = 0;
  const input = {
    hold: () => void (holdsMax = Math.max(holdsMax, ++holds)),
    release: () => void holds--,
    get holds() {
      return holds;
    },
    stopped: false,
  };
  const listener = pacedListener((chunk) => void taken.push(chunk), input, turns);
  const sent = Buffer.concat([
    preface,
    ...Array.from({ length: 10 * framesPerTurnMax }, (_, index) => frame(6, 0, index, new Uint8Array(8))),
  ]);
  const half = sent.length / 2;
  listener(sent.subarray(0, half));
  listener(sent.subarray(half));
  assert.equal(taken.length, 1);
  while (holds > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(holdsMax, 1);
  assert.deepEqual(Buffer.concat(taken), sent);
  assert.ok(taken.every(({ length }) => length <= 17 * framesPerTurnMax + preface.length));
  input.stopped = true;
  listener(sent);
  assert.deepEqual(Buffer.concat(taken), sent, "a connection that is no longer read");
});

test("StepScheduler calls one step each turn, in rotation, until it returns false", { timeout }, async () => {
  const turns = new StepScheduler(), called: string[] = [];
  const done = new Promise<void>((resolve) => {
    let first = 3, second = 2;
    turns.add(() => {
      called.push("first");
      return --first > 0 || (resolve(), false);
    });
    turns.add(() => {
      called.push("second");
      return --second > 0;
    });
  });
  await done;
  assert.deepEqual(called, ["first", "second", "first", "second", "first"]);
});

test("headersOf(): :authority replaces a host header", () => {
  assert.equal(headersOf([":authority", "a", "host", "b"])["host"], "a");
  assert.equal(headersOf([":method", "GET", "host", "b"])["host"], "b");
});
