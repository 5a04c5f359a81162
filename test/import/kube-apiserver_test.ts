// Objects of a real kube-apiserver, some of them encrypted: imported from its etcd and from a snapshot, both servers then return the same.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { kubeApiserverMissing, startKubeApiserver } from "../access/kube-apiserver.ts";
import { startTestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { ctl, ctlMissing } from "../operations/etcd-programs.ts";
import { ownRuntime, run, runtimePath, startSkipped, until } from "../real-server.ts";

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
const thole = (...words: readonly string[]) =>
  run(runtimePath(ownRuntime), [
    ...(ownRuntime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"]),
    main,
    ...words,
  ]);

const secret = (bytes: number) => btoa("k".repeat(bytes));
const encryption = `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- {resources: [secrets], providers: [{aescbc: {keys: [{name: key1, secret: ${secret(32)}}]}}, {identity: {}}]}
- {resources: [configmaps], providers: [{aesgcm: {keys: [{name: key2, secret: ${secret(16)}}]}}, {identity: {}}]}
`;

const versionOf = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { size: { type: "integer" }, colour: { type: "string", default: "red" }, [`only-${name}`]: { type: "string" } },
        },
        status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
});
const definition = {
  kind: "CustomResourceDefinition",
  apiVersion: "apiextensions.k8s.io/v1",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [versionOf("v1", true), versionOf("v2", false)],
  },
};
const core = "/api/v1", shop = `${core}/namespaces/shop`;
/** Collections with an object for each. */
const objects: readonly (readonly [path: string, object: object])[] = [
  [`${core}/namespaces`, { metadata: { name: "shop", labels: { a: "b" }, finalizers: ["example.com/wait"] } }],
  [`${shop}/configmaps`, { metadata: { name: "plain", annotations: { k: "ä" } }, data: { a: "1", b: "äöü\n" }, binaryData: { c: "AAEC" } }],
  [`${shop}/secrets`, { metadata: { name: "hidden" }, stringData: { password: "geheim" } }],
  [`${shop}/serviceaccounts`, { metadata: { name: "robot" } }],
  [`${shop}/persistentvolumeclaims`, {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }],
  [`${shop}/limitranges`, { metadata: { name: "l" }, spec: { limits: [{ type: "Container", default: { cpu: "100m" } }] } }],
  [`${shop}/podtemplates`, { metadata: { name: "t" }, template: { spec: { containers: [{ name: "a", image: "b" }] } } }],
  [`${core}/persistentvolumes`, {
    metadata: { name: "vol" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } },
  }],
  ["/apis/storage.k8s.io/v1/storageclasses", { metadata: { name: "fast" }, provisioner: "example.com/fast", mountOptions: ["ro"] }],
  ["/apis/storage.k8s.io/v1/csidrivers", { metadata: { name: "csi.example.com" }, spec: { podInfoOnMount: true } }],
  ["/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles", {
    metadata: { name: "reader" },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
  }],
  ["/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings", {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "shop" }],
  }],
  ["/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
    metadata: { name: "w" },
    webhooks: [{
      name: "w.example.com",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      failurePolicy: "Ignore",
      clientConfig: { url: "https://example.com/x" },
      rules: [{ apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] }],
    }],
  }],
  ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition],
];
const widgets = "/apis/example.com/v1/namespaces/shop/widgets";

async function made(client: Client, path: string, body: object): Promise<any> {
  const { status, text, json } = await client.ask(path, { method: "POST", body });
  assert.equal(status, 201, `${path}: ${text}`);
  return json();
}

