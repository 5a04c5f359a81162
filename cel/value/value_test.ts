import assert from "node:assert/strict";
import { test } from "node:test";
import { CelError, Duration, OptionalValue, Timestamp, Uint, type Value } from "../values.ts";
import { ArrayList, concatenate, EntryMap, MutableList } from "./collections.ts";
import { equal } from "./equal.ts";
import { jsonOfValue, valueOfJson } from "./json.ts";
import { doubleText, plainDoubleText } from "./numbers.ts";
import { compare, compareStrings } from "./order.ts";
import { doubleOf, intOfText, uintOfText } from "./parse.ts";
import { estimatedSize } from "../../core/pattern.ts";
import { patternOf } from "./pattern.ts";
import { characters, comparisonCost, costSize } from "./size.ts";
import { messageText } from "./text.ts";
import { durationOf, timestampOf, timestampText } from "./time.ts";
import { isAssignable, typeNameOf } from "./type.ts";
import { measureOnce, runMetered, runMeteredTogether, spend } from "./work.ts";
import { zoneOffset } from "./zone.ts";
import { intType, listType } from "../types.ts";

test("equal() compares numbers of all types by value, and collections by elements", () => {
  const same: readonly (readonly [Value, Value])[] = [
    [1n, 1],
    [1n, new Uint(1n)],
    [new Uint(1n), 1],
    [2n ** 53n + 1n, 2 ** 53],
    [0, -0],
    [valueOfJson([1, { a: null }]), new ArrayList([1, new Map().size === 0 ? valueOfJson({ a: null }) : null])],
    [new Timestamp(1n, 0, 3600), new Timestamp(1n, 0)],
    [new OptionalValue(undefined), new OptionalValue(undefined)],
    [new Uint8Array([1]), new Uint8Array([1])],
  ];
  for (const [left, right] of same) assert.equal(equal(left, right), true, `${messageText(left)} ${messageText(right)}`);
  const different: readonly (readonly [Value, Value])[] = [
    [NaN, NaN],
    [1n, 1.5],
    [-1n, new Uint(1n)],
    [1n, "1"],
    [null, false],
    [valueOfJson({ a: 1 }), valueOfJson({ b: 1 })],
    [valueOfJson([1]), valueOfJson([1, 2])],
    [new OptionalValue(1n), new OptionalValue(undefined)],
    [new Duration(1n), 1n],
  ];
  for (const [left, right] of different) assert.equal(equal(left, right), false, `${messageText(left)} ${messageText(right)}`);
});

test("compare() orders numbers of different types, and strings by code points", () => {
  assert.equal(compare(1n, 1.5), -1);
  assert.equal(compare(new Uint(2n ** 64n - 1n), -1n), 1);
  assert.equal(compare(1e30, 2n ** 62n), 1);
  assert.ok(compare(NaN, 1n) instanceof CelError);
  assert.ok(compare(1n, "a") instanceof CelError);
  assert.equal(compareStrings("\uffff", "\u{1f600}"), -1);
  assert.equal(compareStrings("a".repeat(2000), `${"a".repeat(1999)}b`), -1);
  assert.equal(compareStrings("a".repeat(2000), "a".repeat(1999)), 1);
});

test("EntryMap finds numeric keys by other types of equal value", () => {
  const map = new EntryMap();
  map.set(1n, "int");
  map.set(new Uint(2n), "uint");
  map.set("null", null);
  assert.deepEqual([1n, 1, new Uint(1n)].map((key) => map.find(key)), ["int", "int", "int"]);
  assert.deepEqual([2n, 2, new Uint(2n)].map((key) => map.find(key)), ["uint", "uint", "uint"]);
  assert.equal(map.find("null"), null);
  assert.equal(map.find(1.5), undefined);
  assert.equal(map.size, 3);
});

test("concatenate() shares both lists, and extends an accumulator in place", () => {
  let list = concatenate(valueOfJson([1, 2]) as ArrayList, valueOfJson([3]) as ArrayList);
  for (let times = 0; times < 40; times++) list = concatenate(list, list);
  assert.equal(list.size, 3 * 2 ** 40);
  assert.equal(list.at(3 * 2 ** 40 - 1), 3n);
  assert.equal(list.at(3 * 2 ** 39), 1n);
  const accumulator = new MutableList();
  assert.equal(concatenate(accumulator, new ArrayList(["a"])), accumulator);
  assert.deepEqual(accumulator.items, ["a"]);
});

test("valueOfJson() reads without a copy, and jsonOfValue() writes large integers as strings", () => {
  const json = { list: [1, 2.5, "x", null], absent: undefined, "__proto__x": true };
  const value = valueOfJson(json as never); // undefined members are absent
  assert.equal(costSize(value), 2);
  assert.deepEqual(jsonOfValue(value), { list: [1, 2.5, "x", null], "__proto__x": true });
  assert.equal(jsonOfValue(2n ** 60n), "1152921504606846976");
  assert.equal(jsonOfValue(new Duration(1_500_000_000n)), "1.5s");
  assert.equal(jsonOfValue(new Uint8Array([1, 2])), "AQI=");
  assert.ok(jsonOfValue(new OptionalValue(undefined)) instanceof CelError);
  let deep: Value = 1n;
  for (let level = 0; level < 20_000; level++) deep = new ArrayList([deep]);
  assert.ok(Array.isArray(jsonOfValue(deep)));
});

