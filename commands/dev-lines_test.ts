import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOfStarts, painter, shownLine } from "./dev-lines.ts";

const line = (fields: object) => JSON.stringify({ time: "2026-01-02T03:04:05.678Z", level: "info", v: 0, ...fields });
const request = line({
  logger: "httplog",
  message: "HTTP",
  verb: "GET",
  URI: "/api/v1/namespaces",
  latency: "1.25ms",
  userAgent: "kubectl/v1.35.0 (linux/amd64)",
  resp: 200,
});

test("shownLine() shows a request in columns, and the other lines with their fields", () => {
  const paint = painter(false);
  assert.equal(shownLine(request, paint), "03:04:05.678 GET    200    1.25ms /api/v1/namespaces kubectl/v1.35.0");
  assert.equal(shownLine(line({ message: "starting", store: "data" }), paint), "03:04:05.678 starting store=data");
  assert.equal(
    shownLine(line({ level: "error", message: "failed", error: "a", stack: "Error: a\n    at f (file:///a.ts:1:2)\x1b[2J" }), paint),
    "03:04:05.678 failed error=a\n  Error: a\n      at f (file:///a.ts:1:2)",
  );
  assert.equal(shownLine("thole: unknown flag", paint), "thole: unknown flag");
  assert.equal(shownLine("[1]", paint), "[1]");
});

test("shownLine() colours the status by its class, and only with a terminal", () => {
  const shown = (resp: number) => shownLine(request.replace("200", String(resp)), painter(true));
  assert.ok(shown(200).includes("\x1b[32m200"));
  assert.ok(shown(404).includes("\x1b[33m404"));
  assert.ok(shown(500).includes("\x1b[31m500"));
});

test("shownLine() lets no control character of a client through", () => {
  const hostile = line({
    logger: "httplog",
    message: "HTTP",
    verb: "GET",
    URI: "/\x1b]0;x\x07\x1b[2J\x9bm\n",
    latency: "1ms",
    userAgent: "\x1b[31m a",
    resp: 200,
  });
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(shownLine(hostile, painter(false)), /[\x00-\x1f\x7f-\x9f]/);
});

test("linesOfStarts() does not show a line again that an earlier start has logged, except errors", () => {
  const isNew = linesOfStarts();
  const line = (level: string, second: number, store: string) =>
    JSON.stringify({ time: `2026-11-22T10:11:${second}Z`, level, message: "starting", store });
  assert.deepEqual([line("info", 12, "a"), line("info", 13, "a"), line("info", 14, "b")].map(isNew), [true, false, true]);
  assert.deepEqual([line("error", 12, "a"), line("error", 13, "a"), "no JSON", "no JSON"].map(isNew), [true, true, true, true]);
  const many = Array.from({ length: 200 }, (_, index) => line("info", 15, `store ${index}`));
  assert.deepEqual([...many, ...many].map(isNew).filter((each) => !each).length, 98, "a bounded number is remembered");
});
