// A kube-apiserver and this server on one etcd read what the other has encrypted, with each provider.
// In Deno's suite only: ciphers are tested beside their source on both runtimes.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { testKmsPlugin } from "../server/encryption/kms/test-plugin.ts";
import { openEtcd } from "../kernel/store/etcd/etcd.ts";
import { kubeApiserverMissing, startKubeApiserver } from "./access/kube-apiserver.ts";
import { until } from "./real-server.ts";
import { within } from "./stores.ts";

const providers = {
  secrets: "secretbox",
  configmaps: "aesgcm",
  resourcequotas: "aescbc",
  limitranges: "aesgcm",
  serviceaccounts: "kms",
  // All other resources of the core group, and all other resources.
  "*.": "secretbox",
  "*.*": "aesgcm",
} as const;
/** An object of each rule. */
const objects: readonly {
  readonly of: keyof typeof providers;
  readonly collection: string;
  readonly under: string;
  readonly body: object;
}[] = [
  ...(["resourcequotas", "limitranges", "serviceaccounts"] as const).map((of) => ({ of, ...core(of), body: {} })),
  { of: "secrets", ...core("secrets"), body: { stringData: { a: "hidden" } } },
  { of: "configmaps", ...core("configmaps"), body: { data: { a: "hidden" } } },
  { of: "*.", collection: "/api/v1/namespaces/default/endpoints", under: "services/endpoints", body: {} },
  { of: "*.*", collection: "/apis/coordination.k8s.io/v1/namespaces/default/leases", under: "leases", body: {} },
];
const configurationWith = (endpoint: string) =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: Object.entries(providers).map(([resource, provider]) => ({
      resources: [resource],
      providers: [
        {
          [provider]: provider === "kms"
            ? { apiVersion: "v2", name: "one", endpoint }
            : { keys: [{ name: "one", secret: btoa("k".repeat(32)) }] },
        },
        { identity: {} },
      ],
    })),
  });
function core(resource: string) {
  return { collection: `/api/v1/namespaces/default/${resource}`, under: resource };
}

test("a kube-apiserver opens what this server wrote, and the other way round", { skip: kubeApiserverMissing() }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-encryption-")), file = join(folder, "encryption.yaml");
  const flag = `--encryption-provider-config=${file}`;
  const plugin = await testKmsPlugin(join(folder, "kms.sock"));
  await writeFile(file, configurationWith(plugin.endpoint));
  const peer = await startKubeApiserver([], undefined, { flags: [flag] });
  try {
    const made = async ({ ask }: typeof peer.admin, name: string) => {
      for (const { collection, body } of objects) {
        const { status, text } = await ask(collection, { method: "POST", body: { metadata: { name }, ...body } });
        assert.equal(status, 201, text);
      }
    };
    const shown = async ({ ask }: typeof peer.admin, name: string) => {
      const found: any[] = [];
      for (const { collection } of objects) {
        const { status, text } = await ask(`${collection}/${name}`);
        assert.equal(status, 200, text);
        const { metadata: { uid }, data } = JSON.parse(text);
        found.push({ uid, data });
      }
      return found;
    };
    await until(() => made(peer.admin, "theirs"));
    await within([`--etcd-servers=${peer.etcd.endpoint}`, flag], async (own) => {
      assert.deepEqual(await shown(own, "theirs"), await shown(peer.admin, "theirs"));
      await made(own, "ours");
      await until(async () => assert.deepEqual(await shown(peer.admin, "ours"), await shown(own, "ours")));
    });
    const store = await openEtcd({ endpoints: [peer.etcd.endpoint] });
    try {
      for (const { of, under } of objects) {
        for (const name of ["theirs", "ours"]) {
          const { entry } = await store.get(`/registry/${under}/default/${name}`);
          assert.match(
            new TextDecoder("latin1").decode(entry!.value),
            new RegExp(`^k8s:enc:${providers[of]}:v${of === "serviceaccounts" ? 2 : 1}:one:`),
          );
        }
      }
    } finally {
      await store.close();
    }
  } finally {
    await peer.close();
    await plugin.close();
    await rm(folder, { recursive: true, force: true });
  }
});
