// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeContext, openTestServer } from "../../testing.ts";
import type { ControllerContext } from "../../plugin.ts";
import type { FoundRecord, Records, SettingOf } from "../../toolbox.ts";
import { followEndpoints, keepEndpoints } from "./api-endpoints.ts";

/** Records in memory, which do not end by time. */
function recordsInMemory(): Records & { readonly kept: Map<string, FoundRecord> } {
  const kept = new Map<string, FoundRecord>();
  let revision = 0;
  return {
    kept,
    get: (path) => Promise.resolve(kept.get(path)),
    list: (prefix) => Promise.resolve([...kept.values()].filter(({ path }) => path.startsWith(prefix))),
    put(path, value, expect) {
      if (kept.get(path)?.revision !== expect) return Promise.resolve(false);
      if (value === undefined) kept.delete(path);
      else kept.set(path, { path, value, revision: ++revision });
      return Promise.resolve(true);
    },
  };
}

const values: Readonly<Record<string, unknown>> = {
  "endpoint-reconciler-type": "lease",
  "bind-address": "0.0.0.0",
  "secure-port": 6443,
  "etcd-servers": ["http://127.0.0.1:1"],
};
const settingOf = (more: Readonly<Record<string, unknown>>): SettingOf => ({ name }) => ({ ...values, ...more })[name] as never; // of the kind that is read

async function found(api: ControllerContext["api"]) {
  const endpoints = await api.get("v1", "endpoints", "default", "kubernetes") as any;
  const slice = await api.get("discovery.{domain}/v1", "endpointslices", "default", "kubernetes") as any;
  assert.deepEqual(
    slice.endpoints.map(({ addresses: [address] }: any) => address),
    endpoints.subsets[0].addresses.map(({ ip }: any) => ip),
  );
  assert.deepEqual([slice.ports[0].port, endpoints.subsets[0].ports[0].port], [6443, 6443]);
  assert.equal(slice.metadata.labels["kubernetes.io/service-name"], "kubernetes");
  return { addresses: slice.endpoints.map(({ addresses: [address] }: any) => address), version: endpoints.metadata.resourceVersion };
}

test("each server of a store is an endpoint of the Service kubernetes while its record lasts", async () => {
  await using server = await openTestServer();
  const records = recordsInMemory(), { api } = server;
  const world = (address: string) => fakeContext({ api, records, setting: settingOf({ "advertise-address": address }) });
  await keepEndpoints(world("192.0.2.2"), "192.0.2.2");
  await keepEndpoints(world("192.0.2.1"), "192.0.2.1");
  const both = await found(api);
  assert.deepEqual(both.addresses, ["192.0.2.1", "192.0.2.2"]);
  await keepEndpoints(world("192.0.2.2"), "192.0.2.2");
  assert.equal((await found(api)).version, both.version, "nothing is written while nothing changes");
  // A server that ends removes its record.
  await followEndpoints(world("192.0.2.1"), AbortSignal.abort());
  assert.deepEqual([...records.kept.keys()], ["masterleases/192.0.2.2"]);
  await keepEndpoints(world("192.0.2.2"), "192.0.2.2");
  assert.deepEqual((await found(api)).addresses, ["192.0.2.2"]);
});

test("the embedded store has one server and no record; an address that others cannot reach, and the type none, write nothing", async () => {
  await using server = await openTestServer();
  const records = recordsInMemory(), { api } = server, logged: string[] = [];
  const follow = async (more: Readonly<Record<string, unknown>>) => {
    const ending = new AbortController();
    const done = followEndpoints(
      fakeContext({ api, records, setting: settingOf(more), logError: (text) => logged.push(text) }),
      ending.signal,
    );
    // The first round has ended when the second one waits.
    for (let turn = 0; turn < 20; turn++) await api.list("v1", "endpoints", "default");
    ending.abort();
    await done;
  };
  for (
    const more of [{ "advertise-address": "", "bind-address": "127.0.0.1" }, { "advertise-address": "127.0.0.1" }, {
      "advertise-address": "192.0.2.1",
      "endpoint-reconciler-type": "none",
    }]
  ) {
    await follow(more);
  }
  assert.deepEqual((await api.list("v1", "endpoints", "default")).items, []);
  await follow({ "advertise-address": "192.0.2.1", "etcd-servers": [] });
  assert.deepEqual([(await found(api)).addresses, records.kept.size, logged], [["192.0.2.1"], 0, []]);
});
