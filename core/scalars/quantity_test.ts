import assert from "node:assert/strict";
import { test } from "node:test";
import { randomOf } from "../random.ts";
import { assertCheap } from "../test-cost.ts";
import {
  type Amount,
  amountOf,
  compareQuantities,
  integerOf,
  isWhole,
  parseQuantity,
  quantityText,
  roundUp,
  storedQuantity,
  sumOf,
} from "./quantity.ts";
import { Unreadable } from "./unreadable.ts";

test("storedQuantity() writes no fraction and the largest exact suffix", () => {
  for (
    const [text, canonical] of [
      ["1024Mi", "1Gi"],
      ["1048576Ki", "1Gi"],
      ["1.5Gi", "1536Mi"],
      ["0.5Gi", "512Mi"],
      ["1000Ki", "1000Ki"],
      ["0.5Ki", "512"],
      ["1000m", "1"],
      ["0.5", "500m"],
      ["+.5", "500m"],
      ["1.0001", "1000100u"],
      ["100u", "100u"],
      ["1000000n", "1m"],
      ["0.3n", "1n"],
      ["-0.3n", "-1n"],
      ["123456789012", "123456789012"],
      ["2000", "2k"],
      ["1E", "1E"],
      ["12e6", "12e6"],
      ["1E3", "1E3"],
      ["100e-1", "10"],
      [" 0 ", "0"],
      ["0Gi", "0"],
      ["00.00", "0"],
      ["-1Gi", "-1Gi"],
      ["9223372036854775808", "9223372036854775808"],
      ["9Ei", "9223372036854775807"],
      ["-9Ei", "-9223372036854775807"],
    ] as const
  ) assert.equal(storedQuantity(text), canonical, text);
});

test("storedQuantity() does not change canonical text", () => {
  for (const text of ["1n", "1u", "1m", "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Ei", "1e21", "1023", "1025Ki"]) {
    assert.equal(storedQuantity(text), text);
  }
});

test("storedQuantity() keeps the spelling that upstream keeps", () => {
  const kept = ["1.", "+5", "01", "08", "1.500", "-1.100", "1.e3", "1.5e1", "+1Gi", "01Gi", "1.Gi", "1.123k", "9.E", "1E-3", "+1n"];
  const long = ["123456789012345678", "99999999999Ki", "+12345Gi", "+12Ti"];
  for (const text of [...kept, ...long]) assert.equal(storedQuantity(text), text);
  for (
    const [text, canonical] of [
      // A suffix that is not the canonical one, zeros that one could leave out, and numbers below one.
      ["1.0", "1"],
      ["1.000", "1"],
      ["+1000", "1k"],
      ["0.100", "100m"],
      ["00", "0"],
      ["-0", "0"],
      ["+016Ki", "16Ki"],
      ["+1.5Gi", "1536Mi"],
      ["1E2", "100"],
      ["22383.000E3", "22383e3"],
      // One digit more than kept ones have.
      ["+1234567890123456789", "1234567890123456789"],
      ["+999999999999Ki", "999999999999Ki"],
      ["+1Pi", "1Pi"],
    ] as const
  ) assert.equal(storedQuantity(text), canonical, text);
});

