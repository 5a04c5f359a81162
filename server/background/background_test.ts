import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { object } from "../../core/meta/object.ts";
import type { Controller, ControllerContext } from "../../core/controller.ts";
import type { Plugin } from "../../core/plugin.ts";
import { withDefaults } from "../config/parse.ts";
import type { PlainSettings } from "../config/plain-settings.ts";
import type { Config } from "../config/settings.ts";
import { activeConfigOf } from "../config/active-config.ts";
import { localApi } from "./local-api.ts";
import { silentLog } from "../../kernel/observe/log.ts";
import { type Opened, openServer } from "../startup/open-server.ts";

/** A plugin whose controller logs its start and end; it ends when `mayEnd` resolves. */
function loggingPlugin(name: string, log: string[], mayEnd: Promise<void> = Promise.resolve(), more: Partial<Plugin> = {}): Plugin {
  const run = async (_: ControllerContext, signal: AbortSignal) => {
    log.push(`${name} begins`);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await mayEnd;
    log.push(`${name} ends`);
  };
  return definePlugin({ name, summary: "For tests.", controllers: [{ name, run }], ...more });
}
const things = {
  kind: "Thing",
  scope: "Cluster" as const,
  summary: "A thing.",
  storedAs: "example.com/v1",
  storedUnder: "things",
  served: { "example.com/v1": { schema: object("Thing", {}, { doc: "A thing." }), introduced: "1.0" } },
};
const config = (settings: PlainSettings = {}) => withDefaults({ "data-dir": ":memory:", ...settings });
const open = (plugins: readonly Plugin[]) => openServer({ config: config(), plugins, log: silentLog });
const swap = (opened: Opened, next: Config, plugins: readonly Plugin[]) => opened.swap(activeConfigOf(next, plugins, opened.inForce()));
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a new configuration starts its controllers after those of the previous one have ended", async () => {
  const log: string[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const one = loggingPlugin("one", log, mayEnd.promise), two = loggingPlugin("two", log);
  const opened = await open([one]);
  swap(opened, config(), [one, two]);
  await turn();
  assert.deepEqual(log, ["one begins"]);
  mayEnd.resolve();
  while (log.length < 4) await turn();
  assert.deepEqual(log, ["one begins", "one ends", "one begins", "two begins"]);
  swap(opened, config(), [two]);
  while (log.length < 7) await turn();
  assert.deepEqual(log.slice(4), ["one ends", "two ends", "two begins"]);
  await opened.close();
  assert.deepEqual(log.slice(7), ["two ends"]);
});

test("settings that do not affect the catalog leave catalog and controllers unchanged", async () => {
  const log: string[] = [];
  const one = loggingPlugin("one", log);
  const opened = await open([one]);
  const { catalog } = opened.server;
  swap(opened, config({ "request-timeout": 5, "etcd-compaction-interval": 1000 }), [one]);
  await turn();
  assert.equal(opened.server.catalog, catalog);
  assert.equal(opened.server.requestTimeoutMs, 5);
  assert.deepEqual(log, ["one begins"]);
  await opened.close();
});

test("bootstrap objects are created with their resource, and a start without that resource succeeds", async () => {
  const bootstrapObjects = [{ groupVersion: "example.com/v1", resource: "things", object: { metadata: { name: "first" } } }];
  const plugin = definePlugin({ name: "things", summary: "For tests.", resources: [things], bootstrapObjects });
  const without = config({ "runtime-config": { "example.com/v1": false } });
  const opened = await openServer({ config: without, plugins: [plugin], log: silentLog });
  await opened.bootstrapped;
  swap(opened, config(), [plugin]);
  const api = localApi(opened.server, { name: "admin", groups: ["system:masters"] });
  const watching = new AbortController();
  for await (const { type, object } of api.watch("example.com/v1", "things", "", {}, watching.signal)) {
    assert.deepEqual([type, object.metadata.name], ["ADDED", "first"]);
    watching.abort();
  }
  await opened.close();
});

test("a bootstrap object that cannot be created is named, and keeps no other from being created", async () => {
  const seed = (name: string) => ({ groupVersion: "example.com/v1" as const, resource: "things", object: { metadata: { name } } });
  const bootstrapObjects = [seed("Not a name"), seed("fine")];
  const opened = await open([definePlugin({ name: "things", summary: "For tests.", resources: [things], bootstrapObjects })]);
  await assert.rejects(
    opened.bootstrapped,
    /^AggregateError: the bootstrap object Not a name \(things of example\.com\/v1\) cannot be created: .*metadata\.name/,
  );
  const api = localApi(opened.server, { name: "admin", groups: ["system:masters"] });
  assert.deepEqual((await api.list("example.com/v1", "things", "")).items.map(({ metadata: { name } }) => name), ["fine"]);
  await opened.close();
});

test("controllers and start hooks are field managers under their names, unless they set another one", async () => {
  const thing = (name: string) => ({ metadata: { name, labels: { made: "yes" } } });
  const make = (name: string) => async ({ api }: ControllerContext) => void await api.create("example.com/v1", "things", "", thing(name));
  const controller = (name: string, more: Partial<Controller> = {}): Controller => ({ name, ...more, run: make(name) });
  const plugin = definePlugin({
    name: "things",
    summary: "For tests.",
    resources: [things],
    controllers: [controller("gardener"), controller("upstream", { fieldManager: "kube-controller-manager" })],
    startHooks: [controller("hook"), controller("hook-named", { fieldManager: "first" })],
  });
  const opened = await open([plugin]);
  const api = localApi(opened.server, { name: "admin", groups: ["system:masters"] });
  const watching = new AbortController(), owners: Record<string, string | undefined> = {};
  for await (const { object: { metadata } } of api.watch("example.com/v1", "things", "", {}, watching.signal)) {
    owners[metadata.name ?? ""] = metadata.managedFields?.[0]?.manager;
    if (Object.keys(owners).length === 4) watching.abort();
  }
  assert.deepEqual(owners, { gardener: "gardener", upstream: "kube-controller-manager", hook: "hook", "hook-named": "first" });
  await opened.close();
});
