import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUint } from "./parse-uint.ts";

test("parseUint() parses as Go's ParseUint, and returns its error texts", () => {
  const cases: readonly (readonly [string, ReturnType<typeof parseUint>])[] = [
    ["0", 0],
    ["000", 0],
    ["0042", 42],
    ["9007199254740993", Number.MAX_SAFE_INTEGER],
    ["18446744073709551615", Number.MAX_SAFE_INTEGER],
    ["18446744073709551616", "value out of range"],
    ["9".repeat(1_000_000), "value out of range"],
    [`${"0".repeat(1_000_000)}7`, 7],
    ["", "invalid syntax"],
    ["+1", "invalid syntax"],
    ["-1", "invalid syntax"],
    ["1_000", "invalid syntax"],
    ["1e3", "invalid syntax"],
  ];
  for (const [text, expected] of cases) assert.equal(parseUint(text), expected, text.slice(0, 30));
});
