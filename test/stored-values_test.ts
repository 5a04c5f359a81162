// Values of other servers and corrupted values in the store: they are decoded, or reported and removable, and do not affect other objects.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CborWriter, writeJson } from "../core/codec/cbor/write.ts";
import type { Store } from "../kernel/store/store.ts";
import type { Client } from "./https.ts";
import { until } from "./real-server.ts";
import { stores, within } from "./stores.ts";

const golden = new URL("golden/v1.35/", import.meta.url);
const goldenJson = JSON.parse(readFileSync(new URL("core.v1.ConfigMap.json", golden), "utf8"));
const goldenProtobuf = new Uint8Array(readFileSync(new URL("core.v1.ConfigMap.pb", golden)));
const where = "/api/v1/namespaces/default/configmaps";
const key = (name: string) => `/registry/configmaps/default/${name}`;
const garbage = new TextEncoder().encode('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"na');

const cbor = new CborWriter().selfDescribed();
writeJson({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "as-cbor",
    namespace: "default",
    uid: "0f6a3a1e-6d0c-4d5e-9a55-0c2a4f1a4c11",
    creationTimestamp: "2025-01-01T00:00:00Z",
  },
  data: { k: "v" },
}, cbor);

async function leaveBehind(store: Store): Promise<void> {
  for (
    const [name, value] of [
      ["as-protobuf", goldenProtobuf],
      ["as-cbor", cbor.finish()],
    ] as const
  ) assert.equal((await store.commit({ key: key(name), expect: "absent", value })).done, true);
  await store.close();
}

async function readsOthersValues(client: Client): Promise<void> {
  const fromProtobuf = await client.ask(`${where}/as-protobuf`);
  assert.equal(fromProtobuf.status, 200, fromProtobuf.text);
  assert.deepEqual(fromProtobuf.json().data, goldenJson.data);
  assert.deepEqual(fromProtobuf.json().binaryData, goldenJson.binaryData);
  const fromCbor = await client.ask(`${where}/as-cbor`);
  assert.equal(fromCbor.status, 200, fromCbor.text);
  assert.deepEqual(fromCbor.json().data, { k: "v" });
  const list = (await client.ask(where)).json();
  assert.deepEqual(list.items.map((each: { data: object }) => each.data), [{ k: "v" }, goldenJson.data]);
  const { resourceVersion } = fromCbor.json().metadata;
  const changed = await client.ask(`${where}/as-cbor`, { method: "PUT", body: { ...fromCbor.json(), data: { k: "w" } } });
  assert.equal(changed.status, 200, changed.text);
  assert.ok(Number(changed.json().metadata.resourceVersion) > Number(resourceVersion));
}

/** More than a response buffers before it is sent. */
const long = "x".repeat(500_000);

async function removesWhatNobodyCanRead(client: Client): Promise<void> {
  const fine = await client.ask(where, { method: "POST", body: { metadata: { name: "a-fine" }, data: { long } } });
  assert.equal(fine.status, 201, fine.text);
  for (const path of [`${where}/broken`, where, `${where}?limit=2`, `${where}?resourceVersion=0`, `${where}?labelSelector=a`]) {
    const refused = await client.ask(path);
    assert.equal(refused.status, 500, refused.text);
    assert.match(refused.json().message, /"\/registry\/configmaps\/default\/broken" cannot be read/, path);
    assert.match(
      refused.json().message,
      /AllowUnsafeMalformedObjectDeletion .*\?ignoreStoreReadErrorWithClusterBreakingPotential=true/,
      path,
    );
  }
  const watched = (await client.ask(`${where}?watch=1&timeoutSeconds=1`)).text;
  const { type, object } = JSON.parse(watched.trimEnd().split("\n").at(-1) ?? "");
  assert.deepEqual([type, object.code], ["ERROR", 500]);
  assert.match(object.message, /"\/registry\/configmaps\/default\/broken" cannot be read/);
  assert.equal((await client.ask(`${where}/broken`, { method: "DELETE" })).status, 500);
  assert.equal((await client.ask(`${where}/a-fine`)).status, 200);
  const unsafe = "ignoreStoreReadErrorWithClusterBreakingPotential=true";
  const removed = await client.ask(`${where}/broken?${unsafe}`, { method: "DELETE" });
  assert.equal(removed.status, 200, removed.text);
  assert.equal(removed.json().status, "Success");
  assert.equal((await client.ask(`${where}/broken`)).status, 404);
  const list = await client.ask(where);
  assert.equal(list.status, 200, list.text);
  assert.deepEqual(list.json().items.map((each: { metadata: { name: string } }) => each.metadata.name), ["a-fine"]);
}

for (const { store, on, skip } of stores) {
  test(`a server on ${store} decodes values that others stored as protobuf and as CBOR`, { skip }, () =>
    on(async (open, args) => {
      await leaveBehind(await open());
      await within(args, readsOthersValues);
    }));

  test(
    `a server on ${store} names an undecodable value in every response, and deletes it only with the gate and its option`,
    { skip },
    () =>
      on(async (open, args) => {
        const store = await open();
        assert.equal((await store.commit({ key: key("broken"), expect: "absent", value: garbage })).done, true);
        await store.close();
        await within([...args, "--feature-gates=AllowUnsafeMalformedObjectDeletion=true"], removesWhatNobodyCanRead);
      }),
  );

  test(
    `the garbage collector on ${store} passes over a value that cannot be read, of the same kind and of others, and keeps what it owns`,
    { skip },
    () =>
      on(async (open, args) => {
        const store = await open();
        await store.commit({ key: key("broken"), expect: "absent", value: garbage });
        await store.close();
        await within(args, async (client) => {
          const secrets = "/api/v1/namespaces/default/secrets";
          const ownedBy = (name: string) => [{ apiVersion: "v1", kind: "ConfigMap", name, uid: "00000000-0000-4000-8000-000000000000" }];
          const made = async (path: string, name: string, owner: string) => {
            const { status } = await client.ask(path, { method: "POST", body: { metadata: { name, ownerReferences: ownedBy(owner) } } });
            assert.equal(status, 201);
          };
          await made(secrets, "kept", "broken");
          // One after another: a collector that fails and starts again deletes what it finds at its start.
          for (let round = 0; round < 3; round++) {
            for (const path of [secrets, where]) {
              await made(path, `collected-${round}`, "gone");
              await until(async () => assert.equal((await client.ask(`${path}/collected-${round}`)).status, 404));
            }
          }
          assert.equal((await client.ask(`${secrets}/kept`)).status, 200);
        });
      }),
  );
}
