import assert from "node:assert/strict";
import { test } from "node:test";
import { fillProgress } from "./fill-progress.ts";

test("a fill that takes long is logged every two seconds; a later one counts from zero", () => {
  const lines: unknown[] = [];
  let at = 0;
  const read = fillProgress({ info: (text, fields) => void lines.push([text, fields]) }, () => at);
  const readAt = (ms: number) => {
    at = ms;
    read(500);
  };
  for (const ms of [1000, 1500, 2999, 3000, 4000, 5100]) readAt(ms);
  assert.deepEqual(lines, [
    ["filling the watch cache", { objects: 2000, seconds: 2 }],
    ["filling the watch cache", { objects: 3000, seconds: 4 }],
  ]);
  for (const ms of [60_000, 62_000]) readAt(ms);
  assert.deepEqual(lines[2], ["filling the watch cache", { objects: 1000, seconds: 2 }]);
});
