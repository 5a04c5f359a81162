// The controller of docs/writing-a-controller.md runs unchanged.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Plugin } from "../../plugin.ts";
import { openTestServer } from "../../testing.ts";

const home = "example.com/v1";

/** The plugin in the page's first block of code. */
async function pluginOfPage(): Promise<Plugin> {
  const text = await readFile(new URL("../../docs/writing-a-controller.md", import.meta.url), "utf8");
  const code = /```ts\n([\s\S]*?)```/.exec(text)?.[1];
  assert.ok(code !== undefined, "the page has a block of code");
  const folder = await mkdtemp(join(tmpdir(), "thole-controller-"));
  try {
    const path = join(folder, "widgets.ts");
    await writeFile(path, code.replaceAll('"thole/plugin"', JSON.stringify(new URL("../../plugin.ts", import.meta.url).href)));
    return (await import(pathToFileURL(path).href)).widgetsPlugin;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("the controller of the page applies a ConfigMap, counts it, and records an event that becomes a series", async () => {
  await using server = await openTestServer({ plugins: [await pluginOfPage()] });
  const { api } = server;
  /** Watches until an object passes `is`. */
  const until = async (groupVersion: string, resource: string, is: (object: any) => boolean): Promise<any> => {
    const watching = new AbortController();
    for await (const { type, object } of api.watch(groupVersion, resource, "default", {}, watching.signal)) {
      if (type === "DELETED" || !is(object)) continue;
      watching.abort();
      return object;
    }
  };
  const widget = await api.create(home, "widgets", "default", { metadata: { name: "a" }, spec: { colour: "red" } });
  const map = await until("v1", "configmaps", ({ metadata }) => metadata.name === "widget-a");
  assert.deepEqual(map.data, { colour: "red" });
  assert.equal(map.metadata.ownerReferences[0].uid, widget.metadata.uid);
  assert.deepEqual(map.metadata.managedFields.map((each: any) => [each.manager, each.operation]), [["widget-publisher", "Apply"]]);
  await api.patch(home, "widgets", "default", "a", { merge: { spec: { colour: "green" } } });
  await until("v1", "configmaps", ({ metadata, data }) => metadata.name === "widget-a" && data.colour === "green");
  const event = await until("events.k8s.io/v1", "events", ({ reason, series }) => reason === "Published" && series?.count === 2);
  assert.deepEqual([event.regarding.name, event.reportingController, event.note], ["a", "widget-publisher", "Published the colour red."]);
  const metrics = await (await server.handle(new Request("https://test/metrics"))).text();
  assert.match(metrics, /^example_widgets_published_total\{colour="red"\} 1$/m);
  assert.match(metrics, /^workqueue_adds_total\{name="widget-publisher"\} \d+$/m);
  assert.match(metrics, /^workqueue_work_duration_seconds_count\{name="widget-publisher"\} [2-9]$/m);
});