test("doubleText() and plainDoubleText() write as Go's %g and %f", () => {
  const texts = [1e6, 123456, 1.5e-5, 0.0001, -0, Infinity, 1e21, 1.5].map((value) => doubleText(value));
  assert.deepEqual(texts, ["1e+06", "123456", "1.5e-05", "0.0001", "-0", "+Inf", "1e+21", "1.5"]);
  assert.deepEqual([1e21, 1e-7, 12.5].map(plainDoubleText), ["1000000000000000000000", "0.0000001", "12.5"]);
});

test("numbers are parsed as by Go's strconv", () => {
  assert.deepEqual(["12", "+7", "-9223372036854775808", "9223372036854775808", " 1", "", "1_0"].map(intOfText), [
    12n,
    7n,
    -(2n ** 63n),
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual(["0", "18446744073709551615", "18446744073709551616", "+1"].map(uintOfText), [0n, 2n ** 64n - 1n, undefined, undefined]);
  const doubles = ["1_000", "0x1p-2", "0x_1.8p1", ".5", "5.", "-inf", "1e-400", "1e400", "0x10", "+nan", "1__0", "_1", "1e"];
  assert.deepEqual(doubles.map(doubleOf), [
    1000,
    0.25,
    3,
    0.5,
    5,
    -Infinity,
    0,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(doubleOf("0x1.fffffffffffff7p1023"), Number.MAX_VALUE);
  assert.equal(doubleOf("0x1p-1074"), Number.MIN_VALUE);
  assert.equal(doubleOf("0x1.fffffffffffff8p1023"), undefined);
});

test("timestamps keep the offset of their text, and durations are Go's", () => {
  const timestamp = timestampOf("2024-02-29T12:00:00.5+02:00");
  assert.ok(timestamp instanceof Timestamp);
  assert.equal(timestampText(timestamp), "2024-02-29T12:00:00.5+02:00");
  assert.equal(timestamp.seconds, 1709200800n);
  assert.ok(timestampOf("0000-01-01T00:00:00Z") instanceof CelError);
  assert.equal(timestampOf("2024-02-30T00:00:00Z"), undefined);
  assert.equal(timestampOf("x".repeat(1_000_000)), undefined);
  assert.equal(durationOf("1h30m")?.nanoseconds, 5_400_000_000_000n);
});

test("zoneOffset() knows names with their case, and offsets", () => {
  const winter = new Timestamp(1704067200n, 0);
  const zones = ["UTC", "", "America/New_York", "-08:30", "05:30", "utc", "Nope/Zone", "../x", "x:00"];
  const offsets = zones.map((zone) => zoneOffset(zone, winter));
  assert.deepEqual(offsets.map((offset) => offset instanceof CelError ? offset.message : offset), [
    0,
    0,
    -18000,
    -30600,
    19800,
    "unknown time zone utc",
    "unknown time zone Nope/Zone",
    "time: invalid location name",
    'strconv.Atoi: parsing "x": invalid syntax',
  ]);
});

test("patterns have a bound of their size, and Go's messages", () => {
  assert.equal(estimatedSize("a{1000}") >= 1000, true);
  assert.equal(estimatedSize("(ab{10}){100}") >= 1100, true);
  assert.equal(estimatedSize("[a-z]+") < 20, true);
  const tooLarge = patternOf("[a-z]{1000}".repeat(200));
  assert.ok(tooLarge instanceof CelError);
  assert.equal(tooLarge.message, "error parsing regexp: expression too large");
  const wrong = patternOf("a**");
  assert.ok(wrong instanceof CelError);
  assert.equal(wrong.message, "error parsing regexp: invalid nested repetition operator: `**`");
});

test("compiled patterns are kept within a bound, and shared", () => {
  const text = "[a-z]{1000}";
  assert.equal(patternOf(text), patternOf(text));
  const first = patternOf(text);
  for (let index = 0; index < 600; index++) patternOf(`${index}[a-z]{1000}`);
  assert.notEqual(patternOf(text), first);
});

test("sizes count code points, and comparisons cost a tenth of the shorter operand", () => {
  assert.equal(characters("a\u{1f600}b"), 3);
  assert.equal(comparisonCost("", "abc"), 0);
  assert.equal(comparisonCost("a".repeat(25), "b".repeat(40)), 3);
  assert.equal(comparisonCost(1n, 2n), 1);
  assert.equal(comparisonCost(valueOfJson([]), 1n), 0);
});

test("isAssignable() looks at the first element", () => {
  assert.equal(isAssignable(listType(intType), valueOfJson([1, "x"])), true);
  assert.equal(isAssignable(listType(intType), valueOfJson(["x"])), false);
  assert.equal(isAssignable(listType(intType), valueOfJson([])), true);
  assert.equal(typeNameOf(new Duration(0n)), "google.protobuf.Duration");
});

test("runMetered() stops at its bound and restores the bound of the evaluation around it", () => {
  assert.equal(runMetered(10, () => runMetered(3, () => (spend(3), "inner"))), "inner");
  assert.equal(runMetered(10, () => runMetered(3, () => (spend(4), "inner"))), undefined);
  assert.equal(runMetered(10, () => (runMetered(1000, () => spend(500)), spend(10), "outer")), "outer");
  const six = () => runMetered(10, () => (spend(6), "six"));
  assert.deepEqual(runMeteredTogether(15, () => [six(), six(), six()]), ["six", "six", undefined], "they share the bound");
  assert.equal(runMeteredTogether(15, () => spend(16)), undefined);
  assert.equal(six(), "six", "the bound has ended");
  assert.equal(runMetered(9, () => (spend(10), "outer")), undefined);
  let measurements = 0;
  const measure = () => measureOnce("long text", () => ++measurements);
  runMetered(10, () => (measure(), measure()));
  assert.equal(measurements, 1);
});
