// Data of a real etcd, as it is read from the running etcd, from a snapshot and from the database of a stopped etcd: the same in each, and nothing is lost.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { openSnapshot } from "../../commands/source/etcd-files/etcd-files.ts";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import type { Entry, Store } from "../../kernel/store/store.ts";
import { etcdMissing, etcdRelease, etcds, startEtcd } from "../etcd.ts";
import { ctl, ctlMissing } from "../operations/etcd-programs.ts";
import { until } from "../real-server.ts";

const prefix = "/registry/";

async function put(store: Store, key: string, text: string | undefined): Promise<void> {
  const { entry } = await store.get(key);
  const { done } = await store.commit({
    key,
    expect: entry?.revision ?? "absent",
    value: text === undefined ? undefined : new TextEncoder().encode(text),
  });
  assert.ok(done);
}

/** Creates, updates, deletes and creates again, in values of all sizes, with a compaction between. */
async function fill(store: Store): Promise<void> {
  for (let index = 0; index < 400; index++) await put(store, `${prefix}a/${index}`, "v".repeat(index * index % 30_000));
  for (let index = 0; index < 400; index += 3) await put(store, `${prefix}a/${index}`, `newer ${index}`);
  const { revision } = await store.list({ prefix }, { limit: 1 });
  await store.compact(revision - 50);
  for (let index = 0; index < 400; index += 5) await put(store, `${prefix}a/${index}`, undefined);
  for (let index = 0; index < 400; index += 10) await put(store, `${prefix}a/${index}`, `again ${index}`);
  await put(store, "/other/a", "outside");
}

const shown = (entries: readonly Entry[]) => entries.map(({ key, value, revision }) => [key, revision, new TextDecoder().decode(value)]);

for (const program of etcds().length === 0 ? [undefined] : etcds()) {
  const release = program === undefined ? "etcd" : `etcd ${(await etcdRelease(program)).version}`;
  test(
    `${release}: its snapshot has what it has, and after a clean stop its database`,
    { skip: etcdMissing() || ctlMissing() },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "thole-import-"));
      await mkdir(join(folder, "data"));
      const etcd = await startEtcd({ program: program!, dataDir: join(folder, "data") });
      const keysOf = async (open: ReturnType<typeof openSnapshot>) => {
        const files = await open;
        try {
          return shown(files.list({ prefix }).entries);
        } finally {
          files.close();
        }
      };
      try {
        const store = await openEtcd({ endpoints: [etcd.endpoint] });
        await fill(store);
        const live = shown((await store.list({ prefix })).entries);
        assert.equal(live.length, 400 - 80 + 40);
        const snapshot = join(folder, "snapshot.db");
        await ctl(etcd.endpoint, "snapshot", "save", snapshot);
        assert.deepEqual(await keysOf(openSnapshot(snapshot, { prefix })), live);
        await put(store, `${prefix}last`, "last");
        const all = shown((await store.list({ prefix })).entries);
        await store.close();
        // A clean stop writes everything to the database.
        process.kill(etcd.pid, "SIGTERM");
        const database = join(folder, "data", "member-0", "member", "snap", "db");
        await until(async () => assert.deepEqual(await keysOf(openSnapshot(database, { prefix, skipHashCheck: true })), all));
      } finally {
        await etcd.stop();
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
}
