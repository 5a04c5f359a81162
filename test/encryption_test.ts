// Values of the resources that --encryption-provider-config names are encrypted in the store, keys are rotated, and what no key decrypts is reported.
// In Deno's suite only: ciphers and stores are tested beside their sources on both runtimes.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { append } from "../core/append.ts";
import type { Client } from "./https.ts";
import { until } from "./real-server.ts";
import { stores, within } from "./stores.ts";

const secrets = "/api/v1/namespaces/default/secrets", maps = "/api/v1/namespaces/default/configmaps";
const keyOf = (name: string) => ({ keys: [{ name, secret: btoa(name.repeat(32)) }] });
const fileOf = (...providers: readonly object[]) =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers }],
  });
const a = { secretbox: keyOf("a") }, b = { aesgcm: keyOf("b") }, c = { aescbc: keyOf("c") }, identity = { identity: {} };
const migrations = "--runtime-config=storagemigration.k8s.io/v1beta1=true";

async function body(client: Client, path: string, options?: Parameters<Client["ask"]>[1], status = 200): Promise<any> {
  const answer = await client.ask(path, options);
  assert.equal(answer.status, status, answer.text);
  return answer.json();
}
const secret = (name: string) => ({ metadata: { name }, stringData: { password: "open sesame" } });
const passwordOf = (object: any) => atob(object.data.password);
/** Writes an object as it is. */
const touched = async (client: Client, path: string) => {
  const object = await body(client, path);
  return {
    before: object.metadata.resourceVersion,
    after: (await body(client, path, { method: "PUT", body: object })).metadata.resourceVersion,
  };
};

for (const { store, on, skip } of stores) {
  test(`secrets are encrypted in ${store}, and keys are rotated by writes, migrations and changes of the file`, { skip }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-encryption-")), file = join(folder, "encryption.yaml");
    const use = (...providers: readonly object[]) => writeFile(file, fileOf(...providers));
    try {
      await on(async (open, args) => {
        const flags = [
          ...args,
          `--encryption-provider-config=${file}`,
          "--feature-gates=AllowUnsafeMalformedObjectDeletion=true,StorageVersionMigrator=true",
          migrations,
        ];
        /** The log and the metrics of servers with encryption: an operator shows them to others. */
        const shown: string[] = [];
        const encrypted = async (work: (client: Client) => Promise<void>) => {
          await within(
            flags,
            async (client) => {
              await work(client);
              shown.push((await client.ask("/metrics")).text);
            },
            undefined,
            (lines) => append(shown, lines),
          );
        };
        /** What is stored under a key of the namespace `default`, as text. */
        const stored = async (resource: string, name: string) => {
          const opened = await open();
          try {
            const { entry } = await opened.get(`/registry/${resource}/default/${name}`);
            return new TextDecoder("latin1").decode(entry?.value);
          } finally {
            await opened.close();
          }
        };
        // A value from before encryption.
        await within(args, async (client) => void await body(client, secrets, { method: "POST", body: secret("plain") }, 201));
        assert.match(await stored("secrets", "plain"), /^\{"kind":"Secret"/);

        await use(a, identity);
        await encrypted(async (client) => {
          await body(client, secrets, { method: "POST", body: secret("one") }, 201);
          await body(client, maps, { method: "POST", body: { metadata: { name: "one" }, data: { key: "open sesame" } } }, 201);
          const { items } = await body(client, secrets);
          assert.deepEqual(items.map(passwordOf), ["open sesame", "open sesame"]);
          const old = await touched(client, `${secrets}/plain`), same = await touched(client, `${secrets}/plain`);
          assert.notEqual(old.before, old.after, "a value in the clear is stored again");
          assert.equal(same.before, same.after);
        });
        for (const name of ["plain", "one"]) {
          assert.match(await stored("secrets", name), /^k8s:enc:secretbox:v1:a:(?!.*(b3BlbiBzZXNhbWU|"kind"))/s);
        }
        assert.match(await stored("configmaps", "one"), /open sesame/);

        await use(b, a);
        await encrypted(async (client) => {
          const one = await touched(client, `${secrets}/one`);
          assert.notEqual(one.before, one.after);
          assert.equal((await touched(client, `${secrets}/one`)).before, one.after);
          await use(c, b, a);
          await until(async () => {
            const again = await touched(client, `${secrets}/one`);
            assert.notEqual(again.before, again.after, "the changed file is in force");
          });
          const same = await touched(client, `${secrets}/one`);
          assert.equal(same.before, same.after);
          const collection = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations";
          const migration = { metadata: { name: "rotate" }, spec: { resource: { group: "", resource: "secrets" } } };
          await body(client, collection, { method: "POST", body: migration }, 201);
          await until(async () => {
            const { status } = await body(client, `${collection}/rotate`);
            assert.ok(
              status?.conditions?.some(({ type, status: is }: any) => type === "Succeeded" && is === "True"),
              JSON.stringify(status),
            );
          });
        });
        for (const name of ["plain", "one"]) assert.match(await stored("secrets", name), /^k8s:enc:aescbc:v1:c:/);

        // A value in the clear is an error without a provider that reads it.
        await within(args, async (client) => void await body(client, secrets, { method: "POST", body: secret("clear") }, 201));
        await use(c, b, a);
        await encrypted(async (client) => {
          const { status, text } = await client.ask(`${secrets}/clear`);
          assert.equal(status, 500);
          assert.match(text, /secrets\/default\/clear\\" cannot be read: no provider of --encryption-provider-config reads it/);
          assert.ok(!text.includes(btoa("open sesame")));
        });

        // The key is gone.
        await use(a, identity);
        await encrypted(async (client) => {
          const { status, text } = await client.ask(`${secrets}/one`);
          assert.equal(status, 500);
          assert.match(
            text,
            /"\/registry\/secrets\/default\/one\\" cannot be read: no provider of --encryption-provider-config reads it/,
          );
          assert.equal((await client.ask(secrets)).status, 500);
          assert.equal((await client.ask(`${maps}/one`)).status, 200);
          await body(client, secrets, { method: "POST", body: secret("two") }, 201);
          assert.equal(passwordOf(await body(client, `${secrets}/two`)), "open sesame");
          // The key comes back, and what could not be read can be.
          await use(a, identity, c);
          await until(async () => assert.equal((await client.ask(`${secrets}/plain`)).status, 200));
          assert.equal((await body(client, secrets)).items.length, 4);
          await use(a, identity);
          await until(async () => assert.equal((await client.ask(`${secrets}/one`)).status, 500));
          const options = { method: "DELETE", body: { ignoreStoreReadErrorWithClusterBreakingPotential: true } };
          await body(client, `${secrets}/one`, options);
          assert.equal((await client.ask(`${secrets}/one`)).status, 404);
        });

        // The log tells of the values that cannot be read, by their keys in the store.
        assert.ok(shown.some((text) => text.includes("/registry/secrets/default/one")), "values that cannot be read are logged");
        const hidden = ["a", "b", "c"].flatMap((name) => [name.repeat(32), keyOf(name).keys[0]!.secret]);
        for (const text of [...hidden, "open sesame", btoa("open sesame")]) assert.ok(shown.every((each) => !each.includes(text)), text);
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
