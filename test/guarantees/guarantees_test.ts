// Writers, readers and watchers against the program, while it and its store are killed, stopped and disconnected, and history is compacted.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { etcdMissing, type EtcdServer, startEtcds } from "../etcd.ts";
import type { Client } from "../https.ts";
import { type Runtime, runtimeMissing, startSkipped, until } from "../real-server.ts";
import { configMaps, pause } from "./actors.ts";
import { violations } from "./checkers.ts";
import { type Fault, faultsOf, faultsOfWorkers, silences } from "./faults.ts";
import { Host } from "./host.ts";
import { eventsOf, type Load, startLoad, told } from "./load.ts";
import { randomOf } from "../../core/random.ts";

/** Duration of each run; `npm run test:faults` sets a longer one. */
const isLong = process.env.THOLE_FAULTS_SECONDS !== undefined;
const seconds = Number(process.env.THOLE_FAULTS_SECONDS ?? 3);
const seed = Number(process.env.THOLE_FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32));
/** Minimum number of faults: the first three kill a server, kill etcd and compact history, if applicable. */
const faultsMin = 3;
/** Milliseconds in which everything must recover after the last fault. */
const wellMs = 60_000;

type Faults = (hosts: readonly Host[], members: readonly EtcdServer[], random: () => number) => readonly Fault[];

/** Creates the kinds that are written and read. */
type Collection = (client: () => Client) => Promise<{ readonly path: string; readonly type?: object }>;

/** `runtimes`: the runtime of each server. */
async function scene(
  runtimes: readonly Runtime[],
  members: readonly EtcdServer[],
  { workers = 1, faultsFor = workers === 1 ? faultsOf : faultsOfWorkers, collection = () => Promise.resolve({ path: configMaps }) }: {
    readonly faultsFor?: Faults;
    readonly collection?: Collection;
    /** Processes of each server. */
    readonly workers?: number;
  } = {},
): Promise<void> {
  const hosts: Host[] = [];
  for (const runtime of runtimes) hosts.push(await Host.open(runtime, members, workers));
  const random = randomOf(seed + 100), faults = faultsFor(hosts, members, random), done: string[] = [];
  let load: Load | undefined;
  try {
    const { path, type } = await collection(() => hosts.at(-1)!.client());
    load = await startLoad((random) => hosts[Math.floor(random() * hosts.length)]!.client(), seed, path, type);
    const { progress } = load;
    for (const begun = performance.now(); done.length < Math.min(faultsMin, faults.length) || performance.now() - begun < seconds * 1000;) {
      await pause(400 + random() * 600);
      const { name, run } = faults[done.length % faults.length]!;
      done.push(name);
      await run();
    }
    await until(() => assert.ok(progress() > 20, "writes and reads go on"), wellMs);
    await load.finish();
  } catch (error) {
    console.log(`seed ${seed}: ${done.join(", ")}; ${hosts.map(({ log }) => log()).join("\n\n")}`);
    throw error;
  } finally {
    load?.abandon();
    for (const host of hosts) await host.close();
  }
  const { history, counts } = load;
  console.log(`seed ${seed} (${runtimes.join(" and ")}, ${members.length} etcd): ${told(load)}; ${done.join(", ")}`);
  assert.deepEqual(violations(history), [], `seed ${seed}: ${told(load)}`);
  assert.ok(eventsOf(history.chains) > 20 && counts.resumes > 4, `the history is too small for a proof: ${told(load)}`);
}

const promise = "nothing acknowledged is lost and no watch skips, repeats or reorders";

test(`${promise}, on the embedded store, while the server is killed, stopped and cut off, and history is compacted`, {
  skip: startSkipped("deno"),
}, () => scene(["deno"], []));

/** A custom resource, which the given server serves. */
const widgets: Collection = async (client) => {
  const group = "guarantees.example.com", path = `/apis/${group}/v1/namespaces/default/widgets`;
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
  const body = {
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: "Namespaced", names: { plural: "widgets", kind: "Widget" }, versions },
  };
  const { status, text } = await client().ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { method: "POST", body });
  assert.equal(status, 201, text);
  await until(async () => assert.equal((await client().ask(path)).status, 200));
  return { path, type: { apiVersion: `${group}/v1`, kind: "Widget" } };
};

test(`${promise}, of a custom resource on the embedded store, while the server is killed, stopped and cut off, and history is compacted`, {
  skip: startSkipped("node"),
}, () => scene(["node"], [], { collection: widgets }));

test(`${promise}, of a custom resource with two servers on one etcd, whichever dies`, {
  skip: etcdMissing() || startSkipped("deno") || runtimeMissing("node") || (!isLong && "only in npm run test:faults"),
}, async () => {
  const cluster = await startEtcds({ members: 1 });
  try {
    await scene(["deno", "node"], cluster, { collection: widgets });
  } finally {
    for (const member of cluster) await member.stop();
  }
});

const both = "while both are killed, stopped and cut off, and history is compacted";
const setups: readonly (readonly [string, readonly [Runtime, ...Runtime[]], number, "always" | "long", Faults?])[] = [
  [`with one etcd and deno, ${both}`, ["deno"], 1, "always"],
  [`with one etcd and node, ${both}`, ["node"], 1, "long"],
  ["with two servers on one etcd, whichever dies", ["deno", "node"], 1, "long"],
  ["with two servers on three members, for every failing member and every leader", ["node", "deno"], 3, "always"],
  ["with two servers on one etcd, whose lines to it fall silent for longer than their keepalive", ["deno", "node"], 1, "long", silences],
];
for (const [how, runtimes, members, when, faultsFor] of setups) {
  const skip = etcdMissing() || startSkipped(runtimes[0]) || runtimes.map(runtimeMissing).find((missing) => missing !== false) ||
    (when === "long" && !isLong && "only in npm run test:faults");
  test(`${promise}, ${how}`, { skip: skip ?? false }, async () => {
    const cluster = await startEtcds({ members });
    try {
      await scene(runtimes, cluster, faultsFor === undefined ? {} : { faultsFor });
    } finally {
      for (const member of cluster) await member.stop();
    }
  });
}

for (const runtime of ["deno", "node"] satisfies readonly Runtime[]) {
  test(`${promise}, with one server of two workers and ${runtime}, while workers, server and etcd are killed and stopped`, {
    skip: etcdMissing() || startSkipped(runtime),
  }, async () => {
    const cluster = await startEtcds({ members: 1 });
    try {
      await scene([runtime], cluster, { workers: 2 });
    } finally {
      for (const member of cluster) await member.stop();
    }
  });
}
