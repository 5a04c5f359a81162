/** Scenarios with much data. Each has its own store and server, filled before the server starts. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import type { Store } from "../../kernel/store/store.ts";
import { startEtcd } from "../../test/etcd.ts";
import { type Child, clientRuntime, type Runtime, startChild } from "./children.ts";
import type { Load, Loaded } from "./load.ts";
import type { Measured, StoreName } from "./measured.ts";
import { configMap } from "./objects.ts";
import type { Paging } from "./pager.ts";
import { cpuMs, forgetPeak, memoryMiB } from "./process.ts";
import type { Read, Reading } from "./readers.ts";
import { startServer } from "./server.ts";

export type Large =
  /** Readers of the same response, each with its own rate (0: unlimited), while others get single objects. */
  | {
    readonly tag: "readers";
    readonly objects: Objects;
    readonly readers: number;
    readonly bytesPerSecond: number;
    readonly query: string;
  }
  /** A list that selects no object. */
  | { readonly tag: "nothing"; readonly objects: Objects; readonly clients: number }
  /** All objects, or those with a label, in pages of this size, during writes: as many as the writers can, or so many a second. */
  | {
    readonly tag: "pages";
    readonly objects: Objects;
    readonly limit: number;
    readonly writers: number;
    readonly writesPerSecond?: number;
    readonly selector?: string;
  };

/** One of several scenarios with the same data. */
export interface LargeScenario {
  readonly name: string;
  readonly measure: Large;
}

export interface Objects {
  readonly count: number;
  /** Bytes of data of each object. */
  readonly bytes: number;
  /** If given, objects have the label `group`: `g0` and so on, in turn, with so many values. */
  readonly groups?: number;
}

export interface LargeSetting {
  readonly store: StoreName;
  readonly runtime: Runtime;
  /** Duration of the measurement, without the filling. */
  readonly seconds: number;
  /** Share of the objects, for a smoke run. */
  readonly share: number;
}

const token = "bench";
const path = "/api/v1/namespaces/default/configmaps";
/** Readers are measured for longer than fast requests, and at least until there is a result. */
const readingShare = 4;
const readingSecondsMin = 3;
const probes = 2;
const mebibyte = 1024 * 1024;
/** Number and bytes of objects that are written at once: on sqlite they share a transaction. */
const fillAtOnceMax = 1_024, fillBytesAtOnceMax = 32 * mebibyte;

type Unjudged = Omit<Measured, "goals">;

