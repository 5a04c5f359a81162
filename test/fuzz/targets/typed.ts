import assert from "node:assert/strict";
import { type Target, unless } from "../fuzz.ts";
import { jsonGrammar } from "./json.ts";
import { canonicalText, thingKeys, thingOf } from "./things.ts";

/** Decodes JSON documents to a type, and encodes them to protobuf and CBOR and back. */
export const typed: Target = {
  name: "typed",
  grammar: {
    ...jsonGrammar,
    thing: [(w) => `{${w.many("field", ",")}}`],
    field: ['"text":<string>', ...thingKeys.map((key) => `"${key}":<typed-value>`)],
    "typed-value": ["<value>", "<scalar>", '[{"text":<scalar>}]', '{"a":<scalar>,"text":"b","number":<scalar>}'],
    scalar: [
      "null",
      "true",
      "1",
      "-2147483649",
      "9223372036854775808",
      "1.5",
      '"YQ=="',
      '"1Gi"',
      '"1e1000000"',
      '"80%"',
      "<moment>",
      '"5m"',
    ],
    moment: ['"2024-01-02T03:04:05Z"', '"2024-01-02T03:04:05.123456Z"', '"0001-01-01T00:00:00Z"', '"2024-02-30T00:00:00+01:00"'],
  },
  start: "thing",
  binary: false,
  stepsPerCharacter: 80,
  async open(code) {
    const load = code.load;
    const Thing = await thingOf(load);
    const { jsonFromTree, readJson } = await load("core/tree/json.ts");
    const textOf = await canonicalText(load);
    const valueOf = (text: string) => textOf(jsonFromTree(readJson(text).tree));
    const { decoder, DecodeError } = await load("core/derive/decode.ts");
    const { protobufReader, protobufWriter } = await load("core/derive/protobuf.ts");
    const { cborReader } = await load("core/derive/cbor-read.ts");
    const { cborWriter } = await load("core/derive/cbor-write.ts");
    const { readCbor } = await load("core/codec/cbor/read.ts");
    const { encoder } = await load("core/derive/encode.ts");
    const [decode, encode] = [decoder(Thing), encoder(Thing)];
    const [toProtobuf, fromProtobuf] = [protobufWriter(Thing), protobufReader(Thing)];
    const [toCbor, fromCbor] = [cborWriter(Thing), cborReader(Thing)];
    return (input) => {
      const read = readJson(input.toWellFormed());
      if (!read.ok) return;
      const value = unless([DecodeError], () => decode(read.tree, { reader: "json", findings: [] }));
      if (value === undefined) return;
      const text = encode(value);
      // In protobuf an empty list or map equals an absent one; the text of a value is stable after one round trip.
      const once = encode(fromProtobuf(toProtobuf(value)));
      assert.equal(encode(fromProtobuf(toProtobuf(fromProtobuf(toProtobuf(value))))), once);
      // As upstream, field sets that are not objects are encoded and not decoded.
      const same = unless([DecodeError], () => encode(fromCbor(readCbor(toCbor(value).finish()))));
      if (same !== undefined) assert.equal(valueOf(same), valueOf(text));
    };
  },
};
