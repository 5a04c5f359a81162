/** A server with a simulated cluster, for tests. */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { openTestServer } from "../../testing.ts";
import type { Node, Pod } from "./world/world.ts";

/** Waits between two looks, in milliseconds, and how many there are. */
const lookMs = 10, looksMax = 2_000;

/** Resolves when `check` does not throw any more. Rejects with its last error. */
export async function eventually<T>(check: () => Promise<T> | T): Promise<T> {
  for (let looks = 1;; looks++) {
    try {
      return await check();
    } catch (error) {
      if (looks === looksMax) throw error;
      await setTimeout(lookMs);
    }
  }
}

/** Opens a server that simulates a cluster, with what tests do to it. */
export async function openSimulation(pluginSettings: Readonly<Record<string, number>> = {}) {
  const server = await openTestServer({ simulate: true, pluginSettings }), { api } = server;
  const pod = async (name: string) => await api.get("v1", "pods", "default", name) as Pod;
  return {
    server,
    api,
    pod,
    node: async (name: string) => await api.get("v1", "nodes", "", name) as Node,
    createPod: (name: string, annotations: Readonly<Record<string, string>> = {}, spec: object = {}, metadata: object = {}) =>
      api.create("v1", "pods", "default", {
        metadata: { name, annotations, ...metadata },
        spec: { containers: [{ name: "main", image: "app" }], ...spec },
      }),
    /** Resolves with the pod when the check accepts it. */
    podWhen: (name: string, check: (pod: Pod) => boolean) =>
      eventually(async () => {
        const found = await pod(name);
        assert.ok(check(found), JSON.stringify(found.status));
        return found;
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
    },
  };
}
