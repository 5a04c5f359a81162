import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import type { Call } from "./calls.ts";
import { runHere, runInThread, storeYoungMiBMax } from "./runner.ts";

const commit = (key: string): Call => ({ op: "commit", change: { key, expect: "absent", value: Uint8Array.of(1) }, expires: undefined });
// An invalid call: the engine throws.
const broken = { op: "none such" } as unknown as Call;

for (const [name, open] of Object.entries({ runHere: (path: string) => runHere(path), runInThread })) {
  test(`${name}() rejects a failed run, which has changed nothing, and accepts the next one`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-store-"));
    try {
      const runner = await open(join(folder, "store.db"), join(folder, "reserve"));
      const first = await runner.run([commit("a")]);
      await assert.rejects(runner.run([commit("b"), broken]));
      const [again, both] = [await runner.run([commit("b")]), await runner.run([commit("c"), { op: "get", key: "b" }])];
      assert.deepEqual([first.revision, again.revision, both.revision], [2, 3, 4]);
      const got = both.outcomes[1];
      assert.deepEqual(got, { answer: { entry: { key: "b", value: Uint8Array.of(1), revision: 3 }, revision: 4 } });
      await runner.close();
      // Opening the file again shows that the lock ended with the thread.
      const later = await open(join(folder, "store.db"), join(folder, "reserve"));
      assert.equal((await later.run([])).revision, 4);
      await later.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

test("the thread of a store on Node has a small young generation", { skip: "Deno" in globalThis }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "thole-store-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const started = new Promise<Worker>((resolve) => process.once("worker", resolve));
  const runner = await runInThread(join(folder, "store.db"), join(folder, "reserve"));
  t.after(() => runner.close());
  assert.equal((await started).resourceLimits?.maxYoungGenerationSizeMb, storeYoungMiBMax);
});
