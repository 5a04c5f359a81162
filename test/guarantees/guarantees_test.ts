// Writers, readers and watchers against the program, while it is killed, its store is killed and its history is compacted.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { openEtcd } from "../../kernel/store/etcd.ts";
import { etcdMissing, type EtcdServer, startEtcd } from "../etcd.ts";
import { httpsClient } from "../https.ts";
import { type RealServer, type Runtime, runtimeMissing, startRealServer, until } from "../real-server.ts";
import { collection, dawdle, pause, read, type Resumed, type Stage, wantedLabel, watch, write } from "./actors.ts";
import { violations } from "./checkers.ts";
import { History } from "./history.ts";

/** How long each run takes; `npm run test:faults` gives it more. */
const seconds = Number(process.env.THOLE_FAULTS_SECONDS ?? 5);
const seed = Number(process.env.THOLE_FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32));

/** Numbers in [0, 1) that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The server of now, and the one after it. */
class Host {
  readonly #start: () => Promise<RealServer>;
  #server: RealServer;
  #client: ReturnType<typeof httpsClient>;

  private constructor(start: () => Promise<RealServer>, server: RealServer) {
    this.#start = start;
    this.#server = server;
    this.#client = httpsClient(server);
  }
  static async open(start: () => Promise<RealServer>): Promise<Host> {
    return new Host(start, await start());
  }
  readonly client = () => this.#client;
  /** As a crash would. */
  async crash(): Promise<void> {
    this.#server.signal("SIGKILL");
    await this.#server.exited;
    this.#server = await this.#start();
    this.#client.close();
    this.#client = httpsClient(this.#server);
  }
  async close(): Promise<void> {
    this.#client.close();
    await this.#server.close();
  }
}

/** Forgets everything but the last of it, while watches are open. */
async function compact(etcd: EtcdServer): Promise<void> {
  const store = await openEtcd({ endpoints: [etcd.endpoint] });
  const { revision } = await store.get("/registry");
  await store.compact(Math.max(1, revision - 5));
  await store.close();
}

async function scene(runtime: Runtime, etcd: EtcdServer | undefined): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-guarantees-"));
  const args = etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`];
  const host = await Host.open(() => startRealServer({ runtime, folder, args }));
  const enough = new AbortController(),
    ending = new AbortController(),
    history = new History(),
    counts: Resumed = { resumes: 0, relists: 0 };
  const keys = Array.from({ length: 8 }, (_, at) => `key-${at}`);
  const stageOf = (actor: number, { signal } = ending): Stage => ({
    history,
    client: host.client,
    random: randomOf(seed + actor),
    ending: signal,
  });
  const faults: readonly (() => Promise<unknown>)[] = [
    () => host.crash(),
    ...(etcd === undefined ? [] : [() => etcd.restart(), () => compact(etcd)]),
  ];
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
    ];
    const random = randomOf(seed + 100);
    for (let begun = performance.now(), round = 0; performance.now() - begun < seconds * 1000; round++) {
      await pause(400 + random() * 600);
      await faults[round % faults.length]!();
    }
    enough.abort();
    await Promise.all(actors);
    const last = await lastWrite(host);
    // One watcher may be in its second chain; every watcher has to hear of the end.
    const reached = () => history.chains.filter(({ events }) => events.some(({ revision }) => revision >= last)).length;
    await until(() => assert.equal(reached(), watchers.length, "watchers that heard of the last write"));
    ending.abort();
    await Promise.all([...watchers, dawdler]);
    await closing(host, history);
  } finally {
    enough.abort();
    ending.abort();
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }

  const { writes, reads, chains } = history;
  const done = writes.filter(({ outcome }) => outcome === "done").length;
  const events = chains.reduce((sum, chain) => sum + chain.events.length, 0);
  const told =
    `${done} of ${writes.length} writes acknowledged, ${reads.length} reads, ${events} events in ${counts.resumes} watches, ${counts.relists} relists`;
  console.log(`seed ${seed} (${runtime}, ${etcd === undefined ? "sqlite" : "etcd"}): ${told}`);
  assert.deepEqual(violations(history), [], `seed ${seed}: ${told}`);
  assert.ok(done > 20 && reads.length > 5 && events > 20 && counts.resumes > 4, `there was too little to prove anything by: ${told}`);
}

/** A write after all others, that every watcher is to see. */
async function lastWrite(host: Host): Promise<number> {
  return await until(async () => {
    const answer = await host.client().ask(collection, {
      method: "POST",
      body: { metadata: { generateName: "last-", labels: { [wantedLabel]: "yes" } } },
    });
    assert.equal(answer.status, 201, answer.text);
    return Number(answer.json().metadata.resourceVersion);
  });
}

/** Reads of everything at the end, in quiet: they find the last of every acknowledged write. */
async function closing(host: Host, history: History): Promise<void> {
  for (const key of new Set(history.writes.map(({ key }) => key))) {
    const begun = performance.now();
    const answer = await host.client().ask(`${collection}/${key}`);
    const object = answer.status === 200 ? answer.json() : undefined;
    const found = object === undefined ? undefined : { revision: Number(object.metadata.resourceVersion), value: object.data.value };
    history.reads.push({ key, begun, ended: performance.now(), found });
  }
}

test("nothing acknowledged is lost and no watch skips, repeats or reorders, on the embedded store, while the server is killed", {
  skip: runtimeMissing("deno"),
}, () => scene("deno", undefined));

for (const runtime of ["deno", "node"] as const) {
  test(
    `nothing acknowledged is lost and no watch skips, repeats or reorders, with etcd and ${runtime}, while both are killed and history is compacted`,
    {
      skip: etcdMissing() || runtimeMissing(runtime),
    },
    async () => {
      const etcd = await startEtcd();
      try {
        await scene(runtime, etcd);
      } finally {
        await etcd.stop();
      }
    },
  );
}
