import assert from "node:assert/strict";
import { test } from "node:test";
import { readOwners } from "../apply/owners.ts";
import { object } from "../meta/object.ts";
import {
  boolean,
  bytes,
  double,
  duration,
  field,
  fieldsV1,
  int32,
  int64,
  intOrString,
  lazy,
  list,
  microTime,
  quantity,
  raw,
} from "../schema.ts";
import { record, string, structsOf, time, type Typed } from "../schema.ts";
import { ProtobufError, protobufReader, protobufWriter } from "./protobuf.ts";
import { sampleOf } from "./sample.ts";
import { typedDepthMax } from "../bounds.ts";

const struct = structsOf("core/v1");
const Inner = struct("Inner", { b: field(2, string, ""), a: field(1, int32, "") });
const Kind = object("Kind", {
  text: field(2, string, ""),
  pointer: field(3, string, "", { pointer: true }),
  data: field(4, record(string), ""),
  inner: field(5, Inner, "", { inline: true }),
}, { package: "core/v1" });
const Values = struct("Values", {
  flag: field(1, boolean, ""),
  small: field(2, int32, ""),
  large: field(3, int64, ""),
  ratio: field(4, double, ""),
  blob: field(5, bytes, ""),
  amount: field(6, quantity, "", { written: "always" }),
  port: field(7, intOrString, "", { written: "always" }),
  at: field(8, time, "", { written: "always" }),
  fine: field(9, microTime, "", { written: "always" }),
  wait: field(10, duration, "", { pointer: true }),
  free: field(11, raw, "", { pointer: true }),
  managed: field(12, fieldsV1, "", { pointer: true }),
  items: field(13, list(Inner), ""),
  numbers: field(14, list(int64), ""),
  extra: field(15, record(list(string)), ""),
  blobs: field(16, record(bytes), ""),
  when: field(17, time, "", { pointer: true }),
  hidden: field(0, string, ""),
});
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text: string) => Uint8Array.from(text.replaceAll(" ", "").match(/../g) ?? [], (pair) => parseInt(pair, 16));
const write = protobufWriter(Values) as (value: object) => Uint8Array;
const read = protobufReader(Values) as (bytes: Uint8Array) => Record<string, unknown>;
const zeros = { amount: "0", port: 0, at: null, fine: null };