/** In sequence, on one server with the shared data. */
export async function measureLarge(scenarios: readonly LargeScenario[], setting: LargeSetting): Promise<readonly Unjudged[]> {
  const { objects } = scenarios[0]!.measure;
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const etcd = setting.store === "etcd" ? await startEtcd({ flags: ["--quota-backend-bytes", String(8 * 1024 * mebibyte)] }) : undefined;
  const children: { stop(): Promise<void> }[] = [];
  try {
    const count = Math.max(10, Math.ceil(objects.count * setting.share));
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const args = [`--data-dir=${folder}/data`, `--token-auth-file=${folder}/tokens.csv`];
    if (etcd !== undefined) args.push(`--etcd-servers=${etcd.endpoint}`);
    // Creates its folder and certificates.
    await (await startServer(setting.runtime, args)).stop();
    const store = await (etcd === undefined ? openSqlite(join(folder, "data", "store.sqlite")) : openEtcd({ endpoints: [etcd.endpoint] }));
    const dataBytes = await fill(store, { ...objects, from: 0, to: count }).finally(() => store.close());
    const server = await startServer(setting.runtime, args);
    const child = (file: string): Child => {
      const started = startChild(clientRuntime(), file);
      children.push(started);
      return started;
    };
    children.push(server);
    const place = { port: server.port, ca: join(folder, "data", "pki", "ca.crt"), token };
    const load = (kind: Load["kind"], query: string, clients: number, seconds: number): Load => ({
      ...place,
      kind,
      path: `${path}${query}`,
      clients,
      objects: count,
      seconds,
      run: "large",
    });
    const all: Unjudged[] = [];
    for (const { name, measure } of scenarios) {
      all.push(await watchedOver(server.pid, dataBytes / mebibyte, name, () => run(measure, setting, place, load, child)));
    }
    return all;
  } finally {
    for (const child of children.toReversed()) await child.stop();
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The result of a run, with the server's resources for it. */
async function watchedOver(pid: number, dataMiB: number, name: string, run: () => Promise<Ran>): Promise<Unjudged> {
  const before = memoryMiB(pid).now;
  forgetPeak(pid);
  const cpuBefore = cpuMs(pid);
  const rate = await run();
  const used = cpuMs(pid) - cpuBefore;
  const { now, peak } = memoryMiB(pid);
  const memory =
    `data ${short(dataMiB)} MiB, memory ${short(before)} before, ${short(peak)} at most (${(peak / dataMiB).toFixed(1)} x data), ` +
    `${short(now)} after`;
  const { requests, note } = rate;
  return {
    name,
    ...rate,
    cpuMs: used / requests,
    floor: undefined,
    peakMiB: peak,
    dataTimes: peak / dataMiB,
    note: note === undefined ? memory : `${note}; ${memory}`,
  };
}

type Place = { readonly port: number; readonly ca: string; readonly token: string };
type LoadOf = (kind: Load["kind"], query: string, clients: number, seconds: number) => Load;
type Ran = Omit<Measured, "name" | "floor" | "peakMiB" | "cpuMs" | "goals">;

async function run(
  what: Large,
  { seconds, share }: LargeSetting,
  place: Place,
  load: LoadOf,
  child: (file: string) => Child,
): Promise<Ran> {
  switch (what.tag) {
    case "nothing": {
      const loaded = await child("load.ts").ask<Loaded>(load("get", "?labelSelector=none%3Dthere", what.clients, seconds));
      return { ...loaded, perSecond: loaded.requests / loaded.seconds };
    }
    case "pages":
      return await runPages(what, seconds, place, load, child);
    case "readers": {
      const long = Math.max(readingSecondsMin, seconds * readingShare);
      const { bytesPerSecond, query } = what;
      const readers = Math.ceil(what.readers * Math.min(1, share * 10));
      const reading: Reading = { ...place, path: `${path}${query}`, readers, bytesPerSecond, seconds: long };
      const [read, probed] = await Promise.all([
        child("readers.ts").ask<Read>(reading),
        child("load.ts").ask<Loaded>(load("get", "/<object>", probes, long)),
      ]);
      const readMiB = read.bytes / mebibyte;
      const note = `per MiB read, latencies of gets meanwhile; ${read.finished} of ${readers} read all`;
      const { p50, p99 } = probed;
      return {
        requests: readMiB,
        failed: read.failed + probed.failed + (read.bytes === 0 ? readers : 0),
        perSecond: readMiB / read.seconds,
        p50,
        p99,
        note,
      };
    }
  }
}

async function runPages(
  { limit, selector, writers, writesPerSecond }: Large & { readonly tag: "pages" },
  seconds: number,
  place: Place,
  load: LoadOf,
  child: (file: string) => Child,
): Promise<Ran> {
  const paging: Paging = { ...place, path, limit, seconds, ...(selector === undefined ? {} : { selector }) };
  const writing = { ...load("update", "", writers, seconds), ...(writesPerSecond === undefined ? {} : { perSecond: writesPerSecond }) };
  const [paged, written] = await Promise.all([
    child("pager.ts").ask<Loaded>(paging),
    writers === 0 ? undefined : child("load.ts").ask<Loaded>(writing),
  ]);
  const perSecond = paged.requests / paged.seconds;
  if (written === undefined) return { ...paged, perSecond };
  const note = `${short(written.requests / written.seconds)} writes a second meanwhile, their CPU included`;
  return { ...paged, failed: paged.failed + written.failed, perSecond, note };
}

/** Writes ConfigMaps with these numbers in the server's stored form; returns their total bytes. */
export async function fill(
  store: Store,
  { from, to, bytes, groups }: { readonly from: number; readonly to: number } & Pick<Objects, "bytes" | "groups">,
): Promise<number> {
  const encoder = new TextEncoder();
  let next = from, total = 0;
  const atOnce = Math.max(1, Math.min(fillAtOnceMax, Math.floor(fillBytesAtOnceMax / bytes)));
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (next < to) {
      const at = next++, name = `cm-${String(at).padStart(5, "0")}`;
      const uid = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
      const rest = configMap(name, at, bytes).split('"name":"' + name + '"')[1]!;
      const head = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}","namespace":"default","uid":"${uid}",`;
      const labels = groups === undefined ? "" : `,"labels":{"group":"g${at % groups}"}`;
      const value = encoder.encode(`${head}"creationTimestamp":"2026-01-01T00:00:00Z"${labels}${rest}\n`);
      total += value.length;
      const commit = await store.commit({ key: `/registry/configmaps/default/${name}`, expect: "absent", value });
      if (!commit.done) throw new Error(`${name} was there already`);
    }
  }));
  return total;
}

function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
