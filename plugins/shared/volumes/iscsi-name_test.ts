import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCheap } from "../../../core/test-cost.ts";
import { isNumberedIscsiName, isQualifiedIscsiName } from "./iscsi-name.ts";

test("isQualifiedIscsiName() agrees with upstream's pattern", () => {
  const upstream = /iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+(:[^,;*&$|\t\n\f\r ]+)$/;
  const parts = ["iqn.", "2024-01", ".", "a", "com.example", ":", ":", "disk", "iqn.2024-01.a:", " ", ",", "é", "-", "\u00a0", "\n"];
  let seed = 7, right = 0;
  for (let round = 0; round < 20_000; round++) {
    let name = "iqn";
    if (round % 2 === 0) name += ".2024-01.";
    for (let left = round % 7; left > 0; left--) {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      name += parts[(seed >> 8) % parts.length]!;
    }
    if (upstream.test(name)) right++;
    assert.equal(isQualifiedIscsiName(name), upstream.test(name), JSON.stringify(name));
  }
  assert.ok(right > 1000);
});

test("isQualifiedIscsiName() takes linear time", () => {
  for (
    const [name, valid] of [
      [`iqn.2024-01.${"a:".repeat(500_000)}`, true],
      [`iqn.2024-01.${"a".repeat(1_000_000)}`, false],
      [`iqn${".2024-01.aiqn".repeat(100_000)} :x`, false],
      [`iqn${":".repeat(1_000_000)} `, false],
      [`iqn${"iqn.2024-01.a:".repeat(80_000)} `, false],
    ] as const
  ) assert.equal(assertCheap(name.slice(0, 20), () => isQualifiedIscsiName(name)), valid, name.slice(0, 20));
});

test("isNumberedIscsiName() requires 16 or 32 letters and digits", () => {
  assert.ok(isNumberedIscsiName("eui.0123456789abcdeF"));
  assert.ok(isNumberedIscsiName(`naa.${"0".repeat(32)}`));
  assert.ok(!isNumberedIscsiName("eui.0123456789abcde"));
  assert.ok(!isNumberedIscsiName(`eui\n${"0".repeat(16)}`));
});
