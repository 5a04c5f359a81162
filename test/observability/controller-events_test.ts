// Events that a controller of a plugin records, as clients read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Controller, definePlugin } from "../../plugin.ts";
import { openTestServer } from "../../testing.ts";

/** A plugin whose controller records the same event twice and reports that it has. */
function gardener(recorded: () => void) {
  const controller: Controller = {
    name: "gardener",
    async run({ events }, signal) {
      const object = { kind: "Thing", apiVersion: "example.com/v1", metadata: { name: "a", uid: "u" } };
      for (let time = 0; time < 2; time++) {
        events.record(object, { type: "Normal", reason: "Grown", action: "Growing", note: "It has grown." });
      }
      recorded();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  return definePlugin({ name: "garden", summary: "For tests.", controllers: [controller] });
}

test("a controller's events are served by both groups, with its name and as a series", async () => {
  await using server = await openTestServer({ plugins: [gardener(() => {})] });
  const watching = new AbortController(), seen: unknown[] = [];
  for await (const { object } of server.api.watch("events.{domain}/v1", "events", "default", {}, watching.signal)) {
    const { reason, regarding, series, reportingController, metadata } = object as any; // `any`: an Event
    seen.push([reason, regarding.name, reportingController, series?.count, metadata.managedFields[0].manager]);
    if (series?.count === 2) watching.abort();
  }
  assert.deepEqual(seen.at(-1), ["Grown", "a", "gardener", 2, "gardener"]);
  const { items } = await server.api.list("v1", "events", "default");
  assert.deepEqual(items.map((event: any) => [event.message, event.involvedObject.uid, event.type]), [["It has grown.", "u", "Normal"]]);
});

test("recording events has no effect if events are not served", async () => {
  const recorded = Promise.withResolvers<void>();
  await using server = await openTestServer({ bare: true, plugins: [gardener(recorded.resolve)] });
  await recorded.promise;
  assert.deepEqual(server.logged.filter((line) => line.includes("gardener") && line.includes("event")), []);
});
