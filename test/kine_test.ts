// kine, a store behind etcd's API on SQL databases: the history that API servers agree to compact is removed from its table.
// In Deno's suite only: what is sent to etcd does not depend on the runtime.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openEtcd } from "../kernel/store/etcd/etcd.ts";
import { startCompactor } from "../server/background/compactor.ts";
import { kineMissing, startKine } from "./kine.ts";
import { until } from "./real-server.ts";

/** Revisions that kine keeps whatever is compacted; its default is 1,000. */
const kept = 50;
const writes = 400;

test("history that is compacted leaves kine's table", { skip: kineMissing }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-kine-")), file = join(folder, "kine.db");
  const kine = await startKine(`sqlite://${file}`, kept);
  const stop = new AbortController(), errors: unknown[] = [], idle: number[] = [];
  try {
    const store = await until(() => openEtcd({ endpoints: [kine.endpoint] }));
    const key = "/registry/configmaps/default/a", value = (text: string) => new TextEncoder().encode(text);
    const made = await store.commit({ key, expect: "absent", value: value("first") });
    assert.ok(made.done);
    let last = made.revision;
    const running = startCompactor(store, {
      everyMs: 50,
      signal: stop.signal,
      onError: (error) => errors.push(error),
      onIdle: (rounds) => idle.push(rounds),
    });
    for (let index = 0; index < writes; index++) {
      const done = await store.commit({ key, expect: last, value: value(String(index)) });
      assert.ok(done.done);
      last = done.revision;
    }
    await until(async () => {
      const database = new DatabaseSync(file, { readOnly: true });
      const { count } = database.prepare("SELECT count(*) AS count FROM kine").get() as { count: number }; // the row of the query
      database.close();
      assert.ok(count < 2 * kept + 100, `${count} rows after ${writes} writes`);
    });
    stop.abort();
    await running;
    assert.deepEqual([errors, idle], [[], []]);
    await store.close();
  } finally {
    stop.abort();
    await kine.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
