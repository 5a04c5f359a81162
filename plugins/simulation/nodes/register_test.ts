import assert from "node:assert/strict";
import { test } from "node:test";
import type { World } from "../world/world.ts";
import { registerNodes } from "./register.ts";

/** A world whose nodes never become ready. `created` is called for each. */
function worldWith(signal: AbortSignal, created: (name: string) => void): World {
  const nodes = {
    listen() {},
    get: () => undefined,
    create: (_: string, { metadata: { name } }: { metadata: { name: string } }) => Promise.resolve(created(name)),
  };
  return { context: { setting: () => 2 }, signal, nodes } as unknown as World; // what registerNodes() uses
}

test("registerNodes() ends with the simulation: before it, between two nodes, or while it waits", async () => {
  for (const createdMax of [0, 1, 2]) {
    const ending = new AbortController(), created: string[] = [];
    const end = () => created.length === createdMax && ending.abort();
    end();
    const registered = registerNodes(worldWith(ending.signal, (name) => {
      created.push(name);
      end();
    }));
    await registered;
    assert.deepEqual(created, ["simulated-0", "simulated-1"].slice(0, createdMax));
  }
});
