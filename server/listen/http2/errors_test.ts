// What the server answers to frames and heads that RFC 9113 forbids. The rows follow its sections and the suite h2spec.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorCode, flag, frameType, uint32Bytes } from "../../../protocols/http2/frames.ts";
import { setting, settingsPayload } from "../../../protocols/http2/settings.ts";
import type { Exchange, Reply } from "../../../kernel/request/exchange.ts";
import { signalled, textReply, withServer } from "../testing/clients.ts";
import { block, frame, framesClient, headers, request } from "../testing/frames-client.ts";
import { http2StreamWindowBytes } from "./stream.ts";
import { headersMax } from "../../../protocols/http2/client/hpack.ts";
import { bodyBytesMax } from "../../../kernel/request-context.ts";

const timeout = 60_000;
const { data, headers: head, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation } = frameType;
const post = request({ ":method": "POST" });
const dependsOn = (stream: number): Buffer => Buffer.concat([uint32Bytes(stream), Buffer.of(16)]);
const literal = (name: string, value: string): string =>
  `\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`;
const withLiteral = (name: string, value: string): Buffer =>
  frame(head, flag.endHeaders | flag.endStream, 1, block(request()) + literal(name, value));

/** Frames that end the connection, with the code of its GOAWAY. */
const ofConnection: readonly (readonly [what: string, frames: readonly Buffer[], code: number])[] = [
  ["DATA on stream 0", [frame(data, 0, 0, "a")], errorCode.protocol],
  ["DATA on an idle stream", [frame(data, 0, 1, "a")], errorCode.protocol],
  ["DATA with too much padding", [headers(1, post, 0), frame(data, flag.padded, 1, "\x05abc")], errorCode.protocol],
  ["HEADERS on stream 0", [headers(0)], errorCode.protocol],
  ["HEADERS on an even stream", [headers(2)], errorCode.protocol],
  ["HEADERS on a lower stream", [headers(5), headers(3)], errorCode.streamClosed],
  ["HEADERS with too much padding", [frame(head, flag.endHeaders | flag.padded, 1, "\x05abc")], errorCode.protocol],
  ["HEADERS that are shorter than their priority", [frame(head, flag.endHeaders | flag.priority, 1, "abc")], errorCode.frameSize],
  ["a block that a frame interrupts", [frame(head, 0, 1, block(post)), frame(ping, 0, 0, "12345678")], errorCode.protocol],
  ["a block that continues on another stream", [frame(head, 0, 1, block(post)), frame(continuation, 4, 3)], errorCode.protocol],
  ["CONTINUATION without a block", [frame(continuation, flag.endHeaders, 1, block(post))], errorCode.protocol],
  ["CONTINUATION after a block", [headers(1, post, 0), frame(continuation, flag.endHeaders, 1)], errorCode.protocol],
  ["a field that is not in the table", [frame(head, 5, 1, "\xc6")], errorCode.compression],
  ["a table that is too large", [frame(head, 5, 1, "\x3f\xe2\x1f")], errorCode.compression],
  ["a change of the table after a field", [frame(head, 5, 1, "\x82\x20")], errorCode.compression],
  ["a block that ends in a field", [frame(head, 5, 1, "\x00\x05ab")], errorCode.compression],
  ["padding of the Huffman code of eight bits", [frame(head, 5, 1, "\x00\x82\x1f\xff\x01a")], errorCode.compression],
  ["PRIORITY on stream 0", [frame(priority, 0, 0, dependsOn(1))], errorCode.protocol],
  ["PRIORITY of four bytes", [frame(priority, 0, 1, "abcd")], errorCode.frameSize],
  ["PRIORITY of an idle stream on itself", [frame(priority, 0, 3, dependsOn(3))], errorCode.protocol],
  ["RST_STREAM on stream 0", [frame(reset, 0, 0, uint32Bytes(8))], errorCode.protocol],
  ["RST_STREAM on an idle stream", [frame(reset, 0, 1, uint32Bytes(8))], errorCode.protocol],
  ["RST_STREAM of three bytes", [headers(1, post, 0), frame(reset, 0, 1, "abc")], errorCode.frameSize],
  ["SETTINGS on a stream", [frame(settings, 0, 1)], errorCode.protocol],
  ["SETTINGS of three bytes", [frame(settings, 0, 0, "abc")], errorCode.frameSize],
  ["an acknowledgement of SETTINGS with content", [frame(settings, flag.ack, 0, "abcdef")], errorCode.frameSize],
  ["ENABLE_PUSH of 2", [frame(settings, 0, 0, settingsPayload([[setting.enablePush, 2]]))], errorCode.protocol],
  ["INITIAL_WINDOW_SIZE of 2^31", [frame(settings, 0, 0, settingsPayload([[setting.initialWindowSize, 2 ** 31]]))], errorCode.flowControl],
  ["MAX_FRAME_SIZE below its minimum", [frame(settings, 0, 0, settingsPayload([[setting.maxFrameSize, 16_383]]))], errorCode.protocol],
  ["MAX_FRAME_SIZE above its maximum", [frame(settings, 0, 0, settingsPayload([[setting.maxFrameSize, 2 ** 24]]))], errorCode.protocol],
  ["PUSH_PROMISE", [headers(1, post, 0), frame(pushPromise, flag.endHeaders, 1, uint32Bytes(2))], errorCode.protocol],
  ["PING on a stream", [frame(ping, 0, 1, "12345678")], errorCode.protocol],
  ["PING of six bytes", [frame(ping, 0, 0, "123456")], errorCode.frameSize],
  ["GOAWAY on a stream", [frame(goAway, 0, 1, "12345678")], errorCode.protocol],
  ["GOAWAY of four bytes", [frame(goAway, 0, 0, "1234")], errorCode.frameSize],
  ["WINDOW_UPDATE of 0 for the connection", [frame(windowUpdate, 0, 0, uint32Bytes(0))], errorCode.protocol],
  ["WINDOW_UPDATE on an idle stream", [frame(windowUpdate, 0, 1, uint32Bytes(1))], errorCode.protocol],
  ["WINDOW_UPDATE of three bytes", [frame(windowUpdate, 0, 0, "abc")], errorCode.frameSize],
  ["a window of the connection above 2^31-1", [frame(windowUpdate, 0, 0, uint32Bytes(2 ** 31 - 1))], errorCode.flowControl],
  ["a frame above MAX_FRAME_SIZE", [frame(99, 0, 0, new Uint8Array(16_385))], errorCode.frameSize],
  ["more data than the window of the stream", [
    headers(1, request({ ":method": "POST", ":path": "/wait" }), 0),
    ...Array.from({ length: http2StreamWindowBytes / 16_384 + 1 }, () => frame(data, 0, 1, new Uint8Array(16_384))),
  ], errorCode.flowControl],
];

