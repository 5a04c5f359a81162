import assert from "node:assert/strict";
import { test } from "node:test";
import { der, derTag } from "./der.ts";
import { DerReader } from "./der-reader.ts";

const read = (...bytes: number[]) => new DerReader(Uint8Array.from(bytes));
const ascii = (tag: number, text: string) => new DerReader(der(tag, new TextEncoder().encode(text)));

test("DerReader rejects lengths that are indefinite, not minimal, too wide or beyond the end, and tags of several bytes", () => {
  const malformed = [
    [],
    [0x30],
    [0x30, 0x80],
    [0x30, 0x81],
    [0x30, 0x81, 0x7f],
    [0x30, 0x82, 0x00, 0x80],
    [0x30, 0x85, 0, 0, 0, 0, 0],
    [0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
    [0x30, 0x02, 0x00],
    [0x1f, 0x01, 0x00],
  ];
  for (const bytes of malformed) assert.throws(() => read(...bytes).any(), /DER/, bytes.join());
});

test("DerReader.boolean() accepts 00 and FF only", () => {
  assert.deepEqual([read(1, 1, 0).boolean(), read(1, 1, 0xff).boolean()], [false, true]);
  for (const bytes of [[1, 1, 1], [1, 1, 0xfe], [1, 0], [1, 2, 0xff, 0xff], [2, 1, 0]]) {
    assert.throws(() => read(...bytes).boolean(), /DER/);
  }
});

test("DerReader.integer() accepts minimal integers only", () => {
  assert.deepEqual([...read(2, 2, 0, 0x80).integer()], [0, 0x80]);
  assert.deepEqual([read(2, 1, 0).count(), read(2, 2, 1, 0).count(), read(2, 8, 0x7f, 0, 0, 0, 0, 0, 0, 0).count()], [0, 256, 2 ** 53 - 1]);
  for (const bytes of [[2, 0], [2, 2, 0, 0x7f], [2, 2, 0xff, 0x80]]) assert.throws(() => read(...bytes).integer(), /DER/);
  for (const bytes of [[2, 1, 0xff], [2, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0]]) assert.throws(() => read(...bytes).count(), /range/);
});

test("DerReader.oid() rejects arcs that are padded, truncated or of more than 31 bits", () => {
  for (
    const content of [[], [0x80, 1], [0x2a, 0x80, 1], [0x2a, 0x86], [0x2a, 0x88, 0x80, 0x80, 0x80, 0x00], [
      0x2a,
      0xff,
      0xff,
      0xff,
      0xff,
      0xff,
      1,
    ]]
  ) {
    assert.throws(() => read(6, content.length, ...content).oid(), /DER/, content.join());
  }
});

test("DerReader.bits() accepts unused bits that are zero, and shifts them out", () => {
  assert.deepEqual([...read(3, 3, 4, 0x12, 0x30).bits()], [0x01, 0x23]);
  assert.deepEqual([...read(3, 1, 0).bits()], []);
  for (const bytes of [[3, 0], [3, 1, 1], [3, 2, 8, 0], [3, 2, 1, 1]]) assert.throws(() => read(...bytes).bits(), /DER/, bytes.join());
});

test("DerReader.time() accepts the forms that Go accepts, and existing times only", () => {
  const at = Date.UTC(2025, 1, 3, 4, 5, 6);
  assert.deepEqual([
    ascii(derTag.utcTime, "250203040506Z").time(),
    ascii(derTag.utcTime, "2502030405Z").time(),
    ascii(derTag.utcTime, "250203050506+0100").time(),
    ascii(derTag.generalizedTime, "20250203040506Z").time(),
    ascii(derTag.generalizedTime, "20250203030506-0100").time(),
  ], [at, at - 6_000, at, at, at]);
  for (const text of ["250230000000Z", "251301000000Z", "250101240000Z", "250101000060Z", "250101000000+0000", "250101000000", "990101"]) {
    assert.throws(() => ascii(derTag.utcTime, text).time(), /DER/, text);
  }
  for (const text of ["202501010000Z", "20250101000000.5Z", "20250101000000z", "2".repeat(100_000)]) {
    assert.throws(() => ascii(derTag.generalizedTime, text).time(), /DER/, text.slice(0, 30));
  }
});
