// In Deno's suite only: watches and timers are those of the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { fakeApi } from "../../testing.ts";
import { systemClock } from "../../toolbox.ts";
import { followConfigured } from "./follow.ts";

test("followConfigured() forgets objects that were deleted while a watch was broken; a clock that tests advance waits for it", async () => {
  const over = new AbortController(), seen: string[][] = [], { promise: isDone, resolve } = Promise.withResolvers<void>();
  const states = [["a", "b"], ["b"]], object = (name: string) => ({ apiVersion: "", kind: "", metadata: { name } });
  const api = fakeApi({
    collections: () =>
      ["flowschemas", "prioritylevelconfigurations"].map((resource) => ({
        ...{ groupVersion: "flowcontrol.apiserver.k8s.io/v1", resource, kind: "", namespaced: false },
      })),
    async *watch(_version, resource, _namespace, _query, signal, _scope, synced) {
      for (const name of (resource === "flowschemas" ? states.shift() : undefined) ?? []) yield { type: "ADDED", object: object(name) };
      synced?.();
      if (states.length > 0 && resource === "flowschemas") {
        while (seen.length === 0) await new Promise((later) => setTimeout(later, 1));
        throw new Error("broken");
      }
      await new Promise((end) => signal.addEventListener("abort", end, { once: true }));
    },
  });
  let held = 0, holds = 0;
  const hold = () => {
    held++;
    holds++;
    return () => void held--;
  };
  const clock = { ...systemClock, hold };
  const running = followConfigured({ api, names: defaultNames, signal: over.signal, logError() {}, clock }, (schemas) => {
    seen.push(schemas.map(({ metadata: { name = "" } }) => name));
    if (seen.length === 2) resolve();
  });
  await isDone;
  over.abort();
  await running;
  assert.deepEqual(seen, [["a", "b"], ["b"]]);
  assert.deepEqual([held, holds], [0, 2]);
});
