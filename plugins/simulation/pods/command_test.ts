// In Deno's suite only: nothing of the runtime is used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sleepMs } from "./command.ts";

test("a container that only sleeps runs for that time", () => {
  for (
    const [container, expected] of [
      [{ command: ["sleep", "300"] }, 300_000],
      [{ command: ["/bin/sleep", "1.5m"] }, 90_000],
      [{ command: ["sleep"], args: ["2h"] }, 7_200_000],
      [{ args: ["sleep", "infinity"] }, Infinity],
      [{ command: ["/bin/sh", "-c"], args: [" sleep 5s "] }, 5_000],
      [{ image: "registry.k8s.io/pause:3.10.1" }, Infinity],
      [{ image: "app" }, undefined],
      [{ image: "pause", command: ["true"] }, undefined],
      [{ command: ["sleep", "1", "2"] }, undefined],
      [{ command: ["sleep", "soon"] }, undefined],
      [{ command: ["sh", "-c", "sleep 5; exit 1"] }, undefined],
    ] as const
  ) assert.equal(sleepMs(container), expected, JSON.stringify(container));
});
