// A server with the CBOR gate: responses to clients, and the stored values before and after the gate changes.
// In Deno's suite only: encoders use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { isCbor } from "../core/codec/cbor/read.ts";
import type { Json } from "../core/schema.ts";
import type { Store } from "../kernel/store/store.ts";
import { decoded, encoded, gate, type, where } from "./cbor.ts";
import type { Client } from "./https.ts";
import { stores, within } from "./stores.ts";

const cbor = { accept: type, "content-type": type };

async function speaks(client: Client): Promise<void> {
  const made = await client.ask(where, {
    method: "POST",
    headers: cbor,
    body: encoded({ metadata: { name: "a", labels: { l: "1" } }, data: { k: "ü" } }),
  });
  assert.equal(made.status, 201, made.text);
  assert.equal(made.headers["content-type"], type);
  const { metadata, ...rest } = decoded(made.bytes);
  assert.deepEqual(rest, { kind: "ConfigMap", apiVersion: "v1", data: { k: "ü" } });
  assert.equal((await client.ask(`${where}/a`)).json().metadata.uid, metadata.uid);

  const list = await client.ask(where, { headers: { accept: type } });
  const { items, ...head } = decoded(list.bytes);
  assert.deepEqual({ ...head, metadata: {} }, { kind: "ConfigMapList", apiVersion: "v1", metadata: {} });
  assert.deepEqual(items.map((item: any) => [item.kind, item.metadata.name]), [[undefined, "a"]]);
  const empty = await client.ask(`${where}?labelSelector=l=2`, { headers: { accept: type } });
  assert.deepEqual(decoded(empty.bytes).items, []);
  const partial = `${type};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`;
  const partials = decoded((await client.ask(where, { headers: { accept: partial } })).bytes);
  assert.deepEqual([partials.kind, partials.items[0].kind, partials.items[0].data], [
    "PartialObjectMetadataList",
    "PartialObjectMetadata",
    undefined,
  ]);
  assert.equal(decoded((await client.ask(`${where}?labelSelector=l=2`, { headers: { accept: partial } })).bytes).items, null);

  for (
    const [method, path, status] of [["GET", "/api/v1/nothing", 404], ["GET", `${where}/a/b`, 404], ["POST", `${where}/a`, 405]] as const
  ) {
    const early = await client.ask(path, { method, headers: { accept: type } });
    assert.deepEqual([early.status, early.headers["content-type"], early.json().code], [status, "application/json", status]);
  }
  const unknown = await client.ask(where, { headers: { accept: type, authorization: "Bearer nobody" } });
  assert.deepEqual([unknown.status, unknown.headers["content-type"]], [401, "application/json"]);
  const late = await client.ask(`${where}/nothing`, { headers: { accept: type } });
  assert.deepEqual([late.status, late.headers["content-type"]], [404, type]);

  const table = await client.ask(where, { headers: { accept: `${type};as=Table;v=v1;g=meta.k8s.io` } });
  assert.equal(table.status, 406);
  assert.match(table.json().message, /application\/vnd\.kubernetes\.protobuf, application\/cbor$/);
  const text = await client.ask(where, { method: "POST", headers: { "content-type": "text/plain" }, body: "x" });
  assert.match(text.json().message, /application\/vnd\.kubernetes\.protobuf, application\/cbor$/);
  const discovery = await client.ask("/apis", { headers: { accept: `${type};as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io` } });
  assert.equal(discovery.status, 406, "of discovery only lists of resources come in CBOR");
  assert.equal(decoded((await client.ask("/api/v1", { headers: { accept: type } })).bytes).kind, "APIResourceList");

  const secret = encoded({ metadata: { name: "s" }, data: { k: Buffer.from("\0\xff").toString("base64") } });
  const kept = await client.ask("/api/v1/namespaces/default/secrets", { method: "POST", headers: cbor, body: secret });
  assert.equal(kept.status, 201, decoded(kept.bytes).message);
  assert.ok(Buffer.from(kept.bytes).includes(Buffer.from("d64300c3bf", "hex")), "bytes go as bytes, under the tag for base64");

  const put = await client.ask(`${where}/a`, {
    method: "PUT",
    headers: cbor,
    body: encoded({ metadata: { name: "a" }, data: { k: "v" } }),
  });
  assert.deepEqual(decoded(put.bytes).data, { k: "v" });
  const old = await client.ask(`${where}/a`, { method: "DELETE", headers: cbor, body: encoded({ preconditions: { uid: "other" } }) });
  assert.deepEqual([old.status, decoded(old.bytes).reason], [409, "Conflict"]);
  const wrong = await client.ask(`${where}/a`, { method: "DELETE", headers: cbor, body: encoded({ gracePeriodSeconds: "x" }) });
  assert.equal(
    decoded(wrong.bytes).message,
    "cbor: cannot unmarshal byte string into Go struct field v1.DeleteOptions.gracePeriodSeconds of type int64",
  );
  const gone = await client.ask(`${where}/a`, { method: "DELETE", headers: cbor, body: encoded({ propagationPolicy: "Background" }) });
  assert.deepEqual([gone.status, decoded(gone.bytes).status], [200, "Success"]);

  const large = await client.ask(where, { method: "POST", body: { metadata: { name: "large" }, data: { k: "x".repeat(200_000) } } });
  assert.equal(large.status, 201);
  const packed = await client.ask(where, { headers: { accept: type, "accept-encoding": "gzip" } });
  assert.equal(packed.headers["content-encoding"], "gzip");
  assert.equal(decoded(gunzipSync(packed.bytes)).items[0].data.k.length, 200_000);
  assert.equal((await client.ask(`${where}/large`, { method: "DELETE" })).status, 200);
}

