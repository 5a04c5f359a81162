// Writers, readers and watchers against test servers that are forked and restored under the load.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../../testing.ts";
import { randomOf } from "../../core/random.ts";
import { until } from "../real-server.ts";
import { pause } from "./actors.ts";
import { acknowledged, violations } from "./checkers.ts";
import { clientOf } from "./local-client.ts";
import { eventsOf, type Load, startLoad, told } from "./load.ts";

const seed = Number(process.env.THOLE_FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32));

/** With fewer events, a history proves too little. */
const eventsMin = 20;

/** Runs loads for as long as `during` takes, and until each has enough events, and checks their histories. */
async function withLoads(
  servers: readonly TestServer[],
  during: () => Promise<void>,
  leftOut?: Parameters<typeof violations>[1],
): Promise<void> {
  const loads: Load[] = [];
  try {
    for (const [at, server] of servers.entries()) loads.push(await startLoad(() => clientOf(server), seed + at));
    await during();
    // On a busy machine a time alone says nothing about the number of events.
    await until(() => loads.forEach((load) => assert.ok(eventsOf(load.history.chains) > eventsMin, told(load))), 60_000);
    for (const load of loads) await load.finish();
  } finally {
    for (const load of loads) load.abandon();
  }
  for (const load of loads) {
    console.log(`seed ${seed}: ${told(load)}`);
    assert.deepEqual(violations(load.history, leftOut), [], `seed ${seed}: ${told(load)}`);
  }
}

test("nothing acknowledged is lost and no watch skips, repeats or reorders on a fork, and on its parent that is forked under load", async () => {
  await using parent = await openTestServer({ unexpectedErrors: "answer" });
  await parent.load({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "before", namespace: "default" } });
  await using fork = await parent.fork();
  const random = randomOf(seed), forks: TestServer[] = [];
  await withLoads([parent, fork], async () => {
    for (let round = 0; round < 4; round++) {
      await pause(100 + random() * 300);
      forks.push(await parent.fork(), await fork.fork());
    }
  });
  await Promise.all(forks.map((each) => each.close()));
});

test("no watch skips, repeats or reorders, and no read is stale, while a server goes back to snapshots by events", async () => {
  await using server = await openTestServer({ unexpectedErrors: "answer" });
  const random = randomOf(seed);
  const restores = async () => {
    for (let round = 0; round < 6; round++) {
      const snapshot = server.snapshot();
      await pause(100 + random() * 300);
      await server.restore(snapshot);
    }
  };
  // A restore is another writer, which writes values again and deletes.
  await withLoads([server], restores, [acknowledged]);
});

test("the same is true of a server that went back with an end of its watches before", async () => {
  await using server = await openTestServer({ unexpectedErrors: "answer" });
  const snapshot = server.snapshot();
  await withLoads([server], () => pause(300));
  await server.restore(snapshot, { watches: "end" });
  await withLoads([server], () => pause(500));
});
