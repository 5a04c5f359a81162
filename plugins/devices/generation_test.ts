// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { ask } from "../../test/requests.ts";

test("a field whose gate is off raises the generation of slices when it is sent, although it is dropped, and not that of classes", async () => {
  await using server = await openTestServer();
  const group = "/apis/resource.k8s.io/v1", pool = { name: "p", generation: 1, resourceSliceCount: 1 };
  const sharedCounters = [{ name: "c", counters: { m: { value: "1" } } }];
  for (
    const [plural, spec, change, generations] of [
      ["resourceslices", { driver: "a.example.com", nodeName: "n", pool, devices: [{ name: "d" }] }, { sharedCounters }, [2, 3]],
      ["deviceclasses", {}, { extendedResourceName: "example.com/gpu" }, [1, 1]],
    ] as const
  ) {
    const made = await ask(server, "POST", `${group}/${plural}`, { metadata: { name: "a" }, spec });
    assert.deepEqual([made.status, made.body.metadata.generation], [201, 1], made.text);
    const labelled = await ask(server, "PATCH", `${group}/${plural}/a`, { metadata: { labels: { a: "b" } } });
    assert.equal(labelled.body.metadata.generation, 1);
    for (const expected of generations) {
      const changed = await ask(server, "PATCH", `${group}/${plural}/a`, { spec: change });
      assert.deepEqual([changed.status, changed.body.metadata.generation], [200, expected], changed.text);
      assert.deepEqual(changed.body.spec, made.body.spec);
    }
  }
});
