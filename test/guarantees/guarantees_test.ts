// Writers, readers and watchers against the program, while it and its store are killed, stopped and cut off, and history is compacted.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { etcdMissing, type EtcdServer, startEtcds } from "../etcd.ts";
import { type Runtime, runtimeMissing, until } from "../real-server.ts";
import { collection, dawdle, pause, read, readOwn, type Resumed, type Stage, wantedLabel, watch, write } from "./actors.ts";
import { violations } from "./checkers.ts";
import { faultsOf } from "./faults.ts";
import { History } from "./history.ts";
import { Host } from "./host.ts";
import { randomOf } from "./random.ts";

/** How long each run takes; `npm run test:faults` gives it more. */
const isLong = process.env.THOLE_FAULTS_SECONDS !== undefined;
const seconds = Number(process.env.THOLE_FAULTS_SECONDS ?? 3);
const seed = Number(process.env.THOLE_FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32));
/** So many faults there are in any case: the first three kill a server, kill etcd and compact history where they can. */
const faultsMin = 3;
/** How long everything may take to be well again after the last fault. */
const wellMs = 60_000;

/** `runtimes`: of each server. */
async function scene(runtimes: readonly Runtime[], members: readonly EtcdServer[]): Promise<void> {
  const hosts: Host[] = [];
  for (const runtime of runtimes) hosts.push(await Host.open(runtime, members));
  const enough = new AbortController(),
    ending = new AbortController(),
    history = new History(),
    counts: Resumed = { resumes: 0, relists: 0 };
  const keys = Array.from({ length: 8 }, (_, at) => `key-${at}`);
  const stageOf = (actor: number, { signal } = ending): Stage => {
    const random = randomOf(seed + actor);
    return { history, client: () => hosts[Math.floor(random() * hosts.length)]!.client(), random, ending: signal };
  };
  const random = randomOf(seed + 100), faults = faultsOf(hosts, members, random), done: string[] = [];
  try {
    const watchers = [
      ...[5, 6].map((at) => watch(stageOf(at), `watcher ${at}`, false, counts)),
      watch(stageOf(7), "filtered watcher", true, counts),
    ];
    // From the very beginning, so that what they saw is all that happened.
    await until(() => assert.equal(history.chains.length, watchers.length));
    const dawdler = dawdle(stageOf(8));
    const actors = [
      ...[0, 1, 2].map((at) => write(stageOf(at, enough), keys)),
      ...[3, 4].map((at) => read(stageOf(at, enough), keys)),
      readOwn(stageOf(9, enough)),
    ];
    for (const begun = performance.now(); done.length < faultsMin || performance.now() - begun < seconds * 1000;) {
      await pause(400 + random() * 600);
      const { name, run } = faults[done.length % faults.length]!;
      done.push(name);
      await run();
    }
    await until(() => assert.ok(progress(history) > 20, "writes and reads go on"), wellMs);
    enough.abort();
    await Promise.all(actors);
    const last = await lastWrite(hosts);
    // One watcher may be in its second chain; every watcher has to hear of the end.
    const reached = () => history.chains.filter(({ events }) => events.some(({ revision }) => revision >= last)).length;
    await until(() => assert.equal(reached(), watchers.length, "watchers that heard of the last write"), wellMs);
    ending.abort();
    await Promise.all([...watchers, dawdler]);
    await closing(hosts, history);
  } catch (error) {
    console.log(`seed ${seed}: ${done.join(", ")}; ${hosts.map(({ log }) => log()).join("\n\n")}`);
    throw error;
  } finally {
    enough.abort();
    ending.abort();
    for (const host of hosts) await host.close();
  }

  const { writes, reads, chains } = history;
  const acknowledged = writes.filter(({ outcome }) => outcome === "done").length;
  const events = chains.reduce((sum, chain) => sum + chain.events.length, 0);
  const told =
    `${acknowledged} of ${writes.length} writes acknowledged, ${reads.length} reads, ${events} events in ${counts.resumes} watches, ${counts.relists} relists`;
  console.log(`seed ${seed} (${runtimes.join(" and ")}, ${members.length} etcd): ${told}; ${done.join(", ")}`);
  assert.deepEqual(violations(history), [], `seed ${seed}: ${told}`);
  assert.ok(events > 20 && counts.resumes > 4, `there was too little to prove anything by: ${told}`);
}

/** Of writes and reads, the lesser count. */
function progress({ writes, reads }: History): number {
  return Math.min(writes.filter(({ outcome }) => outcome === "done").length, reads.length);
}

/** A write after all others, that every watcher is to see. */
async function lastWrite(hosts: readonly Host[]): Promise<number> {
  return await until(async () => {
    const answer = await hosts[0]!.client().ask(collection, {
      method: "POST",
      body: { metadata: { generateName: "last-", labels: { [wantedLabel]: "yes" } } },
    });
    assert.equal(answer.status, 201, answer.text);
    return Number(answer.json().metadata.resourceVersion);
  });
}

/** Reads of everything at the end, in quiet: they find the last of every acknowledged write. */
async function closing(hosts: readonly Host[], history: History): Promise<void> {
  for (const key of new Set(history.writes.map(({ key }) => key))) {
    const begun = performance.now();
    const answer = await hosts[0]!.client().ask(`${collection}/${key}`);
    const object = answer.status === 200 ? answer.json() : undefined;
    const found = object === undefined ? undefined : { revision: Number(object.metadata.resourceVersion), value: object.data.value };
    history.reads.push({ key, begun, ended: performance.now(), found });
  }
}

const promise = "nothing acknowledged is lost and no watch skips, repeats or reorders";

test(`${promise}, on the embedded store, while the server is killed, stopped and cut off`, {
  skip: runtimeMissing("deno"),
}, () => scene(["deno"], []));

const both = "while both are killed, stopped and cut off, and history is compacted";
const setups: readonly (readonly [string, readonly Runtime[], number, "always" | "long"])[] = [
  [`with one etcd and deno, ${both}`, ["deno"], 1, "always"],
  [`with one etcd and node, ${both}`, ["node"], 1, "long"],
  ["with two servers on one etcd, whichever dies", ["deno", "node"], 1, "long"],
  ["with two servers on three members, whichever dies, whoever leads", ["node", "deno"], 3, "always"],
];
for (const [how, runtimes, members, when] of setups) {
  const skip = etcdMissing() || runtimes.map(runtimeMissing).find((missing) => missing !== false) ||
    (when === "long" && !isLong && "only in npm run test:faults");
  test(`${promise}, ${how}`, { skip: skip ?? false }, async () => {
    const cluster = await startEtcds({ members });
    try {
      await scene(runtimes, cluster);
    } finally {
      for (const member of cluster) await member.stop();
    }
  });
}
