import assert from "node:assert/strict";
import { test } from "node:test";
import { CborError, readCbor } from "../codec/cbor/read.ts";
import { CborWriter } from "../codec/cbor/write.ts";
import * as s from "../schema.ts";
import { treeFromJson } from "../tree/values.ts";
import { cborReader } from "./cbor-read.ts";
import { cborWriter } from "./cbor-write.ts";
import { DecodeError, decodeStored } from "./decode.ts";
import { sampleOf } from "./sample.ts";
import { randomOf } from "../random.ts";
import { seedOfRun } from "./test-random.ts";
import { typedDepthMax } from "../bounds.ts";

const Inner = s.struct("Inner", { text: s.field(1, s.string, "Text."), number: s.field(2, s.int32, "Number.", { pointer: true }) });
const Thing: s.Typed<Record<string, unknown>, s.StructNode> = s.struct("Thing", {
  flag: s.field(1, s.boolean, "Flag."),
  text: s.field(2, s.string, "Text."),
  small: s.field(3, s.int32, "Small.", { pointer: true }),
  large: s.field(4, s.int64, "Large."),
  double: s.field(5, s.double, "Double."),
  bytes: s.field(6, s.bytes, "Bytes."),
  quantity: s.field(7, s.quantity, "Quantity."),
  port: s.field(8, s.intOrString, "Port."),
  time: s.field(9, s.time, "Time."),
  micro: s.field(10, s.microTime, "Micro."),
  lasts: s.field(11, s.duration, "Lasts."),
  raw: s.field(12, s.raw, "Raw."),
  owned: s.field(13, s.fieldsV1, "Owned."),
  inners: s.field(14, s.list(Inner), "Inners."),
  texts: s.field(15, s.record(s.string), "Texts."),
  blobs: s.field(16, s.record(s.bytes), "Blobs."),
  inner: s.field(17, Inner, "Inner."),
  needed: s.field(18, s.list(s.string), "Needed.", { required: true }),
});

