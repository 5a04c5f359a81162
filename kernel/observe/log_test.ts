import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../../core/status-error.ts";
import { describe, jsonLog, type LogFormat, openLog, silentLog, type Verbosity, verbosityOf } from "./log.ts";
import { StoreError } from "../store/store.ts";
import { logTextLengthMax } from "../../core/bounds.ts";

const at = Date.parse("2026-11-21T17:34:27.123Z");
function world(format: LogFormat, verbosity: Verbosity = { v: 0, modules: [] }) {
  const lines: string[] = [];
  return { lines, log: openLog(format, (line) => lines.push(line), () => at, verbosity, 4711) };
}

test("openLog() writes text in klog's format, with values quoted as JSON", () => {
  const { log, lines } = world("text");
  log.info("shutting down", { signal: "SIGTERM", open: 3, left: undefined });
  log.module("store").error('it is "gone"', { keys: ["a\nE1121 forged", 1] });
  assert.deepEqual(lines, [
    'I1121 17:34:27.123000    4711 server] "shutting down" signal="SIGTERM" open=3',
    'E1121 17:34:27.123000    4711 store] "it is \\"gone\\"" keys=["a\\nE1121 forged",1]',
  ]);
});

test("openLog() keeps the line breaks of a stack in text, with every line indented and without control characters", () => {
  const { log, lines } = world("text");
  const stack = "Error: a\nE1121 forged\r\x1b[2J\n    at f (file:///a.ts:1:2)";
  log.error("failed", { error: "a\nE1121 forged", stack, reference: "r" });
  assert.deepEqual(lines[0]!.split("\n"), [
    'E1121 17:34:27.123000    4711 server] "failed" error="a\\nE1121 forged" stack=<',
    "\tError: a",
    "\tE1121 forged\ufffd\ufffd[2J",
    "\t    at f (file:///a.ts:1:2)",
    ' > reference="r"',
  ]);
  log.error("failed", { stack: `${"x".repeat(logTextLengthMax)}yz` });
  assert.ok(lines[1]!.endsWith("x... (2 more)\n >"));
  const json = world("json");
  json.log.error("failed", { stack });
  assert.equal(json.lines[0]!.includes("\n"), false);
});

test("openLog() writes each entry as one line of JSON", () => {
  const { log, lines } = world("json", { v: 2, modules: [] });
  log.module("cache").at(2)?.info("filled", { entries: 3 });
  assert.deepEqual(JSON.parse(lines[0]!), {
    time: "2026-11-21T17:34:27.123Z",
    level: "info",
    v: 2,
    logger: "cache",
    message: "filled",
    entries: 3,
  });
  const ofWorker: string[] = [];
  openLog("json", (line) => ofWorker.push(line), () => at, { v: 0, modules: [] }, 4711, 2).info("hello");
  assert.equal(JSON.parse(ofWorker[0]!).worker, 2);
  const plain: string[] = [];
  jsonLog((line) => plain.push(line), () => at).error("no", { a: 1n });
  assert.deepEqual(JSON.parse(plain[0]!), { time: "2026-11-21T17:34:27.123Z", level: "error", v: 0, message: "no", a: "1" });
});

test("Log.at() returns a sink up to the verbosity, which a module's level overrides in both directions", () => {
  const verbosity = verbosityOf(2, ["http*=4", "c?che=0", "http*=9"], []);
  const { log } = world("text", verbosity);
  const most = (name: string) => [0, 1, 2, 3, 4, 5, 10].filter((level) => log.module(name).at(level) !== undefined).at(-1);
  assert.deepEqual(["", "store", "http", "httplog", "cache", "caches"].map(most), [2, 2, 4, 4, 0, 2]);
  assert.equal(silentLog.module("a").at(0), undefined);
});

test("verbosityOf() reports a word that is not module=level", () => {
  const mistakes: string[] = [];
  verbosityOf(0, ["httplog", "=3", "a=b", "a=-1", "b=2"], mistakes);
  assert.equal(mistakes.length, 4);
  assert.match(mistakes[0]!, /"httplog" is not module=level, such as httplog=3/);
});

test("openLog() truncates long texts at every position, and survives values that cannot be converted to text", () => {
  const { log, lines } = world("json");
  const whole = "x".repeat(logTextLengthMax);
  log.info("a", { whole, over: [`${whole}yz`] });
  const { whole: kept, over } = JSON.parse(lines[0]!);
  assert.equal(kept, whole);
  assert.deepEqual(over, [`${whole}... (2 more)`]);
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  log.info("b", circle);
  assert.match(lines[1]!, /cannot be written/);
});

test("describe() returns an error with its cause", () => {
  const { error, cause } = describe(new Error("no store", { cause: new Error("refused") }));
  assert.deepEqual([error, cause], ["no store", "refused"]);
  assert.deepEqual(describe("words"), { error: "words" });
  assert.match(String(describe(new Error("a bug"))["stack"]), /log_test/, "a stack for debugging");
  assert.deepEqual(describe(new StoreError("unavailable", "gone")), { error: "gone" });
  assert.deepEqual(describe(new StatusError("Conflict", "changed")), { error: "changed" });
});
