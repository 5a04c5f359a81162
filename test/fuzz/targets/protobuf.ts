import assert from "node:assert/strict";
import { bytesOf, type Target, unless } from "../fuzz.ts";
import type { Grammar, Writer } from "../grammar.ts";
import { thingOf } from "./things.ts";

/** A varint of seven bits to the byte. */
export function varint(value: number): string {
  let text = "";
  for (; value >= 0x80; value = Math.floor(value / 128)) text += String.fromCharCode(value % 128 | 0x80);
  return text + String.fromCharCode(value);
}
/** A length and what has it. */
export function delimited(text: string): string {
  return varint(text.length) + text;
}
const tag = (field: number, type: number) => varint(field * 8 + type);

/** Fields of every wire type, with the numbers of the schema and others. */
export const protobufGrammar: Grammar = {
  message: [(w) => w.many("field")],
  field: [
    (w) => tag(1 + w.below(18), 0) + w.write("number"),
    (w) => tag(1 + w.below(18), 2) + delimited(w.write("content")),
    (w) => tag(1 + w.below(18), 1) + "\x00\x01\x02\x03\x04\x05\xf0\x3f",
    (w) => tag(1 + w.below(18), 5) + "\x00\x01\x02\x03",
    (w) => tag(100, 3) + w.many("field") + tag(100, 4),
    (w) => tag(w.below(2) === 0 ? 0 : 2 ** 28, w.below(8)),
  ],
  number: ["\x00", (w: Writer) => varint(w.below(2 ** 31)), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\xff".repeat(11), "\x80\x00"],
  content: [
    "a",
    "<message>",
    "\xff\xfe",
    "1Gi",
    (w) => `\x0a${delimited(w.write("content"))}\x12${delimited(w.write("content"))}`,
    "{}",
    (w) => `\x08${w.write("number")}\x10${w.write("number")}`,
    "",
  ],
};

export const protobuf: Target = {
  name: "protobuf",
  grammar: {
    ...protobufGrammar,
    body: ["<message>", "k8s\x00<envelope>", "k8s\x00<message>"],
    envelope: [(w) => `\x0a${delimited("\x0a\x02v1\x12\x01K")}\x12${delimited(w.write("message"))}\x1a\x00\x22\x00`],
  },
  start: "body",
  binary: true,
  stepsPerCharacter: 60,
  async open(code) {
    const Thing = await thingOf(code.load);
    const { protobufReader, protobufWriter, ProtobufError } = await code.load("core/derive/protobuf.ts");
    const { readEnvelope } = await code.load("core/codec/protobuf.ts");
    const { encoder } = await code.load("core/derive/encode.ts");
    const [read, write, encode] = [protobufReader(Thing), protobufWriter(Thing), encoder(Thing)];
    return (input) => {
      const bytes = bytesOf(input);
      const raw = unless([ProtobufError], () => readEnvelope(bytes))?.raw ?? bytes;
      const value = unless([ProtobufError], () => read(raw));
      if (value === undefined) return;
      const once = encode(value);
      assert.equal(encode(read(write(value))), once);
    };
  },
};