test("parseQuantity() distinguishes an invalid format and an invalid suffix", () => {
  const form = new Unreadable("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  for (const text of ["", "1GB", "1 Gi", "true", "1.1.1", "much", '{"a":1}']) assert.deepEqual(parseQuantity(text), form, text);
  const suffix = new Unreadable("unable to parse quantity's suffix");
  for (const text of ["1ki", "1e", "1ee3", "1mm", "1e99999999999999999999"]) assert.deepEqual(parseQuantity(text), suffix, text);
});

test("parseQuantity() rejects an amount without digits where upstream's integers do not suffice", () => {
  const numeric = new Unreadable("unable to parse numeric part of quantity");
  for (const text of [".Pi", "+Ei", "-.Ei", ".e-10", "-E-12"]) assert.deepEqual(parseQuantity(text), numeric, text);
  for (const text of [".", "+", "-.Ti", ".e-9", "e5", "Ki"]) assert.equal(storedQuantity(text), "0", text);
});

test("quantities take bounded time and memory for any exponent", () => {
  assert.equal(storedQuantity("1e1000000000"), "10e999999999");
  assert.equal(storedQuantity("1e-1000000000"), "1e-9");
  assert.ok(compareQuantities("1e2000000000", "9Ei") > 0);
  assert.equal(integerOf(amountOf("1e2000000000")), undefined);
});

test("compareQuantities() compares values, not texts", () => {
  assert.equal(compareQuantities("1Gi", "1073741824"), 0);
  assert.ok(compareQuantities("1Gi", "1G") > 0);
  assert.ok(compareQuantities("-1", "1m") < 0);
  assert.ok(compareQuantities("-2", "-1") < 0);
  assert.equal(compareQuantities("0", "0"), 0);
  assert.ok(compareQuantities("999m", "1") < 0);
});

test("roundUp() rounds away from zero to the step", () => {
  const text = (source: string, step: number) => quantityText(roundUp(amountOf(source), step));
  assert.equal(text("1000100u", -3), "1001m");
  assert.equal(text("100u", -3), "1m");
  assert.equal(text("-100u", -3), "-1m");
  assert.equal(text("1500m", 0), "2");
  assert.equal(text("2", 0), "2");
});

test("integerOf() returns integers only", () => {
  assert.equal(integerOf(amountOf("1Ki")), 1024n);
  assert.equal(integerOf(amountOf("-2k")), -2000n);
  assert.equal(integerOf(amountOf("500m")), undefined);
});

test("parseQuantity() remembers short texts only, and its amounts are right when it begins anew", () => {
  const amounts = Array.from({ length: 3_000 }, (_, number) => parseQuantity(`${number + 1}m`));
  amounts.forEach((amount, number) => assert.deepEqual(amount, parseQuantity(` ${number + 1}m`), `${number + 1}m`));
  assert.equal(parseQuantity("2999m"), parseQuantity("2999m"), "a short text");
  assert.notEqual(parseQuantity("1000000000001"), parseQuantity("1000000000001"), "a longer text");
});

test("parseQuantity() takes linear time for any text", () => {
  const ones = "1".repeat(400_000);
  assert.ok(assertCheap("a bad end", () => parseQuantity(`${ones}x`)) instanceof Unreadable);
  assert.equal(assertCheap("zeros", () => storedQuantity(`1${"0".repeat(900_000)}`)), "1e900000");
  assert.equal(assertCheap("leading zeros", () => storedQuantity(`-${"0".repeat(900_000)}8Gi`)), "-8Gi");
  assert.equal(assertCheap("digits", () => storedQuantity(ones)), ones);
  assert.equal(assertCheap("a long fraction", () => storedQuantity(`1.${"0".repeat(400_000)}1`)), "1000000001n");
  assert.equal(assertCheap("a long binary fraction", () => storedQuantity(`0.${ones}Ki`)), "113777777778n");
  assert.equal(assertCheap("a long binary amount", () => storedQuantity(`${ones}Ki`)), "9223372036854775807");
  assert.ok(assertCheap("comparing", () => compareQuantities(`${ones}1`, `${ones}2`)) < 0);
  assert.equal(assertCheap("an exponent", () => storedQuantity(`1e${"0".repeat(400_000)}4`)), "10e3");
});

test("sumOf() is exact, with bounded digits", () => {
  const sum = (a: string, b: string) => quantityText(sumOf(amountOf(a), amountOf(b)));
  assert.equal(sum("1", "1m"), "1001m");
  assert.equal(sum("1Gi", "1Gi"), "2Gi");
  assert.equal(sum("8Ei", "1"), "9223372036854775807");
  assert.equal(sum("4Ei", "4Ei"), "9223372036854775807");
  assert.equal(sum("-1", "1"), "0");
  assert.equal(sum("-3", "1"), "-2");
  assert.equal(sum("0", "1Gi"), "1Gi");
  assert.equal(sum("1e5000", "1"), "100e4998");
  const long = "7".repeat(5000);
  assert.equal(sum(long, "1"), `${"7".repeat(999)}8e4000`.replace("8e4000", "80e3999"));
  assert.equal(integerOf(amountOf(long)), undefined);
  assert.ok(isWhole(amountOf(long)));
});

test("storedQuantity() agrees with arithmetic on bigints", () => {
  const random = randomOf(15);
  const digits = (most: number) => Array.from({ length: Math.floor(random() * most) }, () => Math.floor(random() * 10)).join("");
  const suffixes = ["", "n", "u", "m", "k", "M", "E", "Ki", "Gi", "Ei", "e3", "E-4"];
  for (let round = 0; round < 3000; round++) {
    const sign = random() < 0.3 ? "-" : "", whole = digits(25), fraction = digits(25);
    const suffix = suffixes[Math.floor(random() * suffixes.length)]!;
    const text = `${sign}${whole}.${fraction}${suffix}`;
    const amount = parseQuantity(text);
    assert.ok(!(amount instanceof Unreadable), text);
    assert.equal(nanosOf(amount), expectedNanos(sign, whole, fraction, suffix), text);
  }
});

/** The amount in steps of 10^-9. */
function nanosOf({ negative, digits, exponent }: Amount): bigint {
  const size = BigInt(digits || "0") * 10n ** BigInt(exponent + 9);
  return negative ? -size : size;
}

/** The expected amount: scaled, rounded away from zero, and capped at 2^63 - 1 for binary suffixes. */
function expectedNanos(sign: string, whole: string, fraction: string, suffix: string): bigint {
  const power = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].indexOf(suffix) + 1;
  const decimal = new Map([["n", -9], ["u", -6], ["m", -3], ["k", 3], ["M", 6], ["E", 18], ["e3", 3], ["E-4", -4]]).get(suffix) ?? 0;
  const scaled = BigInt((whole + fraction) || "0") * 1024n ** BigInt(power) * 10n ** BigInt(decimal + 9 + 20);
  const divisor = 10n ** BigInt(fraction.length + 20);
  const rounded = (scaled + divisor - 1n) / divisor;
  const most = (2n ** 63n - 1n) * 10n ** 9n;
  const size = power > 0 && rounded > most ? most : rounded;
  return sign === "-" ? -size : size;
}
