import assert from "node:assert/strict";
import { test } from "node:test";
import { durationText, parseDuration } from "./duration.ts";
import { Unreadable } from "./unreadable.ts";

test("parseDuration() and durationText() convert durations to Go's canonical form", () => {
  for (
    const [text, canonical] of [
      ["0", "0s"],
      ["90s", "1m30s"],
      ["1h", "1h0m0s"],
      ["1.5h", "1h30m0s"],
      ["1h2m3.5s", "1h2m3.5s"],
      ["-1.5ms", "-1.5ms"],
      ["1us", "1\u00b5s"],
      ["+5ns", "5ns"],
      [".5s", "500ms"],
      ["9223372036854775807ns", "2562047h47m16.854775807s"],
      ["-9223372036854775808ns", "-2562047h47m16.854775808s"],
    ] as const
  ) {
    const nanos = parseDuration(text);
    assert.ok(typeof nanos === "bigint", text);
    assert.equal(durationText(nanos), canonical);
  }
});

test("parseDuration() returns Go's errors, also one nanosecond past the int64", () => {
  for (
    const [text, error] of [
      ["", 'time: invalid duration ""'],
      ["-", 'time: invalid duration "-"'],
      [".s", 'time: invalid duration ".s"'],
      ["5", 'time: missing unit in duration "5"'],
      ["5x", 'time: unknown unit "x" in duration "5x"'],
      ["5constructor", 'time: unknown unit "constructor" in duration "5constructor"'],
      ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
      ["99999999999999999999h", 'time: invalid duration "99999999999999999999h"'],
    ] as const
  ) assert.deepEqual(parseDuration(text), new Unreadable(error), text);
});