/** Frames that end stream 1 only, with the code of its RST_STREAM. */
const ofStream: readonly (readonly [what: string, frames: readonly Buffer[], code: number])[] = [
  ["WINDOW_UPDATE of 0", [headers(1, post, 0), frame(windowUpdate, 0, 1, uint32Bytes(0))], errorCode.protocol],
  ["a window above 2^31-1", [headers(1, post, 0), frame(windowUpdate, 0, 1, uint32Bytes(2 ** 31 - 1))], errorCode.flowControl],
  [
    "a dependency on itself",
    [frame(head, 5 | flag.priority, 1, Buffer.concat([dependsOn(1), Buffer.from(block(post), "latin1")]))],
    errorCode.protocol,
  ],
  ["PRIORITY on itself", [headers(1, post, 0), frame(priority, 0, 1, dependsOn(1))], errorCode.protocol],
  ["an empty transfer-encoding, by its index", [frame(head, 5, 1, `${block(request())}\xb9`)], errorCode.protocol],
  ["a transfer-encoding with the name's index", [frame(head, 5, 1, `${block(request())}\x0f\x2a\x07chunked`)], errorCode.protocol],
  ["DATA behind its end", [headers(1, request({ ":path": "/wait" })), frame(data, 0, 1, "a")], errorCode.streamClosed],
  ["HEADERS behind its end", [headers(1, request({ ":path": "/wait" })), headers(1)], errorCode.streamClosed],
  ["HEADERS without an end behind its head", [headers(1, post, 0), headers(1, [["a", "b"]], 0)], errorCode.protocol],
  ["trailers with a pseudo-header", [headers(1, post, 0), headers(1, [[":path", "/"]])], errorCode.protocol],
  ["trailers with a line end", [headers(1, post, 0), frame(head, 5, 1, literal("a", "b\r\nc"))], errorCode.protocol],
  ["less data than announced", [headers(1, [...post, ["content-length", "5"]], 0), frame(data, 1, 1, "abcd")], errorCode.protocol],
  ["more data than announced", [headers(1, [...post, ["content-length", "3"]], 0), frame(data, 1, 1, "abcd")], errorCode.protocol],
  ["no data in place of some", [headers(1, [...post, ["content-length", "3"]])], errorCode.protocol],
  ["trailers before the announced data", [headers(1, [...post, ["content-length", "3"]], 0), headers(1, [["a", "b"]])], errorCode.protocol],
  ["two lengths", [headers(1, [...post, ["content-length", "3"], ["content-length", "4"]], 0)], errorCode.protocol],
  ["a length with a sign", [headers(1, [...post, ["content-length", "+3"]], 0)], errorCode.protocol],
  ["a length in two parts", [headers(1, [...post, ["content-length", "3, 3"]], 0)], errorCode.protocol],
  ...["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"].map((name) =>
    [`the header ${name}`, [headers(1, request({ [name]: "x" }))], errorCode.protocol] as const
  ),
  ["te other than trailers", [headers(1, request({ te: "gzip" }))], errorCode.protocol],
  ["an upper-case name", [withLiteral("Accept", "x")], errorCode.protocol],
  ["an empty name", [withLiteral("", "x")], errorCode.protocol],
  ["a name with a blank", [withLiteral("a b", "x")], errorCode.protocol],
  ["a name with a colon", [withLiteral("a:b", "x")], errorCode.protocol],
  ["a value with CR", [withLiteral("a", "b\rc")], errorCode.protocol],
  ["a value with LF", [withLiteral("a", "b\nGET / HTTP/1.1")], errorCode.protocol],
  ["a value with NUL", [withLiteral("a", "b\0c")], errorCode.protocol],
  ["a value with a blank at its start", [withLiteral("a", " b")], errorCode.protocol],
  ["a value with a blank at its end", [withLiteral("a", "b\t")], errorCode.protocol],
  ["an unknown pseudo-header", [headers(1, request({ ":x": "y" }))], errorCode.protocol],
  ["a pseudo-header of a response", [headers(1, request({ ":status": "200" }))], errorCode.protocol],
  ["a pseudo-header behind a header", [headers(1, [...request({ ":path": undefined }), ["a", "b"], [":path", "/"]])], errorCode.protocol],
  ...[":method", ":scheme", ":path"].flatMap((name) =>
    [
      [`no ${name}`, [headers(1, request({ [name]: undefined }))], errorCode.protocol],
      [`two of ${name}`, [headers(1, [[name, "/"], ...request()])], errorCode.protocol],
    ] as const
  ),
  ["two authorities", [headers(1, [[":authority", "y"], ...request()])], errorCode.protocol],
  ["an empty path", [headers(1, request({ ":path": "" }))], errorCode.protocol],
  ["a path without a slash", [headers(1, request({ ":path": "x" }))], errorCode.protocol],
  ["a path with a blank", [headers(1, request({ ":path": "/a b" }))], errorCode.protocol],
  ["a method with a blank", [headers(1, request({ ":method": "GET /x" }))], errorCode.protocol],
  ["another scheme", [headers(1, request({ ":scheme": "ftp" }))], errorCode.protocol],
  ["an authority with a user", [headers(1, request({ ":authority": "a@b" }))], errorCode.protocol],
  ["CONNECT with a path", [headers(1, request({ ":method": "CONNECT" }))], errorCode.protocol],
];

