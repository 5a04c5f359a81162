// Values that an earlier release stored in another version are converted on reads, and stored in the current version by the next write.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { authenticationPlugin } from "../../plugins/authentication/mod.ts";
import { clusterPlugin } from "../../plugins/cluster/mod.ts";
import type { Client } from "../https.ts";
import { within } from "../stores.ts";
import { rodsPlugin } from "./rods.ts";

const path = (version: string) => `/apis/rods.example.com/${version}/namespaces/default/rods`;

function served(folder: string, stored: "v1" | "v2", work: (client: Client) => Promise<void>): Promise<void> {
  return within([`--data-dir=${folder}`], work, [authenticationPlugin, clusterPlugin, rodsPlugin(stored)]);
}
async function storedValue(folder: string, name: string): Promise<any> {
  const store = await openSqlite(join(folder, "store.sqlite"));
  try {
    const { entry } = await store.get(`/registry/rods.example.com/rods/default/${name}`);
    return JSON.parse(new TextDecoder().decode(entry!.value));
  } finally {
    await store.close();
  }
}

test("rule round-trip, storage-migration: a value stored in another version of its kind is read by get, list and watch in every version, and its next write stores it in the current version", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-rods-"));
  try {
    await served(folder, "v1", async (client) => {
      for (const name of ["a", "b"]) {
        const made = await client.ask(path("v2"), { method: "POST", body: { metadata: { name }, spec: { millimetres: 12 } } });
        assert.equal(made.status, 201, made.text);
      }
    });
    assert.deepEqual((({ apiVersion, spec }) => ({ apiVersion, spec }))(await storedValue(folder, "a")), {
      apiVersion: "rods.example.com/v1",
      spec: { length: "12mm" },
    });

    await served(folder, "v2", async (client) => {
      assert.deepEqual((await client.ask(`${path("v1")}/a`)).json().spec, { length: "12mm" });
      const list = (await client.ask(path("v2"))).json();
      assert.deepEqual(list.items.map((each: any) => each.spec), [{ millimetres: 12 }, { millimetres: 12 }]);
      const watched = await client.ask(`${path("v2")}?watch=1&resourceVersion=0&timeoutSeconds=1`);
      assert.deepEqual(watched.text.trim().split("\n").slice(0, 2).map((line) => JSON.parse(line).object.spec), [
        { millimetres: 12 },
        { millimetres: 12 },
      ]);
      const [live] = list.items;
      const put = await client.ask(`${path("v2")}/a`, { method: "PUT", body: live });
      assert.equal(put.status, 200, put.text);
      assert.notEqual(put.json().metadata.resourceVersion, live.metadata.resourceVersion, "what changes nothing is written all the same");
      const again = await client.ask(`${path("v2")}/a`, { method: "PUT", body: put.json() });
      assert.equal(again.json().metadata.resourceVersion, put.json().metadata.resourceVersion, "and not a second time");
    });
    assert.deepEqual((({ apiVersion, spec }) => ({ apiVersion, spec }))(await storedValue(folder, "a")), {
      apiVersion: "rods.example.com/v2",
      spec: { millimetres: 12 },
    });
    assert.equal((await storedValue(folder, "b")).apiVersion, "rods.example.com/v1");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
