import assert from "node:assert/strict";
import { test } from "node:test";
import { difference } from "./update.ts";

const compared = (a: Uint8Array, b: Uint8Array) => difference(a, [b.subarray(0, 20), b.subarray(20, 45), b.subarray(45)]);
const bytes = (text: string) => new TextEncoder().encode(text);
const entry = (time: string, more = "") => bytes(`{"managedFields":[{"time":"${time}"}],"data":{"a":"${more}"}}`);

test("difference() is none, times or more", () => {
  const one = entry("2026-01-02T03:04:05Z");
  assert.equal(compared(one, entry("2026-01-02T03:04:05Z")), "none");
  assert.equal(compared(one, entry("2026-01-02T03:04:06Z")), "times");
  assert.equal(compared(one, entry("2036-11-22T13:14:15Z")), "times");
  assert.equal(compared(entry("2026-01-02T03:04:05Z", "x"), entry("2026-01-02T03:04:05Z", "y")), "more");
  assert.equal(compared(entry("2026-01-02T03:04:05Z", "x"), entry("2026-01-02T03:04:06Z", "y")), "more");
  assert.equal(compared(one, entry("2026-01-02T03:04:05Z", "longer")), "more");
});

test("difference() finds a time in CBOR, which has no quotes around it", () => {
  const item = (time: string) => new Uint8Array([0x44, ...bytes("time"), 0x54, ...bytes(time), 0x41, 0x78]);
  assert.equal(compared(item("2026-01-02T03:04:05Z"), item("2026-01-02T03:04:59Z")), "times");
});

test("difference() at the ends of values that are shorter than a time", () => {
  assert.equal(compared(bytes("a"), bytes("b")), "more");
  assert.equal(compared(bytes(""), bytes("")), "none");
  assert.equal(compared(bytes("2026-01-02T03:04:05Z"), bytes("2026-01-02T03:04:06Z")), "times");
});
