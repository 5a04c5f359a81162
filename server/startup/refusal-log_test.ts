// In Deno's suite only: the log of refusals uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalLinesMax, refusalLog } from "./refusal-log.ts";
import { errorLogMs } from "./bounds.ts";

test("refusalLog() logs as many lines as the bound allows, and counts the others in the next line", () => {
  const lines: unknown[] = [];
  let ms = 0;
  const refused = refusalLog({ info: (...line) => lines.push(line) }, () => ms);
  for (let i = 0; i < refusalLinesMax; i++) refused(`id-${i}`, "expired");
  assert.equal(lines.length, refusalLinesMax);
  assert.deepEqual(lines[0], ["Unable to authenticate the request", { auditID: "id-0", error: "expired" }]);
  refused("late", "expired");
  ms = errorLogMs - 1;
  refused("later", "expired");
  assert.equal(lines.length, refusalLinesMax);
  ms = errorLogMs;
  refused("next", "expired");
  refused("after", "expired");
  assert.deepEqual(lines.slice(refusalLinesMax), [
    ["Unable to authenticate the request", { auditID: "next", error: "expired", suppressed: 2 }],
    ["Unable to authenticate the request", { auditID: "after", error: "expired" }],
  ]);
});

test("refusalLog() goes on after the clock was set back", () => {
  const lines: unknown[] = [];
  let ms = 1_000_000;
  const refused = refusalLog({ info: (...line) => lines.push(line) }, () => ms);
  for (let i = 0; i <= refusalLinesMax; i++) refused("id", "expired");
  ms = 0;
  refused("id", "expired");
  assert.equal(lines.length, refusalLinesMax + 1);
});
