import assert from "node:assert/strict";
import { test } from "node:test";
import { deadlines } from "./deadlines.ts";
import { within } from "../../testing/helpers.ts";

test("deadlines() calls back at each time, whichever was asked for first, and not those that were taken back", async () => {
  const late = deadlines();
  const told = new Set<string>();
  late.after(600_000, () => told.add("much later"));
  const back = late.after(1, () => told.add("taken back"));
  back();
  const later = new Promise<void>((resolve) => late.after(20, resolve));
  const sooner = new Promise<void>((resolve) => late.after(2, resolve));
  await within(Promise.all([later, sooner]), "two deadlines");
  // It goes on after a deadline has passed, also from within one.
  await within(new Promise<void>((resolve) => late.after(1, () => late.after(0, resolve))), "a deadline");
  assert.deepEqual([...told], []);
  late.close();
});

test("deadlines() forgets all when it is closed", async () => {
  const late = deadlines(), other = deadlines();
  const told: string[] = [];
  late.after(1, () => told.push("closed"));
  late.close();
  await within(new Promise<void>((resolve) => other.after(20, resolve)), "a deadline");
  assert.deepEqual(told, []);
  other.close();
});
