import assert from "node:assert/strict";
import { test } from "node:test";
import { csiDriverNameBytesMax, validateCsiDriverName } from "./csi-driver-name.ts";

const found = (name: string) => validateCsiDriverName(name, "at").map(({ type }) => type);

test("validateCsiDriverName() accepts subdomains in any case, up to 63 bytes", () => {
  for (const name of ["disk.example.com", "Disk.Example.COM", "d", "d".repeat(csiDriverNameBytesMax)]) {
    assert.deepEqual(found(name), [], name);
  }
});

test("validateCsiDriverName() reports an empty name once, and all problems of a long name", () => {
  assert.deepEqual(found(""), ["Required"]);
  assert.deepEqual(found("d".repeat(csiDriverNameBytesMax + 1)), ["TooLong"]);
  assert.deepEqual(found(`${"d".repeat(csiDriverNameBytesMax)}_`), ["TooLong", "Invalid"]);
  assert.deepEqual(found("a/b"), ["Invalid"]);
  assert.deepEqual(found("ž"), ["Invalid"]);
});
