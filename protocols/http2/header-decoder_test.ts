import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { HeaderDecoder } from "./header-decoder.ts";
import { encodedField } from "./header-encoder.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const decoder = (tableBytesMax = 4096, listBytesMax = 10_000, fieldsMax = 100) =>
  new HeaderDecoder({ tableBytesMax, listBytesMax, fieldsMax, check: (name) => name !== "bad" });
const pairs = (fields: ReturnType<HeaderDecoder["decode"]>) => fields?.map(({ name, value }) => `${name}: ${value}`);

/** Three requests on one connection, plain and with the Huffman code (RFC 7541, appendices C.3 and C.4). */
const requests = [
  [
    "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
    "8286 84be 5808 6e6f 2d63 6163 6865",
    "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
  ],
  [
    "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
    "8286 84be 5886 a8eb 1064 9cbf",
    "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
  ],
];
for (const blocks of requests) {
  test("HeaderDecoder reads the requests of RFC 7541 with its dynamic table", () => {
    const one = decoder(), first = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"];
    assert.deepEqual(pairs(one.decode(hex(blocks[0]!))), first);
    assert.deepEqual(pairs(one.decode(hex(blocks[1]!))), [...first, "cache-control: no-cache"]);
    const third = [":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com", "custom-key: custom-value"];
    assert.deepEqual(pairs(one.decode(hex(blocks[2]!))), third);
  });
}

test("HeaderDecoder evicts the oldest fields, at once those that are larger than the table, and with a smaller table", () => {
  // Each field has 34 bytes: two fit.
  const one = decoder(70), field = (letter: string) => `4001${Buffer.from(letter).toString("hex")}01 31`;
  one.decode(hex(field("a") + field("b") + field("c")));
  assert.deepEqual(pairs(one.decode(hex("be bf"))), ["c: 1", "b: 1"]);
  assert.throws(() => one.decode(hex("c0")), /not in the table/);
  one.decode(hex("3f 03")); // 34 bytes
  assert.deepEqual(pairs(one.decode(hex("be"))), ["c: 1"]);
  assert.throws(() => one.decode(hex("bf")), /not in the table/);
  one.decode(Buffer.concat([hex("40 01 61 32"), Buffer.from("x".repeat(50))]));
  assert.throws(() => one.decode(hex("be")), /not in the table/);
  for (let at = 0; at < 1000; at++) assert.deepEqual(pairs(one.decode(hex(`${field("d")} be`))), ["d: 1", "d: 1"]);
});

test("HeaderDecoder returns undefined for more fields or bytes than allowed, and its table stays right", () => {
  const one = decoder(4096, 100, 3);
  assert.equal(one.decode(hex("82 84 87 87")), undefined);
  assert.equal(pairs(one.decode(hex("82 84")))?.length, 2);
  assert.equal(one.decode(Buffer.concat([hex("40 01 61 46"), Buffer.from("x".repeat(70))])), undefined);
  assert.equal(one.decode(hex("be")), undefined);
  assert.deepEqual(pairs(one.decode(hex("40 01 62 01 31"))), ["b: 1"]);
  assert.deepEqual(pairs(one.decode(hex("be"))), ["b: 1"]);
});

test("HeaderDecoder checks a field once, and refers to the result", () => {
  const checked: string[] = [];
  const one = new HeaderDecoder({ tableBytesMax: 4096, listBytesMax: 1000, fieldsMax: 10, check: (name) => checked.push(name) < 0 });
  for (const block of ["40 01 61 01 31", "be", "be"]) assert.equal(one.decode(hex(block))?.[0]?.isValid, false);
  assert.deepEqual(checked, ["a"]);
});

test("HeaderDecoder reads what encodedField() writes", () => {
  const fields = [[":status", "200"], [":status", "418"], ["content-type", "application/json"], ["x", "y".repeat(127)], [
    "audit-id",
    "",
  ]] as const;
  const block = Buffer.from(fields.map(([name, value]) => encodedField(name, value)).join(""), "latin1");
  assert.deepEqual(decoder().decode(block)?.map(({ name, value }) => [name, value]), fields);
  assert.equal(encodedField(":status", "200"), "\x88");
});
