import assert from "node:assert/strict";
import { test } from "node:test";
import { SeededChance } from "./chance.ts";

test("a SeededChance draws the same for the same purpose, whatever others draw between", () => {
  const one = new SeededChance(7), other = new SeededChance(7);
  const first = [one.uid("a"), one.uid("a"), one.number("b")];
  other.number("c");
  assert.deepEqual([other.number("b"), other.uid("a"), other.uid("a")], [first[2], first[0], first[1]]);
  assert.notEqual(first[0], first[1]);
  assert.notEqual(new SeededChance(8).uid("a"), first[0]);
  const copy = new SeededChance(7, one.drawn), next = one.uid("a");
  assert.equal(copy.uid("a"), next);
});

test("a SeededChance has uids of version 4 without repetition, and numbers that are spread", () => {
  const chance = new SeededChance(1), uids = new Set<string>(), tenths = Array.from({ length: 10 }, () => 0);
  for (let at = 0; at < 20_000; at++) {
    const uid = chance.uid(`pods/a/p-${at % 1_000}`), number = chance.number(`x${at}`);
    assert.match(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    uids.add(uid);
    assert.ok(number >= 0 && number < 1);
    tenths[Math.floor(number * 10)]!++;
  }
  assert.equal(uids.size, 20_000);
  assert.ok(tenths.every((count) => count > 1_800 && count < 2_200), tenths.join());
});
