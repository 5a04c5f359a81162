/** All clients of a run, from the first watch to the final reads. */
import assert from "node:assert/strict";
import type { Client } from "../https.ts";
import { until } from "../real-server.ts";
import { configMaps, dawdle, foundIn, isMissing, read, readOwn, type Resumed, type Stage, wantedLabel, watch, write } from "./actors.ts";
import { History } from "./history.ts";
import { randomOf } from "../../core/random.ts";

export interface Load {
  readonly history: History;
  readonly counts: Resumed;
  /** Number of chains if no watcher has to start again. */
  readonly watchers: number;
  /** Acknowledged writes or reads, whichever are fewer. */
  progress(): number;
  /**
   * Stops writers and readers; every watcher receives a final write, or lists after it; then everything is read once more. Rejects if that
   * takes longer than a minute.
   */
  finish(): Promise<void>;
  /** Aborts all clients. */
  abandon(): void;
}

const wellMs = 60_000;

/** Resolves when every watcher has started, so that they see all changes. `client`: one of the current servers, selected with `random`. */
export async function startLoad(
  client: (random: () => number) => Client,
  seed: number,
  collection: string = configMaps,
  type: object = {},
): Promise<Load> {
  const history = new History(), counts: Resumed = { resumes: 0, relists: 0, ends: [] };
  const enough = new AbortController(), ending = new AbortController();
  const keys = Array.from({ length: 8 }, (_, at) => `key-${at}`);
  const stageOf = (actor: number, { signal } = ending): Stage => {
    const random = randomOf(seed + actor);
    return { history, collection, type, client: () => client(random), random, ending: signal };
  };
  const watching = [
    ...[5, 6].map((at) => watch(stageOf(at), `watcher ${at}`, false, counts)),
    watch(stageOf(7), "filtered watcher", true, counts),
  ];
  const watchers = watching.length;
  await until(() => assert.equal(history.chains.length, watchers));
  const dawdling = dawdle(stageOf(8));
  const working = [
    ...[0, 1, 2].map((at) => write(stageOf(at, enough), keys)),
    ...[3, 4].map((at) => read(stageOf(at, enough), keys)),
    readOwn(stageOf(9, enough)),
  ];
  const quiet = randomOf(seed + 10);
  return {
    history,
    counts,
    watchers,
    progress: () => Math.min(history.writes.filter(({ outcome }) => outcome === "done").length, history.reads.length),
    async finish() {
      enough.abort();
      await Promise.all(working);
      const last = await lastWrite({ collection, type }, () => client(quiet));
      await until(() => assert.equal(reached(history, last), watchers, "watchers that heard of the last write"), wellMs);
      ending.abort();
      await Promise.all([...watching, dawdling]);
      await closing(collection, client(quiet), history);
    },
    abandon() {
      enough.abort();
      ending.abort();
    },
  };
}

/**
 * Number of watchers that have reached a revision in one of their chains. A watcher that was stuck for longer than history is kept has
 * listed after it, and receives no further event: its history is compacted before the next bookmark.
 */
function reached({ chains }: History, last: number): number {
  const those = chains.filter(({ start, events }) => start >= last || events.some(({ revision }) => revision >= last));
  return new Set(those.map(({ watcher }) => watcher.replace(/ \d+$/, ""))).size;
}

/** The summary of a run, in one line. */
export function told({ history: { writes, reads, chains }, counts: { resumes, relists } }: Load): string {
  const acknowledged = writes.filter(({ outcome }) => outcome === "done").length;
  return `${acknowledged} of ${writes.length} writes acknowledged, ${reads.length} reads, ${
    eventsOf(chains)
  } events in ${resumes} watches, ${relists} relists`;
}
/** Number of events of all watchers. */
export function eventsOf(chains: History["chains"]): number {
  return chains.reduce((sum, { events }) => sum + events.length, 0);
}

/** The final write, which every watcher must see. */
async function lastWrite({ collection, type }: Pick<Stage, "collection" | "type">, client: () => Client): Promise<number> {
  return await until(async () => {
    const answer = await client().ask(collection, {
      method: "POST",
      body: { ...type, metadata: { generateName: "last-", labels: { [wantedLabel]: "yes" } } },
    });
    assert.equal(answer.status, 201, answer.text);
    return Number(answer.json().metadata.resourceVersion);
  });
}

/** Reads of all objects at the end: they find the last acknowledged write of each. */
async function closing(collection: string, client: Client, history: History): Promise<void> {
  for (const key of new Set(history.writes.map(({ key }) => key))) {
    const begun = performance.now();
    const answer = await client.ask(`${collection}/${key}`);
    assert.ok(answer.status === 200 || isMissing(answer), answer.text);
    const found = answer.status === 200 ? foundIn(answer.json()) : undefined;
    history.reads.push({ key, begun, ended: performance.now(), found });
  }
}