/** Requests that look alike and are allowed. */
const allowed: readonly (readonly [what: string, frames: readonly Buffer[], status: string])[] = [
  ["trailers", [headers(1, post, 0), frame(data, 0, 1, "abc"), headers(1, [["a", "b"]])], "200"],
  ["a padded head with a priority", [
    frame(head, 5 | 8 | 32, 1, Buffer.concat([Buffer.of(2), dependsOn(0), Buffer.from(block(post), "latin1"), Buffer.alloc(2)])),
  ], "200"],
  ["a head in many frames", [
    frame(head, flag.endStream, 1),
    ...[...block(post)].map((byte) => frame(continuation, 0, 1, byte)),
    frame(continuation, 4, 1),
  ], "200"],
  ["te: trailers", [headers(1, request({ te: "trailers" }))], "200"],
  ["a value with a tab inside and bytes above 127", [withLiteral("a", "b\t\xe9")], "200"],
  ["a host that is not the authority", [headers(1, request({ host: "y" }))], "200"],
  ["unknown frames and flags", [frame(99, 255, 0, "x"), frame(99, 0, 7), frame(head, 5 | 0x40, 1, block(request()))], "200"],
  ["an answer to a PING that was not sent", [frame(ping, flag.ack, 0, "12345678"), headers(1)], "200"],
  ["PRIORITY of streams to come", [frame(priority, 0, 9, dependsOn(7)), headers(1)], "200"],
  ["CONNECT", [headers(1, [[":method", "CONNECT"], [":authority", "x"]])], "405"],
  ["a skipped identifier", [headers(7), frame(reset, 0, 3, uint32Bytes(8)), frame(windowUpdate, 0, 5, uint32Bytes(1)), headers(9)], "200"],
  [
    "too many headers",
    [headers(1, [...request(), ...Array.from({ length: headersMax }, (_, at) => ["a", `${at}`] as const)])],
    "431",
  ],
];

