import assert from "node:assert/strict";
import { test } from "node:test";
import { randomOf } from "../random.ts";
import { seedOfRun } from "../derive/test-random.ts";
import type { Json } from "../json.ts";
import { readJson } from "./json.ts";
import { goJson } from "./json-text.ts";
import { isInexact, plainJson } from "./plain-json.ts";
import { jsonFromTree } from "./values.ts";

const slowly = (text: string): Json => {
  const read = readJson(text);
  assert.ok(read.ok, text);
  return jsonFromTree(read.tree);
};

test("plainJson() reads numbers, keys and escapes as jsonFromTree() does", () => {
  const numbers = ["0", "-0", "-0.0", "0.5", "-0.5", "1e2", "1E400", "9007199254740993", "-9223372036854775808", "1.0", "123456789012345"];
  const texts = [
    ...numbers,
    ...numbers.flatMap((each) => [`[${each}]`, `[1,${each}]`, `{"a":${each}}`, `{"a":"${each}","b":${each}}`]),
    ...['"\\n"', '"\\u0007"', '"\\""', '"\\\\"', '"ab\\n"', '"__proto__"', '"1"', '""'].flatMap((
      key,
    ) => [`{${key}:1}`, `[${key}]`, `{"x":{${key}:"y"}}`]),
  ];
  for (const text of texts) assert.deepStrictEqual(structuredClone(plainJson(text)), structuredClone(slowly(text)), text);
  assert.throws(() => plainJson("{"), Error);
});

const seed = seedOfRun();
test(`plainJson() agrees with jsonFromTree() on random values (seed ${seed})`, () => {
  const random = randomOf(seed), below = (max: number) => Math.floor(random() * max);
  const scalars = [
    0,
    -1,
    1.5,
    2n ** 53n + 1n,
    -(2n ** 63n),
    1e21,
    "",
    "\n",
    "-0",
    '"',
    "\\",
    "<&>",
    "1234567890123456",
    "é\u2028",
    null,
    true,
  ];
  const some = (depth: number): Json => {
    const kind = depth > 3 ? 2 : below(3);
    if (kind === 0) return Array.from({ length: below(4) }, () => some(depth + 1));
    if (kind === 1) {
      return Object.fromEntries(Array.from({ length: below(4) }, () => [String(scalars[below(scalars.length)]), some(depth + 1)]));
    }
    return scalars[below(scalars.length)]!;
  };
  for (let round = 0; round < 2_000; round++) {
    const text = goJson(some(0));
    assert.deepStrictEqual(structuredClone(plainJson(text)), structuredClone(slowly(text)), text);
  }
});

/** The definition, as a regular expression. */
const inexact = /[0-9]{16}|[:[,]-0|^-0|"\\(?:u.{4}|.)"/;

test("isInexact() finds long numbers, negative zeros and keys of one escaped character", () => {
  const digits = "1234567890123456";
  for (const before of ["", "x", "xy".repeat(4), "x".repeat(15), "x".repeat(16), "x".repeat(31)]) {
    for (
      const text of [
        digits,
        digits.slice(1),
        `${digits}7`,
        `${digits}.5`,
        "-0",
        ":-0",
        ",-0",
        "[-0",
        "x-0",
        '"\\n"',
        '"\\u0041"',
        '"\\nx"',
        '"a\\n"',
      ]
    ) {
      assert.equal(isInexact(before + text), inexact.test(before + text), before + text);
    }
  }
});

test("isInexact() agrees with its definition on texts of the characters that matter", () => {
  const pieces = ["1", "23456789", "0", "-", "-0", '"', "\\", "u", "u0041", ":", ",", "[", "x", '"\\'];
  let seed = 1;
  const next = (bound: number) => (seed = seed * 48271 % 2147483647) % bound;
  for (let time = 0; time < 20_000; time++) {
    let text = "";
    for (let count = next(12); count >= 0; count--) text += pieces[next(pieces.length)]!;
    assert.equal(isInexact(text), inexact.test(text), text);
  }
});
