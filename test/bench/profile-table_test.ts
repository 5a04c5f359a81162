import assert from "node:assert/strict";
import { test } from "node:test";
import { selfTimes } from "./profile-table.ts";

test("selfTimes() sums up the samples of a function, without idle time", () => {
  const frame = (functionName: string, url = "", lineNumber = -1) => ({ functionName, url, lineNumber });
  const nodes = [
    { id: 1, callFrame: frame("(idle)") },
    { id: 2, callFrame: frame("handle", "file:///repository/kernel/handle.ts", 9) },
    { id: 3, callFrame: frame("handle", "file:///repository/kernel/handle.ts", 9) },
    { id: 4, callFrame: frame("(garbage collector)") },
  ];
  const rows = selfTimes({ nodes, samples: [1, 2, 4, 3, 1], timeDeltas: [0, 9_000, 1_000, 1_000, 2_000] }, "/repository/");
  assert.deepEqual(rows.map(({ name, selfMs }) => [name, selfMs]), [["handle kernel/handle.ts:10", 3], ["(garbage collector)", 1]]);
  assert.equal(rows[0]?.share, 0.75);
});
