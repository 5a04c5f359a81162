import assert from "node:assert/strict";
import { bytesOf, type Target } from "../fuzz.ts";

const byte = (value: number) => String.fromCharCode(value & 0xff);
const uint32 = (value: number) => byte(value >>> 24) + byte(value >>> 16) + byte(value >>> 8) + byte(value);
const control = (kind: number, content: string, flags = 0) =>
  `\x80\x03\0${byte(kind)}${uint32(flags * 2 ** 24 + content.length)}${content}`;

/** Frames of SPDY/3.1 from a server, cut into pieces. */
export const spdy: Target = {
  name: "spdy",
  grammar: {
    connection: [(w) => w.many("frame")],
    frame: [(w) => w.write(w.below(100) === 0 ? "bad-frame" : "good-frame")],
    "good-frame": [
      (w) => uint32(1 + w.below(9)) + uint32(w.below(2) * 2 ** 24 + 20) + "a".repeat(20),
      (w) => control(2, uint32(1 + w.below(9)) + "h".repeat(w.below(60)), w.below(2)),
      (w) => control(3, uint32(1 + w.below(9)) + uint32(5)),
      (w) => control(6, uint32(w.below(99))),
      (w) => control([4, 7, 8, 9][w.below(4)]!, uint32(1) + uint32(w.below(99)), w.below(2)),
    ],
    "bad-frame": [
      (w) => control(w.below(256), "a".repeat(w.below(30))),
      (w) => byte(w.below(256)) + byte(w.below(256)) + uint32(w.below(99)) + "ab",
      () => "\x80\x03\0\x04\xff\xff\xff\xff",
    ],
  },
  start: "connection",
  binary: true,
  stepsPerCharacter: 100,
  async open(code) {
    const { SpdyFrames, SpdyError } = await code.load("protocols/spdy/frames.ts");
    const read = (bytes: Uint8Array, size: number): object => {
      const seen: Record<string, number> = {}, count = (key: string, by = 1) => void (seen[key] = (seen[key] ?? 0) + by);
      const frames = new SpdyFrames({
        data: (stream: number, { length }: Uint8Array) => count(`data ${stream}`, length),
        accepted: (stream: number) => count(`accepted ${stream}`),
        ended: (stream: number) => count(`ended ${stream}`),
        ping: (id: number) => count(`ping ${id}`),
      });
      try {
        for (let at = 0; at < bytes.length; at += size) frames.read(bytes.subarray(at, at + size));
      } catch (error) {
        if (!(error instanceof SpdyError)) throw error;
        count("rejected");
      }
      return seen;
    };
    return (input) => {
      const bytes = bytesOf(input), whole = read(bytes, bytes.length + 1);
      // Frames do not depend on the boundaries of pieces.
      if (bytes.length < 2000) assert.deepEqual(read(bytes, 7), whole);
    };
  },
};
