/**
 * Cost of the watch cache in process, without sockets. Run:
 * `deno run -A --no-check --v8-flags=--expose-gc tools/bench/cache_bench.ts` or `node --expose-gc tools/bench/cache_bench.ts`,
 * with names of parts to run only these.
 */
import process from "node:process";
import { type OpenedReads, openReads } from "../../kernel/cache/mod.ts";
import { catalog, endpointOf, type Fixture, jsonFraming, noteOf, openWatch, prefix, put, type WatchHow } from "../../test/reads/fixture.ts";
import { defaultNames } from "../../core/names.ts";
import { beginBody } from "../../kernel/objects/chunks.ts";
import { keyOf, storedBytes } from "../../kernel/objects/objects.ts";
import { listOptions } from "../../kernel/request/options.ts";
import { parseQuery } from "../../core/net/query.ts";
import { collectionOf } from "../../kernel/reads/reads.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import type { Store } from "../../kernel/store/store.ts";

const data = { text: "x".repeat(750) };
const labels = (index: number) => ({ app: `app-${index % 50}`, tier: index % 2 === 0 ? "front" : "back" });
const signal = new AbortController().signal;

/** A store with `count` objects of about one kilobyte. */
async function filledStore(count: number): Promise<Store> {
  const store = await openSqlite(":memory:");
  const { stored } = endpointOf("notes");
  for (let index = 0; index < count; index += 1000) {
    await Promise.all(Array.from({ length: Math.min(1000, count - index) }, (_, more) => {
      const name = `note-${String(index + more).padStart(6, "0")}`;
      // A copy, so that the cache does not recognise the bytes.
      const value = storedBytes(stored, noteOf(name, { labels: labels(index + more), data })).slice();
      return store.commit({ key: keyOf(prefix, stored, "ns", name), expect: "absent", value });
    }));
  }
  return store;
}

