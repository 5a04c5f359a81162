// A server whose Secrets are encrypted by a KMS plugin: while it is down, Secrets are neither read nor written and everything else is served; no key is in what the
// server tells.
// In Deno's suite only: the provider is tested beside its source on both runtimes.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { testKmsPlugin } from "../server/encryption/kms/test-plugin.ts";
import { until } from "./real-server.ts";
import { within } from "./stores.ts";

const secrets = "/api/v1/namespaces/default/secrets", maps = "/api/v1/namespaces/default/configmaps";
const secret = (name: string) => ({ metadata: { name }, stringData: { password: "open sesame" } });

test("secrets with a KMS plugin are read and written while it works, and others always", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-kms-")), socket = join(folder, "kms.sock"), file = join(folder, "encryption.yaml");
  const configuration = (timeout: string) =>
    JSON.stringify({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "EncryptionConfiguration",
      resources: [{
        resources: ["secrets"],
        providers: [{ kms: { apiVersion: "v2", name: "vault", endpoint: `unix://${socket}`, timeout } }],
      }],
    });
  const flags = [`--data-dir=${join(folder, "data")}`, `--encryption-provider-config=${file}`];
  let plugin = await testKmsPlugin(socket);
  const shown: string[] = [], seeds = plugin.secrets;
  try {
    await writeFile(file, configuration("20s"));
    await within(flags, async ({ ask }) => {
      assert.equal((await ask(secrets, { method: "POST", body: secret("one") })).status, 201);
      assert.equal(atob((await ask(`${secrets}/one`)).json().data.password), "open sesame");
      assert.match((await ask("/readyz?verbose")).text, /\[\+\]kms-providers ok/);
      assert.doesNotMatch((await ask("/livez?verbose")).text, /kms-providers/);
      const metrics = (await ask("/metrics")).text;
      assert.match(
        metrics,
        /apiserver_envelope_encryption_key_id_hash_total\{[^}]*key_id_hash="sha256:[0-9a-f]{64}",provider_name="vault",transformation_type="to_storage"\} 1/,
      );
      assert.match(
        metrics,
        /kms_operations_latency_seconds_count\{grpc_status_code="OK",method_name="\/v2.KeyManagementService\/Status",provider_name="vault"\} 1/,
      );
      shown.push(metrics);
    });
    await plugin.close();
    await writeFile(file, configuration("1ms"));
    await within(flags, async ({ ask }) => {
      for (
        const answer of [
          await ask(`${secrets}/one`),
          await ask(secrets, { method: "POST", body: secret("two") }),
          await ask("/healthz/kms-providers"),
        ]
      ) {
        assert.equal(answer.status, 500, answer.text);
        shown.push(answer.text);
      }
      assert.match(shown.at(-2)!, /Cannot encrypt the value: the KMS provider \\"vault\\" has given no key yet/);
      assert.match(shown.at(-1)!, /Status failed: (Unavailable|DeadlineExceeded), within 1 ms/);
      assert.equal((await ask(maps, { method: "POST", body: { metadata: { name: "a" } } })).status, 201);
      // The plugin comes back, and a changed file is taken when it works.
      plugin = await testKmsPlugin(socket);
      await writeFile(file, configuration("20s"));
      await until(async () => assert.equal(atob((await ask(`${secrets}/one`)).json().data.password), "open sesame"));
      await until(async () => assert.equal((await ask(secrets, { method: "POST", body: secret("two") })).status, 201));
      shown.push((await ask("/metrics")).text);
    });
    assert.ok(seeds.length > 0);
    for (const seed of [...seeds, ...plugin.secrets]) {
      for (const text of [btoa(String.fromCharCode(...seed)), Array.from(seed, (byte) => byte.toString(16).padStart(2, "0")).join("")]) {
        assert.ok(shown.every((each) => !each.includes(text)));
      }
    }
  } finally {
    await plugin.close();
    await rm(folder, { recursive: true, force: true });
  }
});
