import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Of, bytesOf, parseBase64 } from "./base64.ts";
import { Unreadable } from "./unreadable.ts";

test("parseBase64() returns canonical base64 unchanged", () => {
  for (const text of ["", "YQ==", "YWE=", "YWFh", "+/+/"]) assert.equal(parseBase64(text), text);
});

test("parseBase64() ignores line breaks and unused bits", () => {
  assert.equal(parseBase64("aGVs\nbG8=\r\n"), "aGVsbG8=");
  assert.equal(parseBase64("YQ=\n="), "YQ==");
  assert.equal(parseBase64("YR=="), "YQ==");
  assert.equal(parseBase64("YWF="), "YWE=");
});

test("parseBase64() reports the same invalid byte as Go", () => {
  for (
    const [text, at] of [
      ["aGVsbG8", 4],
      ["YQ", 0],
      ["aGVsbG8==", 8],
      ["plain text", 5],
      ["_-8=", 0],
      ["aGVs bG8=", 4],
      ["!!!", 0],
      ["Y===", 1],
      ["YQ=", 3],
      ["YQ=a", 2],
      ["YQ==a", 4],
      ["====", 0],
      ["\u00e9", 0],
    ] as const
  ) assert.deepEqual(parseBase64(text), new Unreadable(`illegal base64 data at input byte ${at}`), text);
});

test("base64Of() and bytesOf() are inverse for every length of the last group", () => {
  for (let length = 0; length < 70; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length * 11) & 255);
    const text = base64Of(bytes);
    assert.equal(text, btoa(String.fromCharCode(...bytes)));
    assert.deepEqual(bytesOf(text), bytes);
    assert.equal(parseBase64(text), text);
  }
});

test("parseBase64() reads a megabyte", () => {
  const text = "QUJD".repeat(2 ** 18);
  assert.equal(parseBase64(text), text);
  assert.equal(parseBase64(text + "\n"), text);
});