const hexOf = (text: string) => Buffer.from(text).toString("hex");
const text = (value: string) => (0x60 + value.length).toString(16) + hexOf(value);
const item = (hex: string) => readCbor(Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex")));
const read = (hex: string) => cborReader(Thing)(item(hex));
/** `{key: value}` */
const only = (key: string, hex: string) => read(`a1 ${text(key)} ${hex}`)[key];
function refusal(hex: string, findings?: string[]): string {
  try {
    cborReader(Thing)(item(hex), findings);
  } catch (error) {
    assert.ok(error instanceof DecodeError);
    return error.message;
  }
  assert.fail("was accepted");
}

for (
  const [key, hex, value] of [
    ["flag", "f5", true],
    ["text", "42 c3bc", "ü"],
    ["text", "d6 42 00ff", "AP8="],
    ["small", "39 00ff", -256],
    ["small", "f6", undefined],
    ["small", "f7", undefined],
    ["large", "1b 7fffffffffffffff", 9223372036854775807n],
    ["large", "3b 7fffffffffffffff", -9223372036854775808n],
    ["double", "f9 3e00", 1.5],
    ["double", "03", 3],
    ["bytes", "48 6147567362473 83d", "aGVsbG8="],
    ["bytes", "d6 42 00ff", "AP8="],
    ["bytes", "82 00 18ff", "AP8="],
    ["quantity", "d864 64 31303234", "1024"],
    ["port", "18 50", 80],
    ["port", "42 3830", "80"],
    ["time", `c0 74 ${hexOf("2024-01-01T00:00:00Z")}`, "2024-01-01T00:00:00Z"],
    ["lasts", text("90s"), "1m30s"],
    ["raw", "a1 61 61 d6 41 00", { a: "AA==" }],
    ["owned", "a1 45 663a612e62 a0", { "f:a.b": {} }],
    ["texts", "a1 41 61 41 62", { a: "b" }],
    ["texts", "d6 a1 61 61 41 62", { a: "Yg==" }],
    ["needed", "f6", []],
  ] as const
) {
  test(`cborReader() reads ${key} from ${hex}`, () => assert.deepEqual(only(key, hex), value));
}

const inField = (key: string) => `into Go struct field v1.Thing.${key} of type`;
for (
  const [what, hex, why] of [
    ["a number for a boolean", `a1 ${text("flag")} 01`, `cbor: cannot unmarshal positive integer ${inField("flag")} bool`],
    ["a fraction", `a1 ${text("small")} f9 4200`, `cbor: cannot unmarshal primitives ${inField("small")} int32`],
    [
      "too large a number",
      `a1 ${text("small")} 1a 80000000`,
      `cbor: cannot unmarshal positive integer ${inField("small")} int32 (2147483648 overflows int32)`,
    ],
    [
      "a number below the minimum int64, for a text",
      `a1 ${text("text")} 3b 8000000000000000`,
      `cbor: cannot unmarshal negative integer ${inField("text")} string (-9223372036854775809 overflows Go's int64)`,
    ],
    ["a text for bytes", `a1 ${text("bytes")} 61 61`, `cbor: cannot unmarshal UTF-8 text string ${inField("bytes")} []uint8`],
    [
      "bytes that are not base64",
      `a1 ${text("bytes")} 42 0001`,
      "cbor: failed to decode base64 from byte string: illegal base64 data at input byte 0",
    ],
    [
      "a byte beyond 255",
      `a1 ${text("bytes")} 81 190100`,
      `cbor: cannot unmarshal positive integer ${inField("bytes")} uint8 (256 overflows uint8)`,
    ],
    [
      "undefined for a field without a pointer",
      `a1 ${text("text")} f7`,
      "cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized",
    ],
    [
      "a list for a struct",
      `a1 ${text("inner")} 80`,
      `cbor: cannot unmarshal array ${inField("inner")} v1.Inner (cannot decode CBOR array to struct without toarray option)`,
    ],
    [
      "a struct inside of a struct, by the outer field",
      `a1 ${text("inner")} a1 ${text("text")} 01`,
      `cbor: cannot unmarshal positive integer ${inField("inner")} string`,
    ],
    ["a duplicate field", `a2 ${text("text")} 60 44 74657874 60`, 'cbor: found duplicate map key "text" at map element index 1'],
    ["a duplicate unknown key", "a2 61 61 01 41 61 02", 'cbor: found duplicate map key "a" at map element index 1'],
    [
      "a duplicate key of a map, before any other failure",
      `a1 ${text("texts")} a3 61 61 01 61 62 60 41 62 60`,
      'cbor: found duplicate map key "b" at map element index 2',
    ],
    [
      "a key that is a list",
      "a1 80 01",
      "cbor: cannot unmarshal array into Go value of type string (map key is of type array and cannot be used to match struct field name)",
    ],
    ["a duration that is a number", `a1 ${text("lasts")} 01`, "json: cannot unmarshal number into Go value of type string"],
    [
      "an invalid raw value, after every other failure",
      `a2 ${text("raw")} f7 ${text("flag")} 60`,
      `cbor: cannot unmarshal UTF-8 text string ${inField("flag")} bool`,
    ],
    [
      "managed fields that are not a map",
      `a1 ${text("owned")} 80`,
      "failed to transcode FieldsV1 to JSON: metav1.FieldsV1 cbor invalid: cbor: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
  ] as const
) {
  test(`cborReader() rejects ${what}`, () => assert.equal(refusal(hex), why));
}

test("cborReader() reports the path of the first unknown field, and reads the rest", () => {
  const findings: string[] = [];
  const thing = cborReader(Thing)(item(`a3 ${text("text")} 61 61 ${text("zeta")} 01 05 02`), findings);
  assert.deepEqual(findings, ["cbor: found unknown field at map element index 1"]);
  assert.equal(thing["text"], "a");
  assert.equal(
    refusal(`a2 ${text("zeta")} 01 ${text("flag")} 60`, []),
    "cbor: cannot unmarshal UTF-8 text string into Go struct field v1.Thing.flag of type bool",
  );
});

test("cborReader() reads nested structs up to the maximum depth", () => {
  interface Nested {
    readonly next?: Nested;
  }
  const Node: s.Typed<Nested, s.StructNode> = s.struct("Node", {
    next: s.field(1, s.lazy((): s.Typed<Nested> => Node), "Next.", { pointer: true }),
  });
  const nested = (levels: number) => item(`a1 ${text("next")}`.repeat(levels - 1) + "a0");
  assert.deepEqual(Object.keys(cborReader(Node)(nested(typedDepthMax))), ["next"]);
  assert.throws(() => cborReader(Node)(nested(typedDepthMax + 1)), new DecodeError("exceeded max depth"));
});

const seed = seedOfRun();

const written = (value: Record<string, unknown>) => cborWriter(Thing)(value, new CborWriter().selfDescribed()).finish();

test(`cborReader() reads any object that cborWriter() wrote, equal to that of the JSON decoder (THOLE_SEED=${seed})`, () => {
  const random = randomOf(seed);
  const pick = <T>(...some: readonly T[]): T => some[Math.floor(random() * some.length)]!;
  const some = <T>(make: () => T): T[] => Array.from({ length: Math.floor(random() * 4) }, make);
  const word = () => pick("", "a", "ü", "𝄞", "__proto__", "constructor", "x".repeat(30), '"<>&', "b/c");
  const json = (depth: number): s.Json => {
    if (depth > 3 || random() < 0.6) return pick<s.Json>(null, true, 0, -1, 1.5, 9007199254740993n, -(2n ** 63n), 1e300, word());
    return random() < 0.5 ? some(() => json(depth + 1)) : Object.fromEntries(some(() => [word(), json(depth + 1)]));
  };
  const base64 = () => Buffer.from(word()).toString("base64");
  for (let round = 0; round < 300; round++) {
    const source: Record<string, s.Json> = {
      flag: pick(true, false),
      text: word(),
      small: pick(0, 1, -(2 ** 31), 2 ** 31 - 1),
      large: pick<s.Json>(0, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n)),
      double: pick(0, 1, 0.1, -1e300, 65504),
      bytes: base64(),
      quantity: pick("0", "1Gi", "10m"),
      port: pick<s.Json>(0, 80, "http"),
      time: pick(null, "2024-01-01T00:00:00Z"),
      micro: pick(null, "2024-01-01T00:00:00.000001Z"),
      lasts: pick("0s", "1m30s"),
      raw: json(0),
      owned: Object.fromEntries(some(() => [`f:${word()}`, {}])),
      inners: some(() => ({ text: word(), ...pick({}, { number: 3 }) })),
      texts: Object.fromEntries(some(() => [word(), word()])),
      blobs: Object.fromEntries(some(() => [word(), base64()])),
      inner: { text: word() },
      needed: some(word),
    };
    for (const key of Object.keys(source)) if (random() < 0.3) delete source[key];
    const object = decodeStored(Thing)(treeFromJson(source));
    const bytes = written(object);
    const back = cborReader(Thing)(readCbor(bytes), []);
    assert.deepEqual(back, object, `seed ${seed}, round ${round}`);
    assert.deepEqual(written(back), bytes);
  }
});

test("cborWriter() writes every field of a sample, and cborReader() reads it", () => {
  const object = sampleOf(Thing, "v1");
  assert.deepEqual(cborReader(Thing)(readCbor(written(object)), []), object);
});

test(`cborReader() reads random bytes or throws DecodeError or CborError (THOLE_SEED=${seed})`, () => {
  const random = randomOf(seed);
  const whole = written(sampleOf(Thing, "v1"));
  for (let round = 0; round < 3000; round++) {
    const bytes = round % 2 === 0 ? whole.slice() : Uint8Array.from({ length: Math.floor(random() * 40) }, () => random() * 256);
    for (let change = 0; change < 3 && bytes.length > 0; change++) bytes[Math.floor(random() * bytes.length)] = random() * 256;
    try {
      cborReader(Thing)(readCbor(bytes), round % 3 === 0 ? [] : undefined);
    } catch (error) {
      if (!(error instanceof DecodeError || error instanceof CborError)) throw new Error(`seed ${seed}, round ${round}`, { cause: error });
    }
  }
});

test("cborReader() sorts managed fields as Go sorts maps, at every level", () => {
  const inner = `a3 ${text("f:a")} a0 ${text(".")} a0 ${text("f:B")} 82 a2 ${text("b")} 01 ${text("a")} 02 f6`;
  const owned = only("owned", `a2 ${text("f:z")} ${inner} ${text("f:data")} a0`);
  assert.equal(JSON.stringify(owned), '{"f:data":{},"f:z":{".":{},"f:B":[{"a":2,"b":1},null],"f:a":{}}}');
});