function fixtureOf(cache: OpenedReads): Fixture {
  return { store: cache.store, reads: cache.reads, close: () => cache.close() };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
function collect(): { heap: number; ms: number } {
  const begun = performance.now();
  (globalThis as { gc?: () => void }).gc?.();
  return { heap: process.memoryUsage().heapUsed, ms: performance.now() - begun };
}
async function timed<T>(run: () => Promise<T>): Promise<{ result: T; ms: number; cpuMs: number }> {
  const before = process.cpuUsage(), begun = performance.now();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return { result, ms: performance.now() - begun, cpuMs: (user + system) / 1000 };
}

async function memory(): Promise<void> {
  const count = 100_000;
  const store = await filledStore(count);
  const before = collect();
  const { result: cache, cpuMs } = await timed(() => openReads(store, catalog, prefix));
  const after = collect();
  console.log(
    `memory: ${count} entries of 1 kB cost ${megabytes(after.heap - before.heap)} of heap (${
      ((after.heap - before.heap) / count).toFixed(0)
    } bytes each) ` +
      `and ${megabytes(cache.size().slabBytes)} of slabs; full collection ${after.ms.toFixed(0)} ms (before: ${
        before.ms.toFixed(0)
      } ms); ` +
      `filled in ${cpuMs.toFixed(0)} ms of CPU (${(cpuMs * 1000 / count).toFixed(1)} µs each)`,
  );
  await bigLists(cache);
  await cache.close();
  await store.close();
}

async function listOnce(cache: OpenedReads, query: string): Promise<number> {
  const endpoint = endpointOf("notes");
  const options = listOptions(parseQuery(query), endpoint, catalog);
  const page = await cache.reads.list(collectionOf(prefix, endpoint, "", ""), options, defaultNames, signal);
  const { json } = page.items;
  if (json === undefined) throw new Error("no JSON at hand");
  const { body } = await beginBody(json.pieces());
  if (typeof body === "string" || body instanceof Uint8Array) return body.length;
  let bytes = 0;
  for await (const piece of body) bytes += piece.length;
  return bytes;
}

async function bigLists(cache: OpenedReads): Promise<void> {
  for (
    const [what, query] of [["all of them", ""], ["none by a label", "labelSelector=app=nowhere"], [
      "one by its name",
      "fieldSelector=metadata.name=note-000007",
    ]] as const
  ) {
    const times: number[] = [];
    for (let round = 0; round < 20; round++) times.push((await timed(() => listOnce(cache, query))).ms);
    times.sort((a, b) => a - b);
    console.log(`list of 100,000, ${what}: p50 ${times[10]!.toFixed(2)} ms, worst ${times.at(-1)!.toFixed(2)} ms`);
  }
}

async function lists(): Promise<void> {
  const store = await filledStore(10_000);
  const cache = await openReads(store, catalog, prefix);
  await listOnce(cache, "");
  const rounds = 100;
  let bytes = 0;
  const { cpuMs } = await timed(async () => {
    for (let round = 0; round < rounds; round++) bytes += await listOnce(cache, "");
  });
  console.log(`list of 10,000 x 1 kB: ${(cpuMs / rounds).toFixed(2)} ms of CPU, ${megabytes(bytes / rounds)}`);
  const fixture = fixtureOf(cache);
  for (let index = 0; index < 10_000; index += 3) {
    await put(fixture, `note-${String(index).padStart(6, "0")}`, { labels: labels(index), data });
  }
  const after = await timed(async () => {
    for (let round = 0; round < rounds; round++) await listOnce(cache, "");
  });
  console.log(`the same, a third of them rewritten: ${(after.cpuMs / rounds).toFixed(2)} ms of CPU`);
  const key = keyOf(prefix, endpointOf("notes").stored, "ns", "note-000007");
  const gets = 100_000;
  const one = await timed(async () => {
    for (let round = 0; round < gets; round++) await cache.reads.get(endpointOf("notes").stored, key, "0", { signal });
  });
  console.log(`get at version 0: ${(one.cpuMs * 1000 / gets).toFixed(2)} µs of CPU`);
  const fresh = await timed(async () => {
    for (let round = 0; round < gets; round += 100) {
      await Promise.all(Array.from({ length: 100 }, () => cache.reads.get(endpointOf("notes").stored, key, "", { signal })));
    }
  });
  console.log(`get of the newest, 100 at a time: ${(fresh.cpuMs * 1000 / gets).toFixed(2)} µs of CPU`);
  await cache.close();
  await store.close();
}

interface Reader {
  bytes: number;
  pieces: number;
}

async function readAll(fixture: Fixture, query: string, how: WatchHow, reader: Reader): Promise<AbortController> {
  const { stream, stopping } = await openWatch(fixture, query, how);
  (async () => {
    for await (const piece of stream) {
      reader.bytes += piece.length;
      reader.pieces++;
    }
  })();
  return stopping;
}

async function fanOut(): Promise<void> {
  for (
    const [what, watchers, query, burst] of [
      ["one at a time", 1000, () => "", 1],
      ["in bursts of 10", 1000, () => "", 10],
      ["one at a time", 100, () => "", 1],
      ["with ten selectors, one at a time", 1000, (index: number) => `labelSelector=app!=app-${index % 10}-x`, 1],
    ] as const
  ) {
    const store = await openSqlite(":memory:");
    const cache = await openReads(store, catalog, prefix);
    const fixture = fixtureOf(cache);
    const from = await put(fixture, "start");
    const sent = { count: 0 };
    const framing = jsonFraming({ sent: () => void sent.count++ });
    const reader: Reader = { bytes: 0, pieces: 0 };
    const stops = await Promise.all(
      Array.from({ length: watchers }, (_, index) => readAll(fixture, `resourceVersion=${from}&${query(index)}`, { framing }, reader)),
    );
    const rounds = 400;
    const run = async (): Promise<void> => {
      for (let round = 0; round < rounds; round += burst) {
        const goal = sent.count + watchers * burst;
        await Promise.all(
          Array.from({ length: burst }, (_, more) => put(fixture, `note-${(round + more) % 20}`, { labels: labels(round + more), data })),
        );
        while (sent.count < goal) await new Promise((resolve) => setTimeout(resolve, 0));
      }
    };
    await run();
    const { cpuMs } = await timed(run);
    const idle = await timed(async () => {
      for (let round = 0; round < rounds; round++) await put(fixture, `shelf-${round % 20}`, { plural: "shelves" });
    });
    const delivered = watchers * rounds;
    console.log(
      `fan-out to ${watchers}, ${what}: ${((cpuMs - idle.cpuMs) * 1000 / delivered).toFixed(2)} µs of CPU per delivered event, ` +
        `${
          Math.round(delivered / ((cpuMs - idle.cpuMs) / 1000)).toLocaleString("en")
        } events per second of CPU (${reader.pieces} writes for ${sent.count} events)`,
    );
    for (const stop of stops) stop.abort();
    await cache.close();
    await store.close();
  }
}

async function writes(): Promise<void> {
  const store = await openSqlite(":memory:");
  const cache = await openReads(store, catalog, prefix);
  for (
    const [what, fixture] of [["known to the cache", fixtureOf(cache)], ["bare", { ...fixtureOf(cache), store }], [
      "known to the cache",
      fixtureOf(cache),
    ]] as const
  ) {
    const rounds = 5000;
    for (let round = 0; round < 500; round++) await put(fixture, `note-${round % 100}`, { labels: labels(round), data });
    const { cpuMs } = await timed(async () => {
      for (let round = 0; round < rounds; round++) await put(fixture, `note-${round % 100}`, { labels: labels(round), data });
    });
    console.log(`write of 1 kB, ${what}: ${(cpuMs * 1000 / rounds).toFixed(1)} µs of CPU, the cache's part included`);
  }
  await cache.close();
  await store.close();
}

const parts: Readonly<Record<string, () => Promise<void>>> = { memory, lists, fanOut, writes };
const wanted = process.argv.slice(2);
for (const [name, run] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await run();
