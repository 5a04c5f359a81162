// A migration of a store of an earlier release: all values are in the current version at the end, although a server is killed during it.
// In Deno's suite only: a migration does not depend on the runtime; THOLE_RUNTIMES=all runs it on both.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import type { Store } from "../../kernel/store/store.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { type Client, documents, httpsClient } from "../https.ts";
import { type RealServer, type Runtime, startRealServer, startSkipped, until } from "../real-server.ts";
import { standsStillAfter } from "./rods-v2.ts";

/** Ten thousand in the long run (`npm run test:faults`). */
const rods = process.env["THOLE_FAULTS_SECONDS"] === undefined ? 800 : 10_000;
/** Number of objects at the kill: after the first page, when its progress is stored. It migrates slightly more than that, and never all. */
const killedAt = Math.max(rods / 2, 520), standsStillAt = killedAt + 50;
const overMsMax = 600_000;
const prefix = "/registry/rods.example.com/rods/";
const path = "/apis/rods.example.com/v1/namespaces/default/rods";
const migrations = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations";
const flags = [
  "--runtime-config=storagemigration.k8s.io/v1beta1",
  "--feature-gates=StorageVersionMigrator=true",
  "--leader-elect-lease-duration=3s",
  "--leader-elect-renew-deadline=2s",
  "--leader-elect-retry-period=500ms",
];
const release = (version: "v1" | "v2") => `--plugins=${fileURLToPath(new URL(`rods-${version}.ts`, import.meta.url))}`;

/** A store, its servers of either release, and access to its values; on sqlite only while no server runs. */
async function world(store: "sqlite" | "etcd", runtime: Runtime, use: (world: ControllerContext) => Promise<void>): Promise<void> {
  const folders: string[] = [];
  const newFolder = async () => {
    folders.push(await mkdtemp(join(tmpdir(), "thole-migration-")));
    return folders.at(-1)!;
  };
  const home = await newFolder();
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const servers: RealServer[] = [];
  try {
    await use({
      async start(version, spare = false) {
        const folder = spare ? await newFolder() : home;
        const args = [...flags, release(version), ...(etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`])];
        servers.push(await startRealServer({ folder, runtime, args }));
        return servers.at(-1)!;
      },
      haltsAfter: (most) => writeFile(join(home, standsStillAfter), String(most)),
      async inStore(work) {
        const opened = etcd === undefined
          ? await openSqlite(join(home, "data/store.sqlite"))
          : await openEtcd({ endpoints: [etcd.endpoint] });
        try {
          return await work(opened);
        } finally {
          await opened.close();
        }
      },
    });
  } finally {
    for (const server of servers) server.signal("SIGKILL");
    await Promise.all(servers.map(({ exited }) => exited));
    await etcd?.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}
interface ControllerContext {
  /** Starts a server on the store; with its own folder if it runs beside another. */
  start(version: "v1" | "v2", spare?: boolean): Promise<RealServer>;
  /** Number of rods that servers of the store's folder change before they pause. */
  haltsAfter(most: number): Promise<void>;
  /** Calls `work` with the store; on sqlite only while no server runs. */
  inStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

/** Every stored rod. */
async function rodsIn(store: Store): Promise<readonly any[]> {
  const { entries } = await store.list({ prefix });
  return entries.map(({ value }) => JSON.parse(new TextDecoder().decode(value)));
}

/** Stores more rods like this one: as its release would, but faster. */
async function multiply(store: Store, rod: any): Promise<void> {
  for (let first = 1; first < rods; first += 100) {
    await Promise.all(Array.from({ length: Math.min(100, rods - first) }, async (_, index) => {
      const name = `rod-${first + index}`;
      const metadata = { ...rod.metadata, name, uid: crypto.randomUUID() };
      const value = new TextEncoder().encode(`${JSON.stringify({ ...rod, metadata, spec: { length: `${first + index}mm` } })}\n`);
      assert.ok((await store.commit({ key: `${prefix}default/${name}`, expect: "absent", value })).done);
    }));
  }
}

/** Starts the migration and resolves in its middle. */
async function halfway(client: Client): Promise<void> {
  const ending = new AbortController();
  const { metadata } = (await client.ask(`${path}?limit=1`)).json();
  const { chunks } = await client.stream(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`, { signal: ending.signal });
  const body = { metadata: { name: "rods" }, spec: { resource: { group: "rods.example.com", resource: "rods" } } };
  assert.equal((await client.ask(migrations, { method: "POST", body })).status, 201);
  let written = 0;
  for await (const { type } of documents(chunks)) {
    if (type === "MODIFIED" && ++written >= killedAt) break;
  }
  ending.abort();
}

const conditionsOf = async (client: Client) =>
  (await client.ask(`${migrations}/rods`)).json().status.conditions.map((each: any) => `${each.type}=${each.status}`);

const runtime: Runtime = "Deno" in globalThis ? "deno" : "node";

for (const store of ["sqlite", "etcd"] as const) {
  const skip = startSkipped(runtime) || (store === "etcd" && etcdMissing());
  describe(`a migration on ${runtime} with ${store}`, { skip }, () => {
    test(`of ${rods} objects, killed in its middle, is finished by ${store === "etcd" ? "the other server" : "the next run"}: every value is in the new version, none is lost`, () =>
      world(store, runtime, async ({ start, inStore, haltsAfter }) => {
        const old = await start("v1");
        const filling = httpsClient(old);
        const made = await filling.ask(path, { method: "POST", body: { metadata: { name: "rod-0" }, spec: { length: "0mm" } } });
        assert.equal(made.status, 201, made.text);
        filling.close();
        old.signal("SIGTERM");
        assert.equal(await old.exited, 0);
        await inStore(async (opened) => {
          const [rod] = await rodsIn(opened);
          assert.equal(rod.apiVersion, "rods.example.com/v1");
          await multiply(opened, rod);
        });

        await haltsAfter(standsStillAt);
        const first = await start("v2");
        const spare = store === "etcd" ? await start("v2", true) : undefined;
        const client = httpsClient(first);
        await halfway(client);
        first.signal("SIGKILL");
        client.close();
        assert.equal(await first.exited, 128 + 9);
        await haltsAfter(Infinity);
        if (spare === undefined) {
          const versions = (await inStore(rodsIn)).map(({ apiVersion }) => apiVersion);
          assert.equal(new Set(versions).size, 2, "it was killed in the middle");
        }

        const second = spare ?? await start("v2");
        const again = httpsClient(second);
        await until(async () => assert.deepEqual(await conditionsOf(again), ["Running=False", "Succeeded=True"]), overMsMax);
        const { metadata, status } = (await again.ask(`${migrations}/rods`)).json();
        assert.match(status.resourceVersion, /^[1-9]\d*$/);
        assert.ok(metadata.annotations["storagemigration.k8s.io/v1alpha1-continue-token"], "where it went on from was kept");
        assert.ok(metadata.managedFields.some(({ manager }: any) => manager === "kube-controller-manager"));
        again.close();
        second.signal("SIGTERM");
        assert.equal(await second.exited, 0, second.errors());

        const values = await inStore(rodsIn);
        assert.deepEqual(values.filter(({ apiVersion }) => apiVersion !== "rods.example.com/v2"), []);
        assert.deepEqual(
          values.map(({ metadata, spec }) => `${metadata.name} ${spec.millimetres ?? 0}`).toSorted(),
          Array.from({ length: rods }, (_, length) => `rod-${length} ${length}`).toSorted(),
        );
      }));
  });
}
