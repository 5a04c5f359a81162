import assert from "node:assert/strict";
import { test } from "node:test";
import { deadlines } from "./deadlines.ts";
import { within } from "../../test/store/helpers.ts";

test("deadlines() calls back at each deadline, in any order of creation, but not at cancelled ones", async () => {
  const late = deadlines();
  const called = new Set<string>();
  late.after(600_000, () => called.add("much later"));
  const back = late.after(1, () => called.add("cancelled"));
  back();
  const later = new Promise<void>((resolve) => late.after(20, resolve));
  const sooner = new Promise<void>((resolve) => late.after(2, resolve));
  await within(Promise.all([later, sooner]), "two deadlines");
  // Deadlines can be added after one has passed, also within its callback.
  await within(new Promise<void>((resolve) => late.after(1, () => late.after(0, resolve))), "a deadline");
  assert.deepEqual([...called], []);
  late.close();
});

test("deadlines() calls none after it is closed", async () => {
  const late = deadlines(), other = deadlines();
  const called: string[] = [];
  late.after(1, () => called.push("closed"));
  late.close();
  await within(new Promise<void>((resolve) => other.after(20, resolve)), "a deadline");
  assert.deepEqual(called, []);
  other.close();
});
