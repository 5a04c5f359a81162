import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCheck } from "./formats.ts";

test("durations are those of Go, or numbers with words for their units", () => {
  const accepts = formatCheck("duration")!;
  for (const good of ["1h30m", "3 days", "2\tweeks", "1 wk", "x 5 HOURS", "007 seconds", "0 s", "1 odd 2 min"]) {
    assert.equal(accepts(good), true, good);
  }
  for (const bad of ["", "3", "days", "3 odd", "3 wks", "3 sx", "3\vdays", `${2n ** 63n} days`, "1 day 99999999999999999999 days"]) {
    assert.equal(accepts(bad), false, bad);
  }
  assert.equal(accepts("1 ".repeat(200_000)), false);
});
