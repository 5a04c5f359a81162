import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, inflateSync } from "node:zlib";
import { dataHead, joined, openFrame, pingFrame, spdyControlBytesMax, SpdyError, SpdyFrames } from "./frames.ts";

/** What a server's frames say, read in pieces of `size` bytes. */
function events(bytes: Uint8Array, size = bytes.length): string[] {
  const seen: string[] = [];
  const frames = new SpdyFrames({
    data: (stream, content) => content.length > 0 && seen.push(`data ${stream} ${Buffer.from(content).toString()}`),
    accepted: (stream) => seen.push(`accepted ${stream}`),
    ended: (stream) => seen.push(`ended ${stream}`),
    ping: (id) => seen.push(`ping ${id}`),
  });
  for (let at = 0; at < bytes.length; at += size) frames.read(bytes.subarray(at, at + size));
  return seen;
}
const control = (kind: number, content: readonly number[], { flags = 0, length = content.length, version = 3 } = {}): Uint8Array =>
  Uint8Array.of(0x80, version, 0, kind, flags, length >> 16, (length >> 8) & 0xff, length & 0xff, ...content);
const data = (stream: number, text: string, isLast = false): Uint8Array =>
  joined([dataHead(stream, text.length, isLast), Buffer.from(text)]);

test("SpdyFrames reads data, replies, resets and pings, and skips what it does not need", () => {
  const whole = joined([
    control(4, [0, 0, 0, 1, 1, 0, 0, 4, 0, 0, 0, 100]),
    control(2, [0, 0, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9]),
    data(1, "ab"),
    data(3, ""),
    pingFrame(2 ** 31 + 2),
    control(9, [0, 0, 0, 1, 0, 0, 1, 0]),
    control(8, [0, 0, 0, 1, 0], { flags: 1 }),
    control(3, [0, 0, 0, 5, 0, 0, 0, 5]),
    control(2, [0, 0, 0, 7], { flags: 1 }),
    data(3, "", true),
    control(7, [0, 0, 0, 0, 0, 0, 0, 0]),
  ]);
  const expected = ["accepted 1", "data 1 ab", `ping ${2 ** 31 + 2}`, "ended 1", "ended 5", "accepted 7", "ended 7", "ended 3"];
  assert.deepEqual(events(whole), expected);
  assert.deepEqual(events(whole, 1).join().replace("data 1 a,data 1 b", "data 1 ab"), expected.join());
});

test("SpdyFrames rejects other versions and types, streams of the server, and frames that are too short or too long", () => {
  const wrong = [
    control(2, [0, 0, 0, 1], { version: 2 }),
    control(5, []),
    control(255, []),
    control(1, [0, 0, 0, 2, 0, 0, 0, 0, 0, 0]),
    control(2, [0, 0, 0]),
    control(3, [0, 0, 0, 1]),
    control(6, [1]),
    control(4, [], { length: spdyControlBytesMax + 1 }),
  ];
  for (const bytes of wrong) assert.throws(() => events(bytes), SpdyError, Buffer.from(bytes).toString("hex"));
  assert.deepEqual(events(control(4, [], { length: spdyControlBytesMax })), []);
});

test("openFrame() has headers that any reader of zlib takes, in one stream for the connection", () => {
  const [first, second] = [openFrame(1, { streamtype: "error" }), openFrame(3, { streamtype: "stdin", a: "b" })];
  assert.equal(Buffer.from(first.subarray(0, 18)).toString("hex"), `80030001${"00000031"}0000000100000000${"0000"}`);
  const headers = [first, second].map((frame) => frame.subarray(18)),
    whole = inflateSync(joined(headers), { finishFlush: constants.Z_SYNC_FLUSH });
  const word = (text: string) => `\0\0\0${String.fromCharCode(text.length)}${text}`;
  assert.equal(
    whole.toString("latin1"),
    `\0\0\0\x01${word("streamtype")}${word("error")}\0\0\0\x02${["streamtype", "stdin", "a", "b"].map(word).join("")}`,
  );
});
