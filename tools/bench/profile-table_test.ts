import assert from "node:assert/strict";
import { test } from "node:test";
import { folderTimes, selfTimes } from "./profile-table.ts";

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

test("folderTimes() sums up own folders, packages and modules of the runtime", () => {
  const urls = [
    "file:///r/kernel/handle.ts",
    "file:///r/kernel/store/etcd/a.ts",
    "node:internal/http2/core",
    "file:///r/node_modules/long/umd/b.js",
    "",
  ];
  const nodes = urls.map((url, id) => ({ id, callFrame: { functionName: "f", url, lineNumber: 0 } }));
  const rows = folderTimes({ nodes, samples: [0, 1, 2, 3, 4, 0], timeDeltas: [0, 5_000, 4_000, 3_000, 2_000, 1_000] }, "/r/");
  assert.deepEqual(rows.map(({ name, selfMs }) => `${name} ${selfMs}`), [
    ...["kernel 5", "kernel/store 4", "node:internal/http2/core 3", "node_modules/long 2", "(native) 1"],
  ]);
});
