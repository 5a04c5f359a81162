// The controller of docs/writing-a-controller.md runs unchanged.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Plugin } from "../../plugin.ts";
import { openTestServer } from "../../testing.ts";
import { textOf } from "../requests.ts";
import { until as repeated } from "../real-server.ts";
import { blockOf, replaced } from "../../tools/docs/page-blocks.ts";

const home = "example.com/v1";

const page = "docs/writing-a-controller.md";

/** The module of the page's first block of code, with these members of its controller and this code at its end. */
async function moduleOfPage(members = "", end = ""): Promise<any> {
  const code = replaced(blockOf(page, "import { defineMetric,"), ["  needs: [", `${members}  needs: [`]) + end;
  const folder = await mkdtemp(join(tmpdir(), "thole-controller-"));
  try {
    const path = join(folder, "widgets.ts");
    await writeFile(path, code.replaceAll('"thole/plugin"', JSON.stringify(new URL("../../plugin.ts", import.meta.url).href)));
    return await import(pathToFileURL(path).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
const pluginOfPage = async (members = ""): Promise<Plugin> => (await moduleOfPage(members)).widgetsPlugin;

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
  const metrics = await textOf(server, "/metrics");
  assert.match(metrics, /^example_widgets_published_total\{colour="red"\} 1$/m);
  assert.match(metrics, /^workqueue_adds_total\{name="widget-publisher"\} \d+$/m);
  assert.match(metrics, /^workqueue_work_duration_seconds_count\{name="widget-publisher"\} [2-9]$/m);
});

test("the controller of the page works with the service account and the rights of the page only", async () => {
  await using server = await openTestServer({ plugins: [await pluginOfPage(blockOf(page, "serviceAccount:"))] });
  const { api } = server;
  await api.create(home, "widgets", "default", { metadata: { name: "a" }, spec: { colour: "red" } });
  await repeated(async () => assert.deepEqual((await api.get("v1", "configmaps", "default", "widget-a") as any).data, { colour: "red" }));
  await repeated(async () => {
    const { items } = await api.list("events.k8s.io/v1", "events", "default", {});
    assert.ok(items.some(({ reason }: any) => reason === "Published"));
  });
  const role: any = await api.get("rbac.authorization.k8s.io/v1", "clusterroles", "", "system:controller:widget-publisher");
  assert.deepEqual(role.rules.map(({ verbs, resources }: any) => [verbs, resources])[0], [["create", "patch"], ["configmaps"]]);
});

test("the typed client and the informer of the page have the page's widgets", async () => {
  const informer = replaced(blockOf(page, "const informer ="), [
    "await running;",
    "ending.abort();\nawait running;\nreturn informer.objects();",
  ]);
  const code = `${blockOf(page, "const client = api.of(widgets)")}${informer}`;
  const { widgetsPlugin, use } = await moduleOfPage(
    "",
    `export async function use(api: any, queue: any) {\nconst ending = new AbortController(), { signal } = ending;\n${code}}\n`,
  );
  await using server = await openTestServer({ plugins: [widgetsPlugin] });
  await server.api.create(home, "widgets", "default", { metadata: { name: "a" }, spec: { colour: "red" } });
  const keys: string[] = [];
  const objects = await use(server.api, { add: (key: string) => keys.push(key) });
  assert.deepEqual(keys, ["default/a", "default/b"]);
  assert.deepEqual(objects.map(({ spec }: any) => spec.colour), ["red", "green"]);
});