async function fill(client: Client): Promise<void> {
  for (const [path, object] of objects) await made(client, path, object);
  const { metadata: { uid } } = (await client.ask(`${shop}/configmaps/plain`)).json();
  await made(client, `${shop}/configmaps`, {
    metadata: { name: "owned", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "plain", uid }] },
  });
  await until(async () => assert.equal((await client.ask(widgets)).status, 200));
  const widget = { kind: "Widget", apiVersion: "example.com/v1" };
  await until(() => made(client, widgets, { ...widget, metadata: { name: "old" }, spec: { size: 1, "only-v1": "a" } }));
  // From now on the other version is stored; the first object stays in the old one.
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com", current = (await client.ask(path)).json();
  current.spec.versions.forEach((version: { name: string; storage: boolean }) => version.storage = version.name === "v2");
  assert.equal((await client.ask(path, { method: "PUT", body: current })).status, 200);
  const second = { ...widget, apiVersion: "example.com/v2", metadata: { name: "new" }, spec: { size: 2 } };
  await made(client, widgets.replace("/v1/", "/v2/"), second);
  const live = (await client.ask(`${widgets}/old`)).json();
  const status = await client.ask(`${widgets}/old/status`, { method: "PUT", body: { ...live, status: { x: { y: 1.5, z: null } } } });
  assert.equal(status.status, 200, status.text);
}

/** The objects of a collection by name, as clients see them, without their revisions. */
async function listed(client: Client, path: string): Promise<ReadonlyMap<string, any>> {
  const { items } = (await client.ask(path)).json();
  return new Map(items.map((item: any) => {
    const { resourceVersion: _, ...metadata } = item.metadata;
    return [item.metadata.name, { ...item, metadata }];
  }));
}

const skip = startSkipped(ownRuntime) || kubeApiserverMissing() || ctlMissing();

test("every object of a kube-apiserver that this server has is the same after an import", { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-import-")), keys = join(folder, "keys.yaml"), data = join(folder, "etcd");
  await writeFile(keys, encryption);
  await mkdir(data);
  const cluster = await startKubeApiserver([], undefined, { flags: [`--encryption-provider-config=${keys}`], etcdDataDir: data });
  try {
    await fill(cluster.admin);
    const snapshot = join(folder, "snapshot.db"), decrypted = `--from-encryption-provider-config=${keys}`;
    await ctl(cluster.etcd.endpoint, "snapshot", "save", snapshot);
    const list = await thole("import", "--list", `--from-snapshot=${snapshot}`, "-o", "json");
    assert.equal(list.code, 2, "encrypted without keys");
    assert.match(list.errors, /shop\/hidden" cannot be imported: it is encrypted by aescbc with key "key1"/);
    assert.match(list.errors, /shop\/plain" cannot be imported: it is encrypted by aesgcm with key "key2"/);
    const own = join(folder, "own");
    const first = await thole("import", `--from-snapshot=${snapshot}`, decrypted, `--data-dir=${own}`);
    assert.deepEqual([first.code, first.errors], [0, ""], first.errors);
    // The running etcd has the same objects: all are there already.
    const second = await thole("import", `--from-etcd-servers=${cluster.etcd.endpoint}`, decrypted, `--data-dir=${own}`, "-o", "json");
    assert.equal(second.code, 0, second.errors);
    const { outcomes, problems } = JSON.parse(second.output);
    assert.deepEqual([outcomes.created, outcomes.different, outcomes.overwritten, problems.count], [0, 0, 0, 0]);
    const verified = await thole("verify", `--data-dir=${own}`, "-o", "json");
    const { errors, warnings, objects: count } = JSON.parse(verified.output);
    assert.deepEqual([verified.code, errors, warnings, count], [0, 0, 0, outcomes.equal], verified.errors);

    const server = await startTestServer({ args: [`--data-dir=${own}`] });
    const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
    try {
      await until(async () => assert.equal((await client.ask(widgets)).status, 200));
      for (const path of [...new Set([...objects.map(([path]) => path), widgets, widgets.replace("/v1/", "/v2/")])]) {
        const there = await listed(cluster.admin, path), here = await listed(client, path);
        assert.ok(there.size > 0, path);
        // This server may have more, such as the roles of its own controllers.
        for (const [name, object] of there) assert.deepEqual(here.get(name), object, `${path}/${name}`);
      }
    } finally {
      client.close();
      await server.close();
    }
  } finally {
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  }
});
