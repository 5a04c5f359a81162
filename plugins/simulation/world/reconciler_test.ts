// In Deno's suite only: nothing of the runtime is used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forbiddenError } from "../../../plugin.ts";
import { noWorkMeter, systemClock } from "../../../toolbox.ts";
import { runReconciler } from "./reconciler.ts";
import type { World } from "./world.ts";

test("a refusal of the API is logged in one line without a stack, and the key is tried again", async () => {
  const stop = new AbortController(), logged: unknown[][] = [];
  let tries = 0;
  const world = {
    context: { work: noWorkMeter, logError: (...all: unknown[]) => logged.push(all) },
    clock: systemClock,
    signal: stop.signal,
  } as unknown as World;
  await new Promise<void>((resolve) => {
    const running = runReconciler({
      name: "replicaset",
      follow: (_world, add) => add("a/b"),
      reconcile() {
        if (++tries === 1) throw forbiddenError({ group: "", name: "pods" }, "p", "exceeded quota: few");
        stop.abort();
        void running.then(resolve);
        return Promise.resolve();
      },
    }, world);
  });
  const message = 'pods "p" is forbidden: exceeded quota: few';
  assert.deepEqual(logged, [[`work on "replicaset a/b" was refused and is retried: ${message}`]]);
});
