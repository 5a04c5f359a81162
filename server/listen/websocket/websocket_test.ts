// Watches over websockets: handshake, messages, hostile frames, clients that do not read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect as tlsConnect, type TLSSocket } from "node:tls";
import type { Exchange, Reply } from "../../../kernel/request/exchange.ts";
import { http1, rawConnection, type TestServer, withRelay, withServer } from "../testing/clients.ts";
import {
  ClientFrames,
  streamFrameBytesMax,
  streamRules,
  webSocketFrameBytesMax,
  webSocketFramesMax,
  webSocketReceivedBytesMax,
} from "../../../protocols/websocket/client-frames.ts";
import { acceptOf, serverFrame } from "../../../protocols/websocket/server-frames.ts";
import { sendReply } from "../reply/send.ts";
import { MessageSink } from "./message-sink.ts";

const key = "dGhlIHNhbXBsZSBub25jZQ==";
const offer = (more = "", path = "/") =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n${more}\r\n`;
const masked = (first: number, payload: Uint8Array | string = "", length = payload.length): Buffer => {
  const bytes = Buffer.from(payload), mask = [1, 2, 3, 4];
  const head = length < 126
    ? [first, 0x80 | length]
    : length < 65_536
    ? [first, 0xfe, length >> 8, length & 0xff]
    : [first, 0xff, ...new Uint8Array(new BigUint64Array([BigInt(length)]).buffer).reverse()];
  return Buffer.concat([Buffer.from([...head, ...mask]), bytes.map((byte, at) => byte ^ mask[at % 4]!)]);
};

test("acceptOf() is the value of RFC 6455, section 1.3", () => assert.equal(acceptOf(key), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));

/** The pongs and the code that pieces of input call for. */
const read = (...pieces: readonly Uint8Array[]): (string | number)[] => {
  const frames = new ClientFrames();
  return pieces.flatMap((piece) => {
    const { pong, close } = frames.read(piece);
    return [...(pong === undefined ? [] : [Buffer.from(pong).toString()]), ...(close === undefined ? [] : [close])];
  });
};
const closing = (code: number) => masked(0x88, Uint8Array.of(code >> 8, code & 0xff));

test("ClientFrames answers pings and closes, and skips messages, in pieces of any size", () => {
  const message = [
    masked(0x01, "ab"),
    masked(0x89, "p"),
    masked(0x00, "c".repeat(300)),
    masked(0x80, ""),
    masked(0x82, "x"),
    masked(0x8a, ""),
  ];
  const whole = Buffer.concat([...message, closing(1000), masked(0x89, "late")]);
  assert.deepEqual(read(whole), ["p", 1000]);
  assert.deepEqual(read(...Array.from(whole, (byte) => Uint8Array.of(byte))), ["p", 1000]);
  for (let at = 1; at < whole.length; at++) {
    const answers = read(whole.subarray(0, at), whole.subarray(at));
    assert.deepEqual(answers.filter((one, index) => answers.indexOf(one) === index), ["p", 1000], `split at ${at}`);
  }
  assert.deepEqual(read(masked(0x88)), [1000]);
  assert.deepEqual(read(masked(0x89)), [""]);
});

test("ClientFrames hands on the messages of a stream, whose bytes and frames have no bound but that of one frame", () => {
  const many = Buffer.concat(Array.from({ length: webSocketFramesMax + 1 }, () => masked(0x82, "ab")));
  const whole = Buffer.concat([masked(0x02, "begin"), masked(0x89, "p"), masked(0x00, "c".repeat(70_000)), masked(0x80), many]);
  const read = (size: number): string[] => {
    const seen = [""],
      frames = new ClientFrames(streamRules((part, isLast) => {
        seen.push(seen.pop()! + Buffer.from(part).toString());
        if (isLast) seen.push("");
      }));
    for (let at = 0; at < whole.length; at += size) assert.equal(frames.read(whole.subarray(at, at + size)).close, undefined);
    return seen;
  };
  const expected = ["begin" + "c".repeat(70_000), ...Array.from({ length: webSocketFramesMax + 1 }, () => "ab"), ""];
  assert.deepEqual(read(whole.length), expected);
  assert.deepEqual(read(13), expected);
  const close = (length: number) => new ClientFrames(streamRules(() => {})).read(masked(0x82, "", length)).close;
  assert.deepEqual([close(streamFrameBytesMax), close(streamFrameBytesMax + 1)], [undefined, 1009]);
});

test("ClientFrames answers the last complete ping of a piece, whatever follows it", () => {
  const pings = Buffer.concat([masked(0x89, "first"), masked(0x89, "last"), masked(0x8a, "pong"), masked(0x89, "cut")]);
  assert.deepEqual(read(pings.subarray(0, -1), pings.subarray(-1)), ["last", "cut"]);
  assert.deepEqual(read(Buffer.concat([pings, closing(3000)])), ["cut", 3000]);
});

test("ClientFrames closes for every violation, with the code of the RFC", () => {
  const violations: Readonly<Record<string, readonly [Uint8Array, number]>> = {
    "unmasked": [Uint8Array.of(0x81, 0x01, 0x61), 1002],
    "reserved bit": [masked(0xc1, "a"), 1002],
    "reserved opcode": [masked(0x83, "a"), 1002],
    "reserved control opcode": [masked(0x8b, ""), 1002],
    "fragmented control frame": [masked(0x09, ""), 1002],
    "long control frame": [masked(0x89, "a".repeat(126)), 1002],
    "continuation of nothing": [masked(0x80, "a"), 1002],
    "message within a message": [Buffer.concat([masked(0x01, "a"), masked(0x81, "b")]), 1002],
    "close of one byte": [masked(0x88, "a"), 1002],
    "close with a reserved code": [closing(1005), 1002],
    "close with its own code": [closing(3000), 3000],
    "frame past the bound": [masked(0x82, "", webSocketFrameBytesMax + 1), 1009],
    "frame without an end": [Buffer.from([0x82, 0xff, ...Array(8).fill(0xff), 1, 2, 3, 4]), 1009],
  };
  for (const [name, [bytes, code]] of Object.entries(violations)) assert.deepEqual(read(bytes), [code], name);
  const frame = masked(0x82, "a".repeat(1000)), count = Math.floor(webSocketReceivedBytesMax / frame.length);
  assert.deepEqual(read(...Array(count).fill(frame)), []);
  assert.deepEqual(read(...Array(count + 1).fill(frame)), [1008]);
  assert.deepEqual(read(masked(0x82, "a".repeat(webSocketFrameBytesMax))), []);
  const pong = masked(0x8a, ""), pongs = Buffer.concat(Array(webSocketFramesMax).fill(pong));
  assert.deepEqual(read(pongs), []);
  assert.deepEqual(read(pongs, pong), [1008]);
});

test("each event of a chunk, and of a whole body, is a message", async () => {
  const textsOf = async (body: Reply["body"], kind: "lines" | "lengths" | "whole") => {
    const written: Uint8Array[] = [];
    const socket = { write: (bytes: Uint8Array) => written.push(bytes) > 0 } as unknown as TLSSocket; // what the sink uses
    const reply: Reply = { status: 101, headers: {}, body, messages: kind };
    await sendReply(new MessageSink(socket, "key", kind), reply, false, new AbortController());
    // After the head; a frame of a short message has two bytes before it.
    return written.slice(1).map((frame) => Buffer.from(frame.subarray(2)).toString());
  };
  const texts = async (chunk: Uint8Array, kind: "lines" | "lengths" | "whole") => {
    const chunks = {
      async *[Symbol.asyncIterator]() {
        yield chunk;
      },
    };
    const messages = await textsOf(chunks, kind);
    assert.deepEqual(await textsOf(chunk, kind), messages);
    return messages;
  };
  assert.deepEqual(await texts(Buffer.from("a\nbc\n"), "lines"), ["a\n", "bc\n"]);
  assert.deepEqual(await texts(Buffer.from("\0\0\0\x01a\0\0\0\x02bc"), "lengths"), ["a", "bc"]);
  assert.deepEqual(await texts(Buffer.from("a\nb\n"), "whole"), ["a\nb\n"]);
});

/** A handler whose watches send what `events` yields. */
function handler(events: (exchange: Exchange) => AsyncIterable<string>) {
  return (exchange: Exchange): Promise<Reply> => {
    if (exchange.offersWebSocket !== true || exchange.url !== "/") return Promise.resolve({ status: 404, headers: {}, body: "not found" });
    const body = {
      async *[Symbol.asyncIterator]() {
        for await (const event of events(exchange)) yield Buffer.from(event);
      },
    };
    return Promise.resolve({ status: 101, headers: { "x-own": "1" }, body, messages: "lines" });
  };
}
/** A raw client, and what it has received. */
function client({ listener }: TestServer, sent: string | Uint8Array): { socket: TLSSocket; text: () => string; closed: Promise<void> } {
  let received = "";
  const socket = tlsConnect({ host: "127.0.0.1", port: listener.port, rejectUnauthorized: false }, () => socket.write(sent));
  socket.on("data", (piece) => received += piece.toString("latin1")).on("error", () => {});
  const closed = new Promise<void>((resolve) => void socket.on("close", () => resolve()));
  return { socket, text: () => received, closed };
}
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
const bytes = (frame: Uint8Array) => Buffer.from(frame).toString("latin1");

test("each event is a text message; the end of a watch is a close with 1000", () =>
  withServer(
    handler(async function* () {
      yield `{"n":1}\n{"n":2}\n`;
      yield `{"text":"${"ü".repeat(40_000)}"}\n`;
    }),
    async (server) => {
      const { socket, text, closed } = client(server, Buffer.concat([Buffer.from(offer()), masked(0x89, "first"), masked(0x89, "last")]));
      await closed;
      const [head = "", ...rest] = text().split("\r\n\r\n");
      assert.match(
        head,
        /^HTTP\/1\.1 101 Switching Protocols\r\n(?=[^]*x-own: 1)(?=[^]*sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=)/,
      );
      const body = rest.join("\r\n\r\n");
      for (const message of [`{"n":1}\n`, `{"n":2}\n`, `{"text":"${"ü".repeat(40_000)}"}\n`]) {
        assert.ok(body.includes(bytes(serverFrame(1, Buffer.from(message)))), message.slice(0, 20));
      }
      const pong = (text: string) => bytes(serverFrame(10, Buffer.from(text)));
      assert.deepEqual(
        [body.includes(pong("first")), body.includes(pong("last"))],
        [false, true],
        "one answer to pings that arrive together",
      );
      assert.ok(body.endsWith("\x88\x02\x03\xe8"));
      socket.destroy();
    },
  ));

test("a reply without messages is plain HTTP; a broken handshake and other upgrades are answered", () =>
  withServer(handler(async function* () {}), async (server) => {
    const answers: readonly (readonly [string, RegExp])[] = [
      [offer("", "/other"), /^HTTP\/1\.1 404 Not Found\r\n[^]*connection: close/i],
      [offer().replace("Version: 13", "Version: 8"), /^HTTP\/1\.1 426 Upgrade Required\r\nSec-WebSocket-Version: 13\r\n/],
      [offer().replace(key, "short"), /^HTTP\/1\.1 400 Bad Request\r\n/],
      [offer().replace("Host: a\r\n", ""), /^HTTP\/1\.1 400 Bad Request\r\n/],
      [offer().replace("Upgrade: websocket", "Upgrade: h2c"), /^HTTP\/1\.1 404 Not Found\r\n/],
      [offer().replace("keep-alive, Upgrade", "close"), /^HTTP\/1\.1 404 Not Found\r\n/],
    ];
    for (const [sent, expected] of answers) {
      const { socket, text } = client(server, sent);
      await until(() => text().includes("\r\n\r\n"));
      assert.match(text(), expected);
      socket.destroy();
    }
    assert.equal((await http1(server.listener, { ca: server.ca })).status, 404);
    assert.deepEqual(server.reported, []);
  }));

test("a client that violates the protocol, or leaves, ends its watch", async () => {
  let ended = 0;
  await withServer(
    handler(async function* ({ signal }) {
      try {
        yield "{}\n";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      } finally {
        ended++;
      }
    }),
    async (server) => {
      const ends: readonly (readonly [Uint8Array, string])[] = [
        [closing(1000), "\x88\x02\x03\xe8"],
        [Uint8Array.of(0x81, 0x01, 0x61), "\x88\x02\x03\xea"],
        [masked(0x82, "", webSocketFrameBytesMax + 1), "\x88\x02\x03\xf1"],
      ];
      for (const [at, [sent, close]] of ends.entries()) {
        const { socket, text, closed } = client(server, offer());
        await until(() => text().includes("{}"));
        socket.write(masked(0x89, "beat"));
        await until(() => text().endsWith(bytes(serverFrame(10, Buffer.from("beat")))));
        socket.write(sent);
        await closed;
        assert.ok(text().endsWith(close), String(at));
        await until(() => ended === at + 1);
      }
      const { socket, text } = client(server, offer());
      await until(() => text().includes("{}"));
      socket.destroy();
      await until(() => ended === ends.length + 1);
      assert.deepEqual(server.reported, []);
    },
  );
});

test(
  "nothing is pulled while a client does not read, its pings are not answered for ever, and it is disconnected",
  { timeout: 300_000 },
  async () => {
    let pulled = 0, ended = false;
    await withServer(
      handler(async function* () {
        try {
          for (;; pulled++) yield `"${"a".repeat(65_536)}"\n`;
        } finally {
          ended = true;
        }
      }),
      ({ listener, ca }) =>
        withRelay(listener, 256 * 1024, async (relay) => {
          const socket = await rawConnection(relay, ca);
          socket.on("error", () => {});
          socket.write(offer());
          for (let at = 0; at < 10; at++) socket.write(Buffer.concat(Array(1_000).fill(masked(0x89, "ping"))));
          await until(() => ended); // by the bound on the time without reading
          assert.ok(pulled < 1_000, String(pulled));
          socket.destroy();
        }),
      { connections: { times: { stalledMs: 300, sweepMs: 50 } } },
    );
  },
);

test(
  "floods of pings over many connections end with 1008, and few of the pings are answered",
  { timeout: 120_000 },
  () =>
    withServer(
      handler(async function* ({ signal }) {
        yield "{}\n";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }),
      async (server) => {
        const flood = Buffer.concat(Array(webSocketFramesMax + 1).fill(masked(0x89, "ping")));
        const clients = Array.from({ length: 8 }, () => client(server, Buffer.concat([Buffer.from(offer()), flood])));
        for (const { text, closed } of clients) {
          await closed;
          assert.ok(text().endsWith("\x88\x02\x03\xf0"));
          const pongs = text().split(bytes(serverFrame(10, Buffer.from("ping")))).length - 1;
          assert.ok(pongs < 100, `${pongs} pongs`);
        }
        assert.equal((await http1(server.listener, { ca: server.ca })).status, 404);
        assert.deepEqual(server.reported, []);
      },
    ),
);
