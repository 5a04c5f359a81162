// The data folder of an etcd that was killed: the changes of its write-ahead log are applied as etcd applies them when it starts again.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { randomOf } from "../../core/random.ts";
import { openDataFolder } from "../../kernel/store/etcd-files/etcd-files.ts";
import { etcdGateway, etcdMissing, etcdRelease, etcds, startEtcd } from "../etcd.ts";
import { until } from "../real-server.ts";

/** No write to the database before the kill: it has none of the changes. */
const unwritten = ["--backend-batch-interval=1h", "--backend-batch-limit=1000000"];
const operations = 400;

const keyOf = (index: number) => btoa(`/registry/k/${index}`);

/** A random request of any kind that changes keys or what later requests do. */
function requestOf(pick: (below: number) => number, leases: readonly string[], revision: number): readonly [call: string, body: object] {
  const key = () => keyOf(pick(12)), lease = () => leases[pick(leases.length + 2)] ?? "0";
  const put = () => {
    const base = { key: key(), value: btoa(`value ${pick(1_000)}`), lease: lease() }, kind = pick(8);
    if (kind === 0) return { key: base.key, ignore_value: true, lease: base.lease };
    return kind === 1 ? { key: base.key, value: base.value, ignore_lease: true } : base;
  };
  const range = () => {
    const from = pick(12), kind = pick(6);
    if (kind === 0) return { key: keyOf(from), range_end: keyOf(from + 2) };
    return kind === 1 && pick(4) === 0 ? { key: keyOf(11), range_end: btoa("\0") } : { key: keyOf(from) };
  };
  const compare = () => {
    const [target, field, value] = ([
      ["VERSION", "version", pick(3)],
      ["CREATE", "create_revision", pick(2) * pick(revision + 2)],
      ["MOD", "mod_revision", pick(3) === 0 ? 0 : pick(revision + 2)],
      ["VALUE", "value", btoa(`value ${pick(1_000)}`)],
      ["LEASE", "lease", lease()],
    ] as const)[pick(5)]!;
    return { ...range(), target, result: ["EQUAL", "GREATER", "LESS", "NOT_EQUAL"][pick(4)], [field]: value };
  };
  const some = <T>(most: number, make: () => T): readonly T[] => Array.from({ length: pick(most + 1) }, make);
  // Each key is written once in a transaction, as etcd demands.
  const txn = (depth: number): object => {
    const branch = () => {
      const first = pick(6), one = { request_put: { ...put(), key: keyOf(first) } };
      const two = pick(2) === 0 ? { request_delete_range: { key: keyOf(first + 6) } } : { request_range: { key: keyOf(first) } };
      if (depth > 0 && pick(4) === 0) return [{ request_txn: txn(depth - 1) }];
      return [one, two].slice(0, pick(3));
    };
    return { compare: some(2, compare), success: branch(), failure: branch() };
  };
  const kind = pick(10);
  if (kind < 4) return ["kv/put", put()];
  if (kind < 5) return ["kv/deleterange", range()];
  if (kind < 9) return ["kv/txn", txn(2)];
  return pick(2) === 0 || leases.length === 0 ? ["lease/grant", { TTL: 3_600 }] : ["lease/revoke", { ID: leases[pick(leases.length)] }];
}

for (const program of etcds().length === 0 ? [undefined] : etcds()) {
  const release = program === undefined ? "etcd" : `etcd ${(await etcdRelease(program)).version}`;
  test(`${release}: after a kill its data folder has the same keys, values and revisions`, { skip: etcdMissing() }, async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "thole-crashed-")), member = join(dataDir, "member-0");
    const first = await startEtcd({ program: program!, dataDir });
    await etcdGateway(first.endpoint, "kv/put", { key: keyOf(0), value: btoa("first") });
    process.kill(first.pid, "SIGTERM"); // A clean stop: the cluster is in the database.
    await until(() => assert.throws(() => process.kill(first.pid, 0)));
    const etcd = await startEtcd({ program: program!, dataDir, flags: unwritten });
    const seed = Math.floor(Math.random() * 2 ** 32), next = randomOf(seed), pick = (below: number) => Math.floor(next() * below);
    try {
      const leases: string[] = [];
      let revision = 2, rejected = 0;
      for (let index = 0; index < operations; index++) {
        const [call, body] = requestOf(pick, leases, revision);
        // etcd rejects some, such as a put with a lease that was revoked; the log has them all the same.
        const answer: any = await etcdGateway(etcd.endpoint, call, body).catch(() => void rejected++);
        revision = Number(answer?.header?.revision ?? revision);
        if (call === "lease/grant" && answer !== undefined) leases.push(answer.ID);
        if (index === operations / 2) await etcdGateway(etcd.endpoint, "kv/compaction", { revision });
      }
      assert.ok(rejected > 0 && rejected < operations / 2, `seed ${seed}: ${rejected} requests were rejected`);
      const live: any = await etcdGateway(etcd.endpoint, "kv/range", { key: btoa("\0"), range_end: btoa("\0") });
      await etcd.kill();
      const files = await openDataFolder(member, { prefix: "/registry/" });
      const read = files.list({ prefix: "/registry/" });
      files.close();
      const shown = read.entries.map(({ key, value, revision }) => [key, new TextDecoder().decode(value), revision]);
      const expected = (live.kvs ?? []).map((each: any) => [atob(each.key), atob(each.value ?? ""), Number(each.mod_revision)]);
      assert.deepEqual(shown, expected, `seed ${seed}`);
      assert.equal(read.revision, Number(live.header.revision), `seed ${seed}`);
    } finally {
      await etcd.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
}