/** Applied documents own their fields, in every encoding. */
async function applies(client: Client): Promise<void> {
  const apply = (body: Uint8Array, query = "") =>
    client.ask(`${where}/applied?fieldManager=me${query}`, {
      method: "PATCH",
      headers: { accept: type, "content-type": "application/apply-patch+cbor" },
      body,
    });
  const document = (data: Json): Json => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data });
  const made = await apply(encoded(document({ a: "1", b: "2" })));
  assert.equal(made.status, 201, decoded(made.bytes).message);
  const fewer = decoded((await apply(encoded(document({ a: "1" })))).bytes);
  assert.deepEqual(fewer.data, { a: "1" });
  assert.deepEqual(fewer.metadata.managedFields[0].fieldsV1, { "f:data": { "f:a": {} } });
  const messages = await Promise.all([
    apply(Uint8Array.of(0x80)),
    apply(new Uint8Array()),
    apply(Uint8Array.of(0xa2, 0x61, 0x61, 0, 0x61, 0x61, 0)),
    apply(encoded({ kind: "ConfigMap", apiVersion: "v2" })),
  ]);
  assert.deepEqual(messages.map(({ bytes }) => decoded(bytes).message), [
    "error decoding YAML: cbor: cannot unmarshal array into Go value of type map[string]interface {}",
    "error decoding YAML: EOF",
    'error decoding YAML: cbor: found duplicate map key "a" at map element index 1',
    "invalid object type: /v2, Kind=ConfigMap",
  ]);
  assert.equal((await client.ask(`${where}/applied`, { method: "DELETE" })).status, 200);
}

async function withoutGate(client: Client): Promise<void> {
  assert.equal((await client.ask(where, { headers: { accept: type } })).status, 406);
  assert.equal((await client.ask(where, { method: "POST", headers: { "content-type": type }, body: encoded({}) })).status, 415);
  const patch = await client.ask(`${where}/a?fieldManager=me`, {
    method: "PATCH",
    headers: { "content-type": "application/apply-patch+cbor" },
    body: encoded({}),
  });
  assert.equal(patch.status, 415);
}

const named = (name: string, k: string) => ({ metadata: { name }, data: { k } });
const key = (name: string) => `/registry/configmaps/default/${name}`;

/** Values of both encodings are decoded with and without the gate, and the next write uses the current encoding. */
async function switches(open: () => Promise<Store>, args: readonly string[]): Promise<void> {
  const forms = async (): Promise<readonly (readonly [string, boolean])[]> => {
    const store = await open();
    try {
      return await Promise.all(["before", "since"].map(async (name) => {
        const { entry } = await store.get(key(name));
        assert.ok(entry !== undefined, name);
        return [name, isCbor(entry.value)] as const;
      }));
    } finally {
      await store.close();
    }
  };
  const seen = async (client: Client) =>
    (await client.ask(`${where}?fieldSelector=metadata.name!=kube-root-ca.crt`)).json().items.map((
      item: any,
    ) => [item.metadata.name, item.data.k]);
  await within(args, async (client) => {
    await withoutGate(client);
    assert.equal((await client.ask(where, { method: "POST", body: named("before", "1") })).status, 201);
  });
  await within([...args, gate], async (client) => {
    assert.equal((await client.ask(where, { method: "POST", body: named("since", "2") })).status, 201);
    assert.deepEqual(await seen(client), [["before", "1"], ["since", "2"]]);
  });
  assert.deepEqual(await forms(), [["before", false], ["since", true]]);
  await within(args, async (client) => {
    assert.deepEqual(await seen(client), [["before", "1"], ["since", "2"]]);
    const answer = await client.ask(`${where}/since`);
    const same = await client.ask(`${where}/since`, { method: "PUT", body: answer.json() });
    assert.notEqual(same.json().metadata.resourceVersion, answer.json().metadata.resourceVersion);
  });
  assert.deepEqual(await forms(), [["before", false], ["since", false]]);
  await within([...args, gate], async (client) => {
    const { metadata } = (await client.ask(`${where}/before`)).json();
    const again = () => client.ask(`${where}/before`, { method: "PUT", body: named("before", "1") });
    const rewritten = (await again()).json().metadata;
    assert.notEqual(rewritten.resourceVersion, metadata.resourceVersion);
    assert.equal((await again()).json().metadata.resourceVersion, rewritten.resourceVersion, "what changes nothing is not written");
  });
  assert.deepEqual(await forms(), [["before", true], ["since", false]]);
}

for (const { store, on, skip } of stores) {
  test(
    `a server on ${store} with CBOR supports it in requests, responses and applied documents`,
    { skip },
    () =>
      on((_open, args) =>
        within([...args, gate], async (client) => {
          await speaks(client);
          await applies(client);
        })
      ),
  );

  test(
    `a server on ${store} stores CBOR with its gate, and decodes both encodings with and without the gate`,
    { skip },
    () => on(switches),
  );
}
