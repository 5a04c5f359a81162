import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "../../kernel/observe/log.ts";
import { keepErrors, recentErrorLengthMax, recentErrorsMax } from "./recent-errors.ts";

test("keepErrors() keeps the last errors of a log and its modules, and passes every line on", () => {
  const lines: string[] = [];
  let now = 0;
  const { log, recent } = keepErrors(openLog("json", (line) => lines.push(line), () => now, { v: 0, modules: [] }), () => now);
  log.info("fine");
  log.error("the store failed", { error: "disk full" });
  now = 1;
  log.module("watch").module("etcd").error("x".repeat(10_000));
  assert.equal(lines.length, 3);
  assert.deepEqual(recent().map(({ at, module, message }) => [at, module, message.length]), [[1, "etcd", recentErrorLengthMax], [
    0,
    "",
    27,
  ]]);
  assert.equal(recent()[1]!.message, "the store failed: disk full");
  for (let index = 0; index < 100; index++) log.error("again");
  assert.equal(recent().length, recentErrorsMax);
});
