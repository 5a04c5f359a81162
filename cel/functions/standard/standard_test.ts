import assert from "node:assert/strict";
import { test } from "node:test";
import { valueOfJson } from "../../value/json.ts";
import { messageText } from "../../value/text.ts";
import { CelError, Duration, Timestamp, TypeValue, Uint, type Value } from "../../values.ts";
import { called, valueOf } from "../test-call.ts";
import { standardLibrary } from "../standard.ts";

const intMax = 2n ** 63n - 1n;
const second = 1_000_000_000n;

function textOf(name: string, ...args: readonly Value[]): string {
  return messageText(valueOf(name, ...args));
}
/** A call of an operator with arguments of types that no overload has. */
function dynamic(name: string, ...args: Value[]): string {
  const call = standardLibrary.functions.find((declaration) => declaration.name === name)?.call;
  return messageText(call!(...args));
}

test("arithmetic stays in the range of its type", () => {
  assert.equal(textOf("_+_", intMax, 1n), "integer overflow");
  assert.equal(textOf("_-_", -intMax, 2n), "integer overflow");
  assert.equal(textOf("_*_", intMax, 2n), "integer overflow");
  assert.equal(textOf("_/_", -intMax - 1n, -1n), "integer overflow");
  assert.equal(textOf("_%_", -intMax - 1n, -1n), "integer overflow");
  assert.equal(textOf("-_", -intMax - 1n), "integer overflow");
  assert.equal(textOf("_-_", new Uint(1n), new Uint(2n)), "unsigned integer overflow");
  assert.equal(textOf("_/_", 1n, 0n), "division by zero");
  assert.equal(textOf("_%_", 1n, 0n), "modulus by zero");
  assert.equal(textOf("_/_", -7n, 2n), "-3");
  assert.equal(textOf("_%_", -7n, 2n), "-1");
  assert.equal(textOf("_/_", 1, 0), "+Inf");
  assert.equal(textOf("_+_", new Timestamp(253402300799n, 0), new Duration(second)), "timestamp overflow");
});

test("operators on values without them say so as upstream", () => {
  assert.equal(dynamic("_+_", true, 1n), "no such overload: _+_");
  assert.equal(dynamic("_+_", 1n, true), "no such overload");
  assert.equal(dynamic("_-_", "a", 1n), "no such overload");
  assert.equal(dynamic("_<_", null, 1n), "no such overload: _<_");
  assert.equal(dynamic("size", 1n), "no such overload: size");
  assert.equal(dynamic("@in", 1n, 1n), "no such overload");
  assert.equal(dynamic("-_", new Uint(1n)), "no such overload: -_");
  assert.equal(dynamic("!_", 1n), "no such overload");
});

test("conversions have upstream's ranges and messages", () => {
  assert.equal(textOf("int", 1e19), "integer overflow");
  assert.equal(textOf("int", -(2 ** 63)), "integer overflow");
  assert.equal(textOf("int", -1.9), "-1");
  assert.equal(textOf("uint", -0.5), "unsigned integer overflow");
  assert.equal(textOf("int", "x"), "type conversion error from 'string' to 'int'");
  assert.equal(textOf("duration", 5n), "type conversion error from 'int' to 'google.protobuf.Duration'");
  assert.equal(textOf("bool", "T"), "true");
  assert.equal(textOf("bool", "yes"), "type conversion error from 'string' to 'bool'");
  assert.equal(textOf("string", new Uint8Array([0xff])), "invalid UTF-8 in bytes, cannot convert to string");
  assert.equal(textOf("string", new Duration(5_400_000_000_000n)), "5400s");
  assert.equal(textOf("timestamp", 253402300800n), "timestamp overflow");
  assert.ok(valueOf("type", 1n) instanceof TypeValue);
});

test("accessors of timestamps use their zone, those of durations whole units", () => {
  const timestamp = new Timestamp(1709245567n, 789_000_000); // 2024-02-29T22:26:07.789Z
  const zoned = ["getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours"];
  assert.deepEqual(zoned.map((name) => valueOf(name, timestamp)), [2024n, 1n, 29n, 28n, 4n, 59n, 22n]);
  assert.deepEqual(zoned.map((name) => valueOf(name, timestamp, "+02:00")), [2024n, 2n, 1n, 0n, 5n, 60n, 0n]);
  assert.equal(valueOf("getMilliseconds", timestamp), 789n);
  const duration = new Duration(-3_661_500_000_000n);
  assert.deepEqual(["getHours", "getMinutes", "getSeconds", "getMilliseconds"].map((name) => valueOf(name, duration)), [
    -1n,
    -61n,
    -3661n,
    -3661500n,
  ]);
});

test("costs follow the sizes of arguments", () => {
  const text = "a".repeat(25);
  assert.equal(called("startsWith", text, "a").cost, 3);
  assert.equal(called("contains", text, "a".repeat(11)).cost, 6);
  assert.equal(called("_+_", text, text).cost, 5);
  assert.equal(called("_<_", text, "b").cost, 1);
  assert.equal(called("@in", 1n, valueOfJson([1, 2, 3])).cost, 3);
  assert.equal(called("_==_", text, text).cost, 3);
  assert.equal(called("size", text).cost, 1);
  assert.ok(called("_/_", new CelError("failed"), 1n).value instanceof CelError);
});
