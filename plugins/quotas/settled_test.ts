import assert from "node:assert/strict";
import { test } from "node:test";
import { Settled } from "./settled.ts";
import { quotaOf } from "./test-quota.ts";
import { quotaSettleMs } from "./bounds.ts";

function at(revision: number, used: string) {
  const quota = quotaOf("q", { secrets: "3" }, { secrets: used });
  return { ...quota, metadata: { ...quota.metadata, resourceVersion: `${revision}` } };
}

test("Settled.remaining() counts from the last increase of the usage", () => {
  let now = 0;
  const settled = new Settled(() => now);
  assert.equal(settled.remaining("q"), quotaSettleMs, "an unknown quota may have been charged just now");
  settled.see("q", at(1, "1"));
  now = quotaSettleMs - 1;
  assert.equal(settled.remaining("q"), 1);
  settled.see("q", at(2, "2"));
  assert.equal(settled.remaining("q"), quotaSettleMs);
  now += quotaSettleMs;
  assert.equal(settled.remaining("q"), 0);
});

test("Settled.see() ignores decreases and older states", () => {
  let now = 0;
  const settled = new Settled(() => now);
  settled.see("q", at(5, "3"));
  now = quotaSettleMs;
  settled.see("q", at(6, "1"));
  settled.see("q", at(4, "3"));
  assert.equal(settled.remaining("q"), 0);
  settled.forget("q");
  assert.equal(settled.remaining("q"), quotaSettleMs);
});
