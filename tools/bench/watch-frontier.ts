/**
 * `npm run bench:watches`: events of watches per second of CPU against their latency, for numbers of watches and rates of writes.
 *
 *   --runtime deno|node    --store sqlite|etcd    --protocol http1,h2
 *   --watchers 10,100      --writes 1,20,200      --rounds 3      --seconds 3
 *   --idle 30              also the CPU and memory of idle watches with bookmarks, over these seconds
 *   --against FOLDER       beside another checkout of this repository; repeatable
 *   --kube                 beside a kube-apiserver on PATH, with etcd
 *   --json FILE            keeps the figures of this checkout and of the kube-apiserver
 *
 * The servers are measured in turn, so that other load of the machine affects all of them. Figures are medians of the rounds.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startKubeApiserver } from "../../test/access/kube-apiserver.ts";
import { startEtcd } from "../../test/etcd.ts";
import { type Child, clientRuntime, type Runtime, startChild } from "./children.ts";
import { keepWatches } from "./kept.ts";
import { percentile } from "./percentile.ts";
import { cpuMs, memoryMiB } from "./process.ts";
import { startServer } from "./server.ts";
import type { Protocol } from "./sender.ts";
import type { Step, Watched } from "./watchers.ts";
import type { WatchPoint } from "./watch-points.ts";

interface Subject {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** Path of the PEM file. */
  readonly ca: string;
  readonly token: string;
  stop(): Promise<void>;
}

interface Point {
  /** Milliseconds from just before the write to the arrival. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU of the server for each event, the writes included. */
  readonly cpuUs: number;
  /** Share of one core that the server used. */
  readonly load: number;
}

/** Names of servers. */
const own = "this", kubeApiserver = "kube-apiserver";
const token = "bench", path = "/api/v1/namespaces/default/configmaps";

