// `thole verify`: its checks, its output, and stores that are in use.
// In Deno's suite only: findings do not depend on the runtime; test/start/commands_test.ts runs commands on both.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { fileURLToPath } from "node:url";
import { activeConfigOf } from "../server/config/active-config.ts";
import { withDefaults } from "../server/config/parse.ts";
import { liveSource } from "../commands/source/source.ts";
import { databaseFile, snapshotFile } from "../commands/source/etcd-files/test-etcd-file.ts";
import { copyInUse } from "../commands/source/copy-in-use.ts";
import { openSqlite } from "../kernel/store/sqlite/sqlite.ts";
import type { Store } from "../kernel/store/store.ts";
import { checkNames } from "../commands/verify/checks.ts";
import { verifyStore } from "../commands/verify/verify-store.ts";
import { plugins } from "../plugins/mod.ts";
import { httpsClient } from "./https.ts";
import { ownRuntime, run, runtimePath, startRealServer, startSkipped, until } from "./real-server.ts";
import { stores, within } from "./stores.ts";

const { catalog } = activeConfigOf(withDefaults({}), plugins);
const main = fileURLToPath(new URL("../server/main.ts", import.meta.url));

function thole(...words: readonly string[]) {
  const flags = ownRuntime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
  return run(runtimePath(ownRuntime), [...flags, main, ...words]);
}

/** Work of more than two seconds logs its progress, on a busy machine also this one. */
function withoutProgress(errors: string): string {
  return errors.split("\n").filter((line) => !/] "(reading the keys|verifying the store)/.test(line)).join("\n");
}

async function put(store: Store, key: string, object: object): Promise<void> {
  const { done } = await store.commit({
    key: `/registry/${key}`,
    expect: "absent",
    value: new TextEncoder().encode(JSON.stringify(object)),
  });
  assert.ok(done);
}

interface More {
  readonly uid?: string;
  readonly owners?: readonly object[];
}
const map = (name: string, namespace: string, { uid = `uid-${name}`, owners }: More = {}) => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace, uid, ...(owners === undefined ? {} : { ownerReferences: owners }) },
});
const ownerOf = (kind: string, name: string) => ({ apiVersion: "v1", kind, name, uid: `uid-${name}` });
const namespace = (name: string) => ({ kind: "Namespace", apiVersion: "v1", metadata: { name, uid: `uid-${name}` } });

test("verifyStore() compares uids, owners, namespaces and definitions, each problem once", async () => {
  const store = await openSqlite(":memory:");
  try {
    await put(store, "namespaces/default", namespace("default"));
    await put(store, "configmaps/default/a", map("a", "default"));
    await put(store, "configmaps/default/twice", map("twice", "default", { uid: "uid-a" }));
    // Owners may come later, and may be of a kind that is not served.
    await put(store, "configmaps/default/b", map("b", "default", { owners: [ownerOf("Secret", "later"), ownerOf("Gadget", "d")] }));
    await put(store, "gadgets/default/d", { kind: "Gadget", apiVersion: "v1", metadata: { name: "d", uid: "uid-d" } });
    await put(store, "secrets/default/later", { ...map("later", "default"), kind: "Secret" });
    for (const name of ["c", "d"]) {
      await put(store, `configmaps/default/own-${name}`, map(`own-${name}`, "default", { owners: [ownerOf("Pod", "none")] }));
    }
    for (const name of ["e", "f"]) await put(store, `configmaps/lost/${name}`, map(name, "lost"));
    for (const name of ["n", "m"]) {
      await put(store, `example.com/nets/default/${name}`, {
        kind: "Net",
        apiVersion: "example.com/v1",
        metadata: { name, uid: `uid-${name}` },
      });
    }
    await put(store, "scheduling.k8s.io/workloads/default/w", { kind: "Workload", apiVersion: "scheduling.k8s.io/v1alpha1" });
    await put(store, "configmaps/default/moved", map("moved", "other"));
    const { findings, revision, read, other, custom } = await verifyStore(await liveSource(store, { prefix: "/registry" }), catalog.stored);
    assert.deepEqual([read, custom, other, revision], [10, 0, 4, store.newest()]);
    assert.deepEqual(Object.fromEntries(checkNames.map((name) => [name, findings[name].texts])), {
      unreadable: ['the object stored under "/registry/configmaps/default/moved" has the namespace "other"'],
      duplicates: [
        'the objects stored under "/registry/configmaps/default/a" and "/registry/configmaps/default/twice" have the same uid uid-a',
      ],
      mismatched: [],
      undefinedResources: [
        '2 objects of nets.example.com have no CustomResourceDefinition, such as that stored under "/registry/example.com/nets/default/m"',
      ],
      missingOwners: [
        '2 objects, such as that stored under "/registry/configmaps/default/own-c", refer to the owner Pod "none" (v1, uid uid-none), which is not in the store',
      ],
      missingNamespaces: ['2 objects are in the namespace "lost", which does not exist, such as "/registry/configmaps/lost/e"'],
    });
    assert.equal(findings.undefinedResources.count, 2);
  } finally {
    await store.close();
  }
});

