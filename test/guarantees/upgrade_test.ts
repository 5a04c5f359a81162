// Writers, readers and watchers, while the members of etcd are upgraded to the next release in sequence.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { etcdMissing, etcdRelease, etcds, startEtcds } from "../etcd.ts";
import { runtimeMissing, startSkipped, until } from "../real-server.ts";
import { violations } from "./checkers.ts";
import { Host } from "./host.ts";
import { eventsOf, startLoad, told } from "./load.ts";

const wellMs = 60_000;
/** Acknowledged writes and reads before the first upgrade, between two, and after the last. */
const pauseWrites = 100;

const releases = (await Promise.all(etcds().map(etcdRelease))).toSorted((a, b) => a.minor - b.minor);
const steps = releases.flatMap((from) => releases.filter((to) => to.minor === from.minor + 1).map((to) => [from, to] as const));
const missing = etcdMissing() || startSkipped("deno") || runtimeMissing("node");
const promise = "nothing acknowledged is lost and no watch skips, repeats or reorders while etcd is upgraded member by member";

if (steps.length === 0) {
  test(promise, { skip: missing || "no two etcd on PATH of which one is the next minor release of the other" }, () => {});
}
for (const [from, to] of steps) {
  test(`${promise}, from ${from.version} to ${to.version}`, { skip: missing }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-upgrade-"));
    const members = await startEtcds({ program: from.program, members: 3, dataDir: folder });
    const hosts: Host[] = [];
    try {
      for (const runtime of ["deno", "node"] as const) hosts.push(await Host.open(runtime, members));
      const load = await startLoad((random) => hosts[Math.floor(random() * hosts.length)]!.client(), 1);
      try {
        const more = async (count: number) => {
          const goal = load.progress() + count;
          await until(() => assert.ok(load.progress() >= goal, "writes and reads go on"), wellMs);
        };
        await more(pauseWrites);
        for (const member of members) {
          await member.stop();
          await more(pauseWrites / 4); // Two of three are a majority.
          await member.restart(to.program);
          await more(pauseWrites);
        }
        await until(async () => {
          const response = await fetch(`${members[0]!.endpoint}/version`);
          assert.equal((await response.json()).etcdcluster.split(".")[1], `${to.minor % 1000}`);
        }, wellMs);
        await more(pauseWrites);
        await load.finish();
      } finally {
        load.abandon();
      }
      console.log(`etcd ${from.version} to ${to.version}: ${told(load)}`);
      assert.deepEqual(violations(load.history), [], told(load));
      assert.ok(eventsOf(load.history.chains) > 100, told(load));
    } catch (error) {
      console.log(hosts.map(({ log }) => log()).join("\n\n"));
      throw error;
    } finally {
      for (const host of hosts) await host.close();
      for (const member of members) await member.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
