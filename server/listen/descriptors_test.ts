// In Deno's suite only: no runtime is involved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionsMax, connectionsUnder, descriptorsKeptMin } from "./descriptors.ts";

test("connectionsUnder() leaves descriptors to the rest of the process, under small limits half of them", () => {
  const kept = descriptorsKeptMin;
  assert.deepEqual([1, 300, 2 * kept, 4 * kept, 80_000].map(connectionsUnder), [1, 150, kept, 3 * kept, 70_000]);
});

test("connectionsMax() reads the limit of this process, and is Infinity where that cannot be read", () => {
  const of = (text: string) => connectionsMax(() => text);
  assert.equal(of("Max locked memory         8388608  8388608  bytes\nMax open files            300       4096     files\n"), 150);
  assert.equal(of("Max open files            unlimited       unlimited     files\n"), Infinity);
  const denied = () => {
    throw new Error("not permitted");
  };
  assert.equal(connectionsMax(denied), Infinity);
});