/** Watches of one HTTP/2 connection; client-go opens another one when a kube-apiserver allows no more streams. */
const watchesPerConnection = 90;
/** Maximum events of one measurement, and least number of writes. */
const eventsMax = 200_000, writesMin = 6;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runtime: { type: "string", default: "Deno" in globalThis ? "deno" : "node" },
      store: { type: "string", default: "sqlite" },
      protocol: { type: "string", default: "http1,h2" },
      watchers: { type: "string", default: "10,100,500,1000,5000" },
      writes: { type: "string", default: "1,20,200" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "3" },
      against: { type: "string", multiple: true, default: [] },
      kube: { type: "boolean", default: false },
      idle: { type: "string", default: "0" },
      json: { type: "string" },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const runtime: Runtime = values.runtime === "node" ? "node" : "deno";
  const store = values.store === "etcd" ? "etcd" : "sqlite";
  const subjects: Subject[] = [], points: WatchPoint[] = [];
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const start = (name: string, checkout?: string) => ownServer({ name, runtime, store, folder, checkout });
    subjects.push(await start(own));
    for (const checkout of values.against) subjects.push(await start(basename(resolve(checkout)), `${resolve(checkout)}/`));
    if (values.kube) subjects.push(await kubeServer(folder));
    console.log(`${store} on ${runtime}, ${availableParallelism()} cores`);
    console.log("protocol   watches  writes/s  server           p50 ms    p99 ms  CPU us/event  events/CPU s  load");
    for (const protocol of values.protocol.split(",")) {
      for (const watchers of numbers(values.watchers)) {
        points.push(
          ...await measure(subjects, protocol === "h2" ? "h2" : "http1", watchers, numbers(values.writes), {
            rounds: Number(values.rounds),
            seconds: Number(values.seconds),
            idleSeconds: Number(values.idle),
          }),
        );
      }
    }
    if (values.json !== undefined) keepWatches(values.json, { store, runtime, points });
  } finally {
    for (const subject of subjects.toReversed()) await subject.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints the medians, and returns those of this checkout and of the kube-apiserver. */
async function measure(
  subjects: readonly Subject[],
  protocol: Protocol,
  watchers: number,
  rates: readonly number[],
  { rounds, seconds, idleSeconds }: { readonly rounds: number; readonly seconds: number; readonly idleSeconds: number },
): Promise<readonly WatchPoint[]> {
  const medians: WatchPoint[] = [];
  const clients: { readonly subject: Subject; readonly child: Child }[] = [];
  try {
    for (const subject of subjects) {
      const child = startChild(clientRuntime(), "watchers.ts");
      clients.push({ subject, child });
      const before = memoryMiB(subject.pid).now;
      const { port, ca } = subject, connections = Math.ceil(watchers / watchesPerConnection);
      await child.ask(
        {
          step: "open",
          watch: { port, ca, token: subject.token, path, watchers, writesPerSecond: 1, protocol, connections, bookmarks: idleSeconds > 0 },
        } satisfies Step,
      );
      await child.ask({ step: "run", writes: warmUpWrites(watchers), writesPerSecond: 50 } satisfies Step);
      const kib = (memoryMiB(subject.pid).now - before) * 1024 / watchers;
      console.log(
        `${protocol.padEnd(10)} ${String(watchers).padStart(7)}            ${subject.name.padEnd(14)} ${kib.toFixed(1)} KiB for each watch`,
      );
    }
    if (idleSeconds > 0) await measureIdle(subjects, watchers, idleSeconds);
    for (const rate of rates) {
      const writes = Math.max(writesMin, Math.ceil(Math.min(rate * seconds, eventsMax / watchers)));
      const points = new Map<Subject, Point[]>(subjects.map((subject) => [subject, []]));
      for (let round = 0; round < rounds; round++) {
        for (const { subject, child } of clients) {
          const before = cpuMs(subject.pid);
          const watched = await child.ask<Watched>({ step: "run", writes, writesPerSecond: rate } satisfies Step);
          const used = cpuMs(subject.pid) - before;
          if (watched.missing + watched.doubled > 0) {
            throw new Error(`${subject.name}: ${watched.missing} missing, ${watched.doubled} doubled`);
          }
          const { p50, p99, delivered } = watched;
          points.get(subject)!.push({ p50, p99, cpuUs: used * 1000 / delivered, load: used / watched.seconds / 1000 });
        }
      }
      for (const [{ name }, some] of points) {
        const median = medianOf(some), { p50, p99, cpuUs } = median;
        print(protocol, watchers, rate, name, median);
        const server = name === own ? "thole" : name === kubeApiserver ? name : undefined;
        if (server !== undefined) medians.push({ server, protocol, watchers, writesPerSecond: rate, p50, p99, cpuUs });
      }
    }
    return medians;
  } finally {
    for (const { child } of clients) await child.stop();
  }
}

/** A minute after their start, each watch gets a bookmark every minute. */
async function measureIdle(subjects: readonly Subject[], watchers: number, seconds: number): Promise<void> {
  const before = subjects.map(({ pid }) => cpuMs(pid));
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  for (const [index, { name, pid }] of subjects.entries()) {
    const used = (cpuMs(pid) - before[index]!) / seconds;
    console.log(
      `${String(watchers).padStart(18)} idle       ${name.padEnd(14)} ${used.toFixed(1)} ms of CPU a second, ${
        memoryMiB(pid).now.toFixed(0)
      } MiB`,
    );
  }
}

function medianOf(points: readonly Point[]): Point {
  const of = (value: (point: Point) => number) => percentile(points.map(value).toSorted((a, b) => a - b), 0.5);
  return { p50: of(({ p50 }) => p50), p99: of(({ p99 }) => p99), cpuUs: of(({ cpuUs }) => cpuUs), load: of(({ load }) => load) };
}

function print(protocol: Protocol, watchers: number, rate: number, name: string, { p50, p99, cpuUs, load }: Point): void {
  const columns = [
    p50.toFixed(1).padStart(8),
    p99.toFixed(1).padStart(9),
    cpuUs.toFixed(1).padStart(13),
    (1e6 / cpuUs).toFixed(0).padStart(13),
    load.toFixed(2).padStart(5),
  ];
  console.log(
    `${protocol.padEnd(10)} ${String(watchers).padStart(7)}  ${String(rate).padStart(8)}  ${name.padEnd(14)} ${columns.join(" ")}`,
  );
}

/** Enough for the code to be compiled. */
function warmUpWrites(watchers: number): number {
  return Math.max(writesMin, Math.ceil(Math.min(200, eventsMax / 2 / watchers)));
}

function numbers(text: string): readonly number[] {
  return text.split(",").map(Number);
}

interface OwnServer {
  readonly name: string;
  readonly runtime: Runtime;
  readonly store: string;
  readonly folder: string;
  readonly checkout: string | undefined;
}

async function ownServer({ name, runtime, store, folder, checkout }: OwnServer): Promise<Subject> {
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const data = join(folder, name);
  const args = [
    `--data-dir=${data}`,
    `--token-auth-file=${folder}/tokens.csv`,
    "--max-requests-inflight=0",
    "--max-mutating-requests-inflight=0",
  ];
  if (etcd !== undefined) args.push(`--etcd-servers=${etcd.endpoint}`);
  const server = await startServer(runtime, args, undefined, "turns", checkout === undefined ? undefined : { folder: checkout });
  return {
    name,
    ...server,
    ca: join(data, "pki", "ca.crt"),
    token,
    stop: async () => {
      await server.stop();
      await etcd?.stop();
    },
  };
}

async function kubeServer(folder: string): Promise<Subject> {
  const server = await startKubeApiserver([]);
  const ca = join(folder, "kube-ca.crt");
  await writeFile(ca, server.ca.cert);
  return {
    name: kubeApiserver,
    pid: server.pid,
    port: Number(new URL(server.url).port),
    ca,
    token: "admin",
    stop: () => server.close(),
  };
}

await main();