test("verify has a JSON result, exits with 2 for errors, and with 1 for a store that cannot be read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-verify-"));
  try {
    const file = join(folder, "a.db"), encode = (object: object) => JSON.stringify(object);
    const good = [{ key: "/registry/namespaces/default", value: encode(namespace("default")) }];
    const snapshot = async (...more: readonly { readonly key: string; readonly value: string }[]) =>
      await writeFile(file, snapshotFile(databaseFile([...good, ...more])));
    await snapshot({ key: "/registry/configmaps/lost/a", value: encode(map("a", "lost")) });
    const warned = await thole("verify", `--from-snapshot=${file}`, "-o", "json");
    assert.equal(warned.code, 0, warned.errors);
    const { revision, errors, warnings, objects, otherKeys, complete, checks } = JSON.parse(warned.output);
    assert.deepEqual({ revision, errors, warnings, objects, otherKeys, complete }, {
      revision: 3,
      errors: 0,
      warnings: 1,
      objects: 2,
      otherKeys: 0,
      complete: true,
    });
    assert.deepEqual(Object.keys(checks), checkNames);
    assert.equal(checks.missingNamespaces.severity, "warning");
    await snapshot({ key: "/registry/configmaps/default/a", value: "{" });
    const wrong = await thole("verify", `--from-snapshot=${file}`);
    assert.deepEqual([wrong.code, wrong.output.split("\n")[1]], [2, "Verified at revision 3."]);
    assert.match(
      withoutProgress(wrong.errors),
      /^thole: Internal error occurred: the object stored under "\/registry\/configmaps\/default\/a" cannot be read/,
    );
    await writeFile(file, (await readFile(file)).subarray(0, -1));
    const torn = await thole("verify", `--from-snapshot=${file}`);
    assert.equal(torn.code, 1);
    assert.match(withoutProgress(torn.errors), /^thole: Cannot read ".*a.db": it has no checksum at its end/);
    const flags = await thole("verify", "--skip-hash-check", "--output=yaml");
    assert.equal(flags.code, 1);
    assert.deepEqual(flags.errors.trim().split("\n"), [
      'thole: flag "--output": "yaml" is not text or json',
      'thole: flag "--skip-hash-check" needs one of --from-snapshot, --from-etcd-servers',
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

for (const { store, on, skip } of stores) {
  describe(`thole verify of ${store}`, { skip }, () => {
    it("reads one revision while objects are written and deleted, and finds nothing", () =>
      on(async (open, args) => {
        await within(args, async () => {});
        const opened = await open();
        const ending = new AbortController();
        const writing = (async () => {
          for (let index = 0; !ending.signal.aborted; index++) {
            // Never a state without the namespace of the object.
            await put(opened, `namespaces/n-${index}`, namespace(`n-${index}`));
            await put(opened, `configmaps/n-${index}/a`, map("a", `n-${index}`, { uid: `uid-a-${index}` }));
            if (index < 20) continue;
            for (const key of [`/registry/configmaps/n-${index - 20}/a`, `/registry/namespaces/n-${index - 20}`]) {
              const { entry } = await opened.get(key);
              await opened.commit({ key, expect: entry!.revision, value: undefined });
            }
          }
        })();
        try {
          await until(async () => assert.notEqual((await opened.get("/registry/namespaces/n-30")).entry, undefined));
          for (let round = 0; round < 3; round++) {
            const { findings, read } = await verifyStore(await liveSource(opened, { prefix: "/registry" }), catalog.stored);
            assert.deepEqual(checkNames.flatMap((name) => findings[name].texts), []);
            assert.ok(read > 40);
          }
        } finally {
          ending.abort();
          await writing;
          await opened.close();
        }
      }));
  });
}

test("verify reads a copy of the embedded store of a running server, and removes it", { skip: startSkipped(ownRuntime) }, async () => {
  const server = await startRealServer({ runtime: ownRuntime });
  const client = httpsClient(server), data = join(server.folder, "data");
  let ending = false, written = 0;
  const writing = (async () => {
    for (; !ending; written++) {
      const { status, text } = await client.ask("/api/v1/namespaces/default/configmaps", {
        method: "POST",
        body: { metadata: { name: `m-${written}` }, data: { k: "v".repeat(2000) } },
      });
      assert.equal(status, 201, text);
    }
  })();
  writing.catch(() => {});
  try {
    await until(() => assert.ok(written > 50));
    const before = written, { code, output, errors } = await thole("verify", `--data-dir=${data}`, "-o", "json");
    assert.equal(code, 0, errors);
    const { objects, warnings } = JSON.parse(output);
    assert.ok(objects >= before, `${objects} objects`);
    assert.equal(warnings, 0, errors);
    assert.deepEqual((await readdir(data)).filter((name) => name.startsWith("verify-")), []);
  } finally {
    ending = true;
    await writing;
    client.close();
    await server.close();
  }
});

test("copyInUse() copies a store whose log is written and begun again meanwhile, or fails", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-copy-"));
  try {
    const path = join(folder, "store.sqlite"), store = await openSqlite(path);
    let ending = false, acknowledged = 0;
    const writing = (async () => {
      for (let index = 0; !ending; index++) {
        await put(store, `configmaps/default/${index}`, {
          ...map(`${index}`, "default", { uid: `u-${index}` }),
          data: { k: "v".repeat(20_000) },
        });
        acknowledged = index + 1;
      }
    })();
    try {
      for (let round = 0; round < 5; round++) {
        await until(() => assert.ok(acknowledged > 100 * (round + 1)));
        const before = acknowledged, copy = join(folder, `copy-${round}.sqlite`);
        const failed = await copyInUse(path, copy).then(() => undefined, (error: Error) => error.message);
        if (failed !== undefined) {
          assert.match(failed, /it is written too fast/);
          continue;
        }
        const copied = await openSqlite(copy, { engine: {} });
        const { entries, count } = await copied.list({ prefix: "/registry/configmaps/" });
        await copied.close();
        assert.ok(count >= before, `${count} of ${before}`);
        assert.deepEqual(
          entries.map(({ key }) => Number(key.split("/").at(-1))).sort((a, b) => a - b),
          Array.from({ length: count }, (_, index) => index),
        );
      }
      ending = true;
      await writing;
      await copyInUse(path, join(folder, "last.sqlite"));
    } finally {
      ending = true;
      await writing;
      await store.close();
    }
    assert.equal(existsSync(`${path}-shm`), false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