const wait = signalled();
const handle = async (exchange: Exchange): Promise<Reply> => {
  if (exchange.url === "/wait") await wait.promise;
  // A body that the client breaks off is no error of the server.
  const bytes = await Promise.resolve(exchange.body(bodyBytesMax)).then(({ length }) => length, () => -1);
  return textReply(`${bytes} bytes for ${String(exchange.headers["host"])}`);
};

for (const [what, frames, code] of ofConnection) {
  test(`${what} ends the connection with code ${code}`, { timeout }, () =>
    withServer(handle, async ({ listener, reported }) => {
      const client = await framesClient(listener);
      client.send(...frames);
      assert.deepEqual(await goAwayOf(client), code);
      await client.closed;
      assert.deepEqual(reported, []);
    }));
}
test(
  "each mistake of a stream ends that stream only, with its code",
  { timeout },
  () =>
    withServer(handle, async ({ listener, reported }) => {
      for (const [what, frames, code] of ofStream) {
        const client = await framesClient(listener);
        client.send(...frames, frame(ping, 0, 0, "complete"), headers(101));
        assert.deepEqual(await client.outcome(101), { status: "200" }, what);
        const resets = client.received.filter(({ type, stream }) => type === reset && stream === 1).map(({ payload }) =>
          payload.readUInt32BE(0)
        );
        assert.equal(resets[0], code, what);
        client.socket.destroy();
      }
      assert.deepEqual(reported, []);
    }),
);
test("requests in unusual forms are answered", { timeout }, () =>
  withServer(handle, async ({ listener }) => {
    for (const [what, frames, status] of allowed) {
      const client = await framesClient(listener);
      client.send(...frames);
      const answer = await client.next(({ type }) => type === head);
      assert.equal(answer && client.headersOf(answer)[":status"], status, what);
      client.socket.destroy();
    }
  }));
test("a connection that does not begin with the preface and SETTINGS ends", { timeout }, () =>
  withServer(handle, async ({ listener }) => {
    for (const first of [headers(1), frame(ping, 0, 0, "12345678"), frame(settings, flag.ack, 0)]) {
      const { connect } = await import("node:tls");
      const socket = connect({ host: "127.0.0.1", port: listener.port, rejectUnauthorized: false, ALPNProtocols: ["h2"] });
      const closed = new Promise((resolve) => socket.on("error", () => {}).once("close", resolve));
      socket.resume().write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), first]));
      await closed;
    }
    const client = await framesClient(listener);
    client.send(Buffer.from("GET / HTTP/1.1\r\n\r\n".repeat(1000)));
    await client.closed;
  }));

/** The code of the GOAWAY that is not NO_ERROR. */
async function goAwayOf(client: Awaited<ReturnType<typeof framesClient>>): Promise<number | undefined> {
  return (await client.next(({ type }) => type === goAway))?.payload.readUInt32BE(4);
}
