import assert from "node:assert/strict";
import { bytesOf, type Target } from "../fuzz.ts";

const byte = (value: number) => String.fromCharCode(value & 0xff);
function frame(first: number, payload: string): string {
  const head = payload.length < 126 ? byte(0x80 | payload.length) : byte(0xfe) + byte(payload.length >> 8) + byte(payload.length);
  return byte(first) + head + "\x01\x02\x03\x04" + payload;
}

/** Frames of RFC 6455 from a client, cut into pieces. */
export const websocket: Target = {
  name: "websocket",
  grammar: {
    connection: [(w) => w.many("frame")],
    frame: [(w) => w.write(w.below(100) === 0 ? "bad-frame" : "good-frame")],
    "good-frame": [
      (w) => frame(0x81, "a".repeat(w.below(400))),
      (w) => frame(0x02, "abc") + frame(0x89, "ping") + frame(0x00, "") + frame(0x80, "a".repeat(w.below(200))),
      (w) => frame(0x89, "p".repeat(w.below(126))),
      () => frame(0x8a, ""),
    ],
    "bad-frame": [
      (w) => frame(0x80 | w.below(16), "a".repeat(w.below(130))),
      (w) => frame(w.below(256), "ab"),
      (w) => frame(0x88, byte(w.below(16)) + byte(w.below(256))),
      () => "\x81\x01a",
      () => "\x82" + "\xff".repeat(13),
    ],
  },
  start: "connection",
  binary: true,
  stepsPerCharacter: 100,
  async open(code) {
    const { ClientFrames, streamRules } = await code.load("protocols/websocket/client-frames.ts");
    const last = (bytes: Uint8Array, size: number): object => {
      const frames = new ClientFrames();
      let seen: object = {};
      // Of pings that arrive together the last one is answered; so the last pong is that of whole and of cut input.
      for (let at = 0; at < bytes.length; at += size) seen = { ...seen, ...frames.read(bytes.subarray(at, at + size)) };
      return seen;
    };
    const messages = (bytes: Uint8Array, size: number): object => {
      const seen: string[] = [""];
      const frames = new ClientFrames(streamRules((part: Uint8Array, isLast: boolean) => {
        seen.push(seen.pop()! + Buffer.from(part).toString("latin1"));
        if (isLast) seen.push("");
      }));
      for (let at = 0; at < bytes.length; at += size) frames.read(bytes.subarray(at, at + size));
      return seen;
    };
    return (input) => {
      const bytes = bytesOf(input), whole = last(bytes, bytes.length + 1), contents = messages(bytes, bytes.length + 1);
      if (bytes.length < 2000) assert.deepEqual(messages(bytes, 7), contents);
      // Frames do not depend on the boundaries of pieces.
      if (bytes.length < 2000) assert.deepEqual(last(bytes, 7), whole);
    };
  },
};
