import assert from "node:assert/strict";
import { bytesOf, type Target, unless } from "../fuzz.ts";
import type { Writer } from "../grammar.ts";
import { canonicalText, thingKeys, thingOf } from "./things.ts";

/** The head of an item: major type and number, in one of its widths. */
function head(major: number, value: number, w?: Writer): string {
  const type = major * 32;
  const width = Math.max(value < 24 ? 0 : value < 256 ? 1 : 2, w === undefined ? 0 : w.below(5));
  if (width === 0) return String.fromCharCode(type + value);
  const bytes = [1, 2, 4, 8][width - 1]!;
  const digits = value.toString(16).padStart(2 * bytes, "0");
  return String.fromCharCode(type + 23 + width, ...digits.match(/../g)!.map((pair) => parseInt(pair, 16)));
}
const string = (text: string) => head(3, text.length) + text;
const times = (w: Writer, count: number, symbol: string) => Array.from({ length: count }, () => w.write(symbol)).join("");

/** RFC 8949: every major type, definite and indefinite lengths, tags, simple values and floats. */
export const cbor: Target = {
  name: "cbor",
  grammar: {
    document: ["<item>", "\xd9\xd9\xf7<item>", (w) => `\xd9\xd9\xf7\xbf${w.many("typed-pair")}\xff`],
    "typed-pair": [(w) => string(thingKeys[w.below(thingKeys.length)]!) + w.write("item")],
    item: [
      "\xf6",
      (w) => head(0, w.below(70_000), w),
      (w) => head(1, w.below(70_000), w),
      "\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
      "<bytes>",
      "<text>",
      (w) => {
        const count = w.below(6);
        return head(4, count, w) + times(w, count, "item");
      },
      (w) => `\x9f${w.many("item")}\xff`,
      (w) => {
        const count = w.below(6);
        return head(5, count, w) + times(w, count, "pair");
      },
      (w) => `\xbf${w.many("pair")}\xff`,
      (w) => head(6, [0, 1, 2, 21, 22, 23, 55799, 500][w.below(8)]!) + w.write("item"),
      (w) => w.below(100) === 0 ? w.write("bad-item") : w.write("text"),
      "\xf4",
      "\xfa\x3f\x80\x00\x00",
      "\xfb\x3f\xf0\x00\x00\x00\x00\x00\x00",
      "\xf9\x3c\x00",
      "\xc1\xfb\x41\xd0\x00\x00\x00\x00\x00\x00",
      (w) => `\xc0${w.write("text")}`,
    ],
    "bad-item": [(w) => String.fromCharCode(0xe0 + w.below(32)), "\xf8\xff", "\xf9\x7e\x00", "\x61\xff", "\x1c", "\xff"],
    // Keys that are not texts are rejected after the bytes are decoded.
    pair: ["<key><item>", (w) => w.write(w.below(40) === 0 ? "item" : "key") + w.write("item"), "\x43abc<item>"],
    key: ["\x60", (w) => string(`k${w.below(100_000)}`), "\x7f\x61a\x60\xff"],
    bytes: ["\x40", "\x43abc", (w) => `\x5f${w.many("bytes")}\xff`],
    text: ["\x60", "\x61a", (w) => string("k".repeat(w.below(40))), (w) => `\x7f${w.many("text")}\xff`, "\x63\xe2\x82\xac"],
  },
  start: "document",
  binary: true,
  stepsPerCharacter: 120,
  async open(code) {
    const Thing = await thingOf(code.load);
    const textOf = await canonicalText(code.load);
    const { readCbor, CborError } = await code.load("core/codec/cbor/read.ts");
    const { CborWriter, writeJson } = await code.load("core/codec/cbor/write.ts");
    const { treeOfCbor } = await code.load("core/codec/cbor/untyped.ts");
    const { CborFailure } = await code.load("core/codec/cbor/failure.ts");
    const { jsonFromTree, readJson } = await code.load("core/tree/json.ts");
    const { DecodeError } = await code.load("core/derive/decode.ts");
    const { cborReader } = await code.load("core/derive/cbor-read.ts");
    const { cborWriter } = await code.load("core/derive/cbor-write.ts");
    const { encoder } = await code.load("core/derive/encode.ts");
    const [read, write, encode] = [cborReader(Thing), cborWriter(Thing), encoder(Thing)];
    return (input) => {
      const item = unless([CborError], () => readCbor(bytesOf(input)));
      if (item === undefined) return;
      const tree = treeOfCbor(item);
      if (!(tree instanceof CborFailure)) {
        const json = jsonFromTree(tree);
        const writer = new CborWriter();
        writeJson(json, writer);
        assert.equal(textOf(jsonFromTree(treeOfCbor(readCbor(writer.finish())))), textOf(json));
      }
      const value = unless([DecodeError], () => read(item, []));
      if (value === undefined) return;
      const valueOf = (text: string) => textOf(jsonFromTree(readJson(text).tree));
      // As upstream, field sets that are not objects are encoded and not decoded.
      const again = unless([DecodeError], () => read(readCbor(write(value).finish())));
      if (again !== undefined) assert.equal(valueOf(encode(again)), valueOf(encode(value)));
    };
  },
};
