import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { bytesOf, type Target, unlessRefused } from "../fuzz.ts";
import type { Writer } from "../grammar.ts";

const byte = (value: number) => String.fromCharCode(value & 0xff);
const word = (value: number) => byte(value >> 24) + byte(value >> 16) + byte(value >> 8) + byte(value);
function frame(type: number, flags: number, stream: number, payload: string): string {
  return byte(payload.length >> 16) + byte(payload.length >> 8) + byte(payload.length) + byte(type) + byte(flags) + word(stream) + payload;
}
const stream = (w: Writer) => [0, 1, 3, 0x7fffffff][w.below(4)]!;

const bounds = { bytesMax: 65_536, framesMax: 64 };

/** Frames of RFC 9113 with header blocks of RFC 7541, cut into chunks. */
export const http2: Target = {
  name: "http2",
  grammar: {
    connection: [(w) => w.write("good-frame") + w.many("frame")],
    // Frames that end the connection are rare, so that long inputs get far.
    frame: [(w) => w.write(w.below(200) === 0 ? "bad-frame" : "good-frame")],
    "good-frame": [
      (w) => frame(0, w.below(2), stream(w), "\x00" + word(3) + "abc"),
      (w) => frame(1, 4 | w.below(2), stream(w), w.write("block")),
      (w) => frame(0, 8, stream(w), byte(w.below(4)) + "data"),
      (w) => frame(1, 0, 1, w.write("block")) + frame(9, 0, 1, w.write("block")) + frame(9, 4, 1, w.write("block")),
      (w) => frame(1, 4 | 8 | 32, 1, byte(1) + word(0) + byte(16) + w.write("block") + "\x00"),
      (w) => frame(3, 0, stream(w), word(w.below(14))),
      (w) => frame(4, w.below(2), 0, w.many("setting")),
      (w) => frame(6, w.below(2), 0, "12345678"),
      (w) => frame(7, 0, 0, word(stream(w)) + word(w.below(14)) + "debug"),
      (w) => frame(8, 0, stream(w), word(w.below(3) * 0x3fffffff)),
      (w) => frame(5, 4, 1, word(2) + w.write("block")),
      (w) => frame(10 + w.below(240), w.below(256), stream(w), "unknown"),
    ],
    "bad-frame": [
      () => byte(0xff).repeat(3) + frame(0, 0, 1, ""),
      (w) => frame(0, 8, 1, byte(4 + w.below(4)) + "abc"),
      () => frame(1, 4 | 8, 1, ""),
      (w) => frame(9, 4, 1, w.write("block")),
      (w) => frame(1, 4, 1, w.write("bad-header")),
      (w) => frame(1, 4, 1, byte(0) + w.write("string") + w.write("bad-string")),
    ],
    setting: [(w) => byte(0) + byte(w.below(8)) + word(w.below(2) * 0xffff)],
    block: [(w) => w.many("header")],
    header: [
      (w) => byte(0x80 | (1 + w.below(61))),
      "<indexed-name><string>",
      "\x00<string><string>",
      "\x40<string><string>",
      "\x10<string><string>",
      "\x20",
      "\x88",
    ],
    "bad-header": ["\x3f\xe1\x1f", "\xff\xff\xff\xff\xff\x0f", (w) => byte(0x80 | (62 + w.below(60))), (w) => byte(w.below(256))],
    "indexed-name": [(w) => byte(0x40 | (1 + w.below(61))), (w) => byte(1 + w.below(14)), "\x0f\x10"],
    string: [
      "\x01a",
      (w) => {
        const length = w.below(120);
        return byte(length) + "x".repeat(length);
      },
      "\x86\xa8\xeb\x10\x64\x9c\xbf",
      "\x81\x1f",
      "\x7f\x01" + "y".repeat(128),
      "\x00",
    ],
    "bad-string": [
      "\x82\x1f\xff",
      "\x7f\x80\x80\x80\x80\x10",
      (w) => byte(0x80 | 20) + Array.from({ length: 20 }, () => byte(w.below(256))).join(""),
      "\x05abc",
    ],
  },
  start: "connection",
  binary: true,
  stepsPerCharacter: 100,
  async open(code) {
    const { readFrames, unpad } = await code.load("protocols/http2/frames.ts");
    const { headerFrames } = await code.load("protocols/http2/header-frames.ts");
    const { HeaderDecoder } = await code.load("protocols/http2/header-decoder.ts");
    const { isValidField, requestHead } = await code.load("server/listen/http2/request-head.ts");
    const { settingsOf } = await code.load("server/listen/http2/peer-settings.ts");
    const { headerBlock, headerReader, readHeaders } = await code.load("protocols/http2/client/hpack.ts");
    const { messageReader } = await code.load("protocols/grpc/messages.ts");
    return (input) => {
      const bytes = Buffer.from(bytesOf(input));
      const whole = unlessRefused(() => connection(bytes, bytes.length));
      // Frames do not depend on the boundaries of chunks.
      if (whole !== undefined && bytes.length < 2000) assert.deepEqual(connection(bytes, 7), whole);
    };
    function connection(bytes: Buffer, chunk: number): string[] {
      const seen: string[] = [];
      const decode = headerReader();
      const listenerDecoder = new HeaderDecoder({ tableBytesMax: 200, listBytesMax: 2000, fieldsMax: 100, check: isValidField });
      const blocks = headerFrames(bounds, ({ ends, bytes }: { readonly ends: boolean; readonly bytes: Buffer }) => {
        // The listener accepts a dynamic table, the client of etcd none.
        const fields = unlessRefused(() => listenerDecoder.decode(bytes));
        if (fields !== undefined) seen.push(`${JSON.stringify(fields)} ${JSON.stringify(requestHead(fields, ends))}`);
        const headers = decode(bytes);
        seen.push(`${ends} ${JSON.stringify([...headers])}`);
        assert.deepEqual([...readHeaders(headerBlock([...headers]))], [...headers]);
      });
      const messages = messageReader();
      const read = readFrames((type: number, flags: number, stream: number, payload: Buffer) => {
        if (blocks(type, flags, stream, payload)) return;
        seen.push(`${type} ${flags} ${stream} ${payload.length}`);
        if (type === 4) seen.push(JSON.stringify(unlessRefused(() => settingsOf(payload))));
        if (type === 0) { for (const message of messages(unpad(flags, payload))) seen.push(`message ${message.length}`); }
      });
      for (let at = 0; at < bytes.length; at += chunk) read(bytes.subarray(at, at + chunk));
      return seen;
    }
  },
};