test("protobufReader() merges a struct that occurs twice: scalars are replaced, maps and lists are extended", () => {
  const Part = struct("Part", {
    name: field(1, string, ""),
    small: field(2, int32, ""),
    words: field(3, list(string), "", { written: "always" }),
  });
  const Whole = struct("Whole", { part: field(1, Part, ""), pointed: field(2, Part, "", { pointer: true }) });
  const read = (text: string) => protobufReader(Whole)(Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex")));
  assert.deepEqual(read("0a05 0a0161 1007 0a03 0a0162").part, { name: "b", small: 7, words: [] });
  assert.deepEqual(read("0a02 1007 0a03 1a0178 0a03 1a0179").part, { small: 7, words: ["x", "y"] });
  assert.deepEqual(read("1203 1a0178 1205 0a0161 1001").pointed, { name: "a", small: 1, words: ["x"] });
  assert.deepEqual(read("0a02 1007 0a00").part, { small: 7, words: [] }, "the second is empty");
});

test("protobufWriter() writes fields without a pointer even if empty, pointers only if present, and no kind", () => {
  const metadata = "0a00 1200 1a00 2200 2a00 3200 3800 4200".replaceAll(" ", "");
  assert.equal(
    hex(protobufWriter(Kind)({ kind: "Kind", apiVersion: "v1", metadata: {} })),
    `0a10${metadata}` + "1200" + "2a04" + "08001200",
  );
  assert.match(hex(protobufWriter(Kind)({ kind: "", apiVersion: "", metadata: {}, pointer: "" })), /12001a002a04/);
});

test("protobufWriter() reads inlined fields from their parent object, in ascending order", () => {
  assert.match(hex((protobufWriter(Kind) as (value: object) => Uint8Array)({ metadata: {}, a: 1, b: "x" })), /2a050801120178$/);
});

test("protobufWriter() sorts map entries by key", () => {
  const bytes = (protobufWriter(Kind) as (value: object) => Uint8Array)({ metadata: {}, data: { b: "1", a: "", 10: "2" } });
  assert.match(hex(bytes), /22070a0231301201322205(?:0a0161)120022060a0162120131/);
});

test("protobufWriter() and protobufReader() are inverse for every node", () => {
  const sample = sampleOf(Values, "") as Record<string, unknown>;
  const { hidden: _, ...carried } = sample;
  assert.deepEqual(read(write(sample)), carried);
  const Kinds = sampleOf(Kind, "v1");
  assert.deepEqual({ ...protobufReader(Kind)(protobufWriter(Kind)(Kinds)), kind: "Kind", apiVersion: "v1" }, Kinds);
});

test("protobufWriter() and protobufReader() keep the extremes", () => {
  for (
    const value of [
      { small: -1, large: -1, ratio: -0.5 },
      { small: 2147483647, large: 9007199254740993n },
      { small: -2147483648, large: -9223372036854775808n },
      { large: 9223372036854775807n, numbers: [0, -1, 2 ** 53 - 1, 2n ** 62n] },
      { at: "0001-01-01T00:00:01Z", fine: "9999-12-31T23:59:59.999999Z" },
      { at: "1970-01-01T00:00:00Z", fine: "1969-12-31T23:59:59.000001Z" },
      { when: null, port: "http", amount: "-1Gi" },
      { wait: "-2562047h47m16.854775808s", free: null },
      { blobs: JSON.parse('{"__proto__":"YQ==","b":""}'), extra: { a: [], b: ["", "x"] } },
    ]
  ) {
    const { free: _, ...carried } = value as Record<string, unknown>;
    assert.deepEqual(read(write(value)), { ...zeros, ...carried });
  }
});

test("protobufWriter() writes the zero time as an empty message and negative numbers in ten bytes", () => {
  assert.match(hex(write({ small: -1 })), /^080010ffffffffffffffffff011800/);
  assert.match(hex(write({})), /42004a00$/);
  assert.match(hex(write({ at: "1970-01-01T00:00:00Z" })), /420408001000/);
});

test("protobufReader() reads absent and empty fields as zero", () => {
  assert.deepEqual(read(new Uint8Array()), zeros);
  assert.deepEqual(read(unhex("0800 1000 1800 2a00 3200 3a00 4200 4a00")), zeros);
  assert.deepEqual(protobufReader(Kind)(new Uint8Array()), { kind: "", apiVersion: "", metadata: {} });
});

test("protobufReader() skips unknown fields, including the content of groups", () => {
  // Field 100 with each wire type, and a nested group.
  assert.deepEqual(read(unhex("a00601 a1060000000000000000 a20601ff a306 ab06 ac06 a406 a50600000000")), zeros);
});

/** The error message for invalid bytes. */
function saidOf(read: (bytes: Uint8Array) => unknown, text: string): string {
  try {
    return JSON.stringify(read(unhex(text)));
  } catch (error) {
    assert.ok(error instanceof ProtobufError, String(error));
    return error.message;
  }
}

test("protobufReader() rejects a known field with a wrong wire type by its Go name", () => {
  const wrong = (type: number, field: string) => `proto: wrong wireType = ${type} for field ${field}`;
  const cases = {
    "0a0161": wrong(2, "Flag"),
    "120161": wrong(2, "Small"),
    "1900000000 00000000": wrong(1, "Large"),
    "2001": wrong(0, "Ratio"),
    "2d00000000": wrong(5, "Blob"),
    "3001": wrong(0, "Amount"),
    "3202 0801": wrong(0, "String_"),
    "3a02 0a00": wrong(2, "Type"),
    "3a02 1200": wrong(2, "IntVal"),
    "3a02 1800": wrong(0, "StrVal"),
    "4202 0a00": wrong(2, "Seconds"),
    "4a02 1200": wrong(2, "Nanos"),
    "5202 0a00": wrong(2, "Duration"),
    "5a02 0800": wrong(0, "Raw"),
    "6800": wrong(0, "Items"),
    "6a02 1000": wrong(0, "B"),
    "7100000000 00000000": wrong(1, "Numbers"),
    "7800": wrong(0, "Extra"),
    "0b": wrong(3, "Flag"),
    "0e": wrong(6, "Flag"),
  };
  for (const [text, message] of Object.entries(cases)) assert.equal(saidOf(read, text), message, text);
  assert.equal(saidOf(protobufReader(Kind), "2800"), wrong(0, "Inner"));
  assert.equal(saidOf(protobufReader(Kind), "0800"), wrong(0, "ObjectMeta"));
});

test("protobufReader() ignores wire types in map entries, as upstream does", () => {
  // A key with the wire type of a varint, then a field 3 that is skipped.
  assert.equal(saidOf(protobufReader(Kind), "2207 080161 1a0162"), "unexpected EOF");
  assert.deepEqual((protobufReader(Kind)(unhex("2208 080161 100162 1800")) as { data?: object }).data, { a: "b" });
  assert.equal(saidOf(protobufReader(Kind), "2201 1c"), "proto: unexpected end of group");
});

test("protobufReader() rejects invalid tags, lengths and groups with upstream's messages", () => {
  const cases = {
    // Number 0; a negative number; the largest tag.
    "02": "proto: Values: illegal tag 0 (wire type 2)",
    "8080808040": "proto: Values: illegal tag -2147483648 (wire type 17179869184)",
    "f8ffffffffffffffff01": "proto: Values: illegal tag -1 (wire type 18446744073709551608)",
    // The end of a group without its start, also within a skipped group; unknown wire types.
    "0c": "proto: Values: wiretype end group for non-group",
    "a306": "unexpected EOF",
    "a306 ae06": "proto: illegal wireType 6",
    "a706": "proto: illegal wireType 7",
    // Lengths: truncated, longer than the rest, negative, beyond 64 bits; also of unknown fields.
    "2a80": "unexpected EOF",
    "2a01": "unexpected EOF",
    "2affffffffffffffffff01": "proto: negative length found during unmarshaling",
    "2affffffffffffffff7f": "proto: negative length found during unmarshaling",
    "2a80808080808080808080 01": "proto: integer overflow",
    "a206ffffffffffffffffff01": "proto: negative length found during unmarshaling",
    // Numbers: truncated, and of more than ten bytes.
    "10": "unexpected EOF",
    "1080": "unexpected EOF",
    "10ffffffffffffffffffff01": "proto: integer overflow",
    "08ffffffffffffffffffff01": "proto: integer overflow",
    "a006ffffffffffffffffffff01": "proto: integer overflow",
    "2100000000": "unexpected EOF",
    "a10600000000": "unexpected EOF",
    // A field does not extend beyond its message.
    "6a03 120261 62": "unexpected EOF",
    "6a02 0880 01": "unexpected EOF",
  };
  for (const [text, message] of Object.entries(cases)) assert.equal(saidOf(read, text), message, text);
});

test("protobufReader() reads packed numbers", () => {
  assert.deepEqual(read(unhex("7203 01 9601")), { ...zeros, numbers: [1, 150] });
});

test("protobufReader() truncates times to seconds and micro times to microseconds", () => {
  assert.deepEqual(read(unhex("4204 0801 1005 4a07 0801 10d0 0f18 00")), {
    ...zeros,
    at: "1970-01-01T00:00:01Z",
    fine: "1970-01-01T00:00:01.000002Z",
  });
});

test("protobufReader() rejects truncated bytes, wrong lengths and invalid values", () => {
  const whole = write(sampleOf(Values, "") as object);
  for (let length = 1; length < whole.length; length++) {
    try {
      read(whole.subarray(0, length));
    } catch (error) {
      assert.ok(error instanceof ProtobufError, String(error));
    }
  }
  const said = (text: string) => saidOf(read, text);
  assert.equal(said("2aff"), "unexpected EOF");
  assert.equal(said("2a05 00"), "unexpected EOF");
  assert.equal(said("6a02 1205 61"), "unexpected EOF");
  assert.equal(said("0000"), "proto: Values: illegal tag 0 (wire type 0)");
  assert.equal(said("18 ffffffffffffffffffffff"), "proto: integer overflow");
  assert.match(String(said("0e")), /^proto: /);
  assert.equal(said("420c 08 ffffffffffffffff7f 1000"), "time out of range");
  assert.equal(said("3203 0a0178"), "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  assert.match(String(said("5a04 0a027b7b")), /invalid character/);
  assert.equal(said("21 000000000000f07f"), "json: unsupported value: Infinity");
});

test("protobufReader() keeps managed fields that are not JSON as a string, which is an invalid field set", () => {
  const { managed } = read(unhex("6204 0a027b7b"));
  assert.equal(managed, "{{");
  const entry = { manager: "a", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" };
  assert.equal(readOwners([{ ...entry, fieldsV1: managed as string }]), undefined);
});

test("protobufReader() reads recursive messages up to the maximum depth", () => {
  type Tree = { readonly child?: Tree };
  const Node: Typed<Tree> = struct("Node", { child: field(1, lazy((): Typed<Tree> => Node), "", { pointer: true }) });
  let nested: Tree = {};
  for (let depth = 0; depth < typedDepthMax; depth++) nested = { child: nested };
  assert.deepEqual(JSON.stringify(protobufReader(Node)(protobufWriter(Node)(nested))), JSON.stringify(nested));
  assert.throws(() => protobufReader(Node)(protobufWriter(Node)({ child: nested })), new ProtobufError("exceeded max depth"));
});
