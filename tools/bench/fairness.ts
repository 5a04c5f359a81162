/**
 * A leader election beside greedy clients: one that lists all of many objects in a loop, and one that creates over many connections. Measured with
 * and without priority and fairness, in alternating rounds, on this server and on a kube-apiserver. Each client is a process of its own.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startKubeApiserver } from "../../test/access/kube-apiserver.ts";
import { startEtcd } from "../../test/etcd.ts";
import { newestEtcd } from "../../test/access/kube-apiserver.ts";
import { type Child, clientRuntime, type Runtime, startChild } from "./children.ts";
import type { Elected, Election } from "./election.ts";
import { adminToken, electionToken, greedyTokens, leasePath, prepare, tokensFile } from "./fairness-objects.ts";
import { type Generator, openGenerators } from "./generator.ts";
import type { StoreName } from "./measured.ts";
import { percentile } from "./percentile.ts";
import { short } from "./report.ts";
import { startServer } from "./server.ts";
import type { Target } from "./target.ts";

export interface FairnessOptions {
  readonly store: StoreName;
  readonly runtime: Runtime;
  /** Measure a kube-apiserver in place of this server. */
  readonly kube: boolean;
  readonly objects: number;
  /** Seconds of each load in each round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly tell: (line: string) => void;
}

/** What runs beside the election. `elsewhere`: both loads, on another server of the machine; what the election waits for then is the machine. */
type Beside = "nothing" | "lists" | "creates" | "both" | "elsewhere";
const besides: readonly Beside[] = ["nothing", "lists", "creates", "both", "elsewhere"];
const kinds = ["with", "without"] as const;
type Kind = typeof kinds[number];

const largePath = "/api/v1/namespaces/bench-large/configmaps", createdPath = "/api/v1/namespaces/bench-created/configmaps";
/** Connections and requests under way of the client that creates. */
const creators = 64;
const everyMs = 25;
/** Bytes of data of a created object. */
const createdBytes = 300;
/** The loads begin this long before the election is measured. */
const leadSeconds = 0.5;

interface Row {
  readonly latencies: number[];
  /** Without the waits for a core. */
  readonly own: number[];
  lists: number;
  creates: number;
  seconds: number;
  failed: number;
}
interface Clients {
  readonly election: Child;
  readonly lists: Generator;
  readonly creates: Generator;
}
interface Stoppable {
  stop(): Promise<void>;
}

/** Prints a table. Resolves with whether no request failed. */
export async function measureFairness(options: FairnessOptions): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const closers: Stoppable[] = [];
  try {
    await writeFile(join(folder, "tokens.csv"), tokensFile, { mode: 0o600 });
    const generators = await openGenerators(folder);
    const clients: Clients = {
      election: startChild(clientRuntime(), "election.ts"),
      lists: generators.start("h2"),
      creates: generators.start("h2"),
    };
    closers.push(clients.election, clients.lists, clients.creates);
    const targets = await (options.kube ? startTheirs : startOurs)(options, folder, closers, clients.creates);
    const rows = new Map<string, Row>();
    for (let round = 0; round <= options.rounds; round++) {
      // The first round warms up.
      for (const beside of besides) {
        if (beside === "elsewhere" && targets.other === undefined) continue;
        for (const kind of kinds) await measureRound(options, { clients, targets, rows, beside, kind, round });
      }
    }
    for (const line of linesOf(rows)) options.tell(line);
    return [...rows.values()].every(({ failed }) => failed === 0);
  } finally {
    for (const closer of closers.toReversed()) await closer.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Targets extends Readonly<Record<Kind, Target>> {
  readonly other: Target | undefined;
}
interface Round {
  readonly clients: Clients;
  readonly targets: Targets;
  readonly rows: Map<string, Row>;
  readonly beside: Beside;
  readonly kind: Kind;
  readonly round: number;
}

async function measureRound(
  { seconds: whole, objects, kube: isKube }: FairnessOptions,
  { clients, targets, rows, beside, kind, round }: Round,
): Promise<void> {
  const seconds = round === 0 ? whole / 2 : whole;
  const target = targets[kind], greedy = beside === "elsewhere" ? targets.other! : target; // Rounds without one were left out.
  const lists = beside === "nothing" || beside === "creates" ? undefined : clients.lists.load({
    ...{ ...greedy, protocol: "h2", token: greedyTokens.lists, kind: "get", path: largePath, clients: 1, connections: 1 },
    ...{ objects, seconds: seconds + leadSeconds, run: "" },
  });
  const creates = beside === "nothing" || beside === "lists" ? undefined : clients.creates.load({
    ...{
      ...greedy,
      protocol: "h2",
      token: greedyTokens.creates,
      kind: "create",
      path: createdPath,
      clients: creators,
      connections: creators,
    },
    ...{ objects: 1, seconds: seconds + leadSeconds, run: `${beside}-${kind}-${round}`, bytes: createdBytes },
  });
  await new Promise((resolve) => setTimeout(resolve, leadSeconds * 1000));
  const { port, ca, pid } = target;
  const asked: Election = { port, ca, token: electionToken, path: leasePath, everyMs, seconds, ...(isKube ? {} : { pid }) };
  const { latencies, coreless, failed } = await clients.election.ask<Elected>(asked);
  const [listed, created] = [await lists, await creates];
  if (round === 0) return;
  const key = `${beside}, ${kind}`;
  const row = rows.get(key) ?? { latencies: [], own: [], lists: 0, creates: 0, seconds: 0, failed: 0 };
  rows.set(key, row);
  row.latencies.push(...latencies);
  row.own.push(...coreless.map((ms, index) => Math.max(latencies[index]! - ms, 0))); // One for each.
  row.lists += listed?.requests ?? 0;
  row.creates += created?.requests ?? 0;
  row.seconds += seconds + leadSeconds;
  row.failed += failed + (listed?.failed ?? 0) + (created?.failed ?? 0);
}

/** A table: the latencies of the election, and as multiples of those beside nothing; the same without the waits for a core. */
function linesOf(rows: ReadonlyMap<string, Row>): readonly string[] {
  const head =
    "| beside it, fairness | renewals | p50, p90, p99, longest | p50, p99 by idle | with a core: p50, p99 | by idle | lists a minute | creates a second | failed |";
  const lines = [head, "|---|---|---|---|---|---|---|---|---|"];
  for (const [key, { latencies, own, lists, creates, seconds, failed }] of rows) {
    const idle = rows.get(`nothing, ${key.endsWith("without") ? "without" : "with"}`);
    const cells = [
      ...[key, latencies.length, at(latencies, 0.5, 0.9, 0.99, 1), ratios(latencies, idle?.latencies)],
      ...(own.length === 0 ? ["", ""] : [at(own, 0.5, 0.99), ratios(own, idle?.own)]),
      ...[short(lists / seconds * 60), short(creates / seconds), failed],
    ];
    lines.push(`| ${cells.join(" | ")} |`);
  }
  return lines;
}
function at(values: readonly number[], ...shares: readonly number[]): string {
  const sorted = ascending(values);
  return shares.map((share) => short(percentile(sorted, share))).join(", ");
}
function ratios(values: readonly number[], idle: readonly number[] = []): string {
  const [sorted, first] = [ascending(values), ascending(idle)];
  return [0.5, 0.99].map((share) => short(percentile(sorted, share) / percentile(first, share))).join(", ");
}
function ascending(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b);
}

const flagOf = (kind: Kind) => `--enable-priority-and-fairness=${kind === "with"}`;

/** Servers on data of their own, and a third one for the loads that run elsewhere. */
async function startOurs(
  { store, runtime, objects }: FairnessOptions,
  folder: string,
  closers: Stoppable[],
  generator: Generator,
): Promise<Targets> {
  const started = async (name: string, kind: Kind): Promise<Target & Stoppable> => {
    const data = join(folder, name), args = [`--data-dir=${data}`, `--token-auth-file=${folder}/tokens.csv`, flagOf(kind)];
    const program = store === "etcd" ? await newestEtcd() : undefined;
    if (store === "etcd") await mkdir(join(folder, `${name}-etcd`), { recursive: true });
    const etcd = store !== "etcd"
      ? undefined
      : await startEtcd({ dataDir: join(folder, `${name}-etcd`), ...(program === undefined ? {} : { program }) });
    const server = await startServer(runtime, [...args, ...(etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`])]);
    const stop = async () => {
      await server.stop();
      await etcd?.stop();
    };
    return { pid: server.pid, port: server.port, ca: join(data, "pki", "ca.crt"), token: adminToken, stop };
  };
  const first = await started("with", "with");
  await prepare(first, generator, { objects, largePath, createdPath }).finally(() => first.stop());
  for (const name of ["without", "other"]) {
    await cp(join(folder, "with"), join(folder, name), { recursive: true });
    if (store === "etcd") await cp(join(folder, "with-etcd"), join(folder, `${name}-etcd`), { recursive: true });
  }
  const targets = {
    with: await started("with", "with"),
    without: await started("without", "without"),
    other: await started("other", "without"),
  };
  closers.push(...Object.values(targets));
  return targets;
}

/** A day: it ends with the process before. */
const lifeMsMax = 24 * 3_600_000;

async function startTheirs(
  { objects }: FairnessOptions,
  folder: string,
  closers: Stoppable[],
  generator: Generator,
): Promise<Targets> {
  const started = async (kind: Kind): Promise<Target> => {
    const flags = [`--token-auth-file=${folder}/tokens.csv`, flagOf(kind)];
    const { pid, url, ca, close } = await startKubeApiserver([], lifeMsMax, { flags });
    closers.push({ stop: close });
    const file = join(folder, `peer-ca-${kind}.crt`);
    await writeFile(file, ca.cert);
    const target = { pid, port: Number(new URL(url).port), ca: file, token: adminToken };
    await prepare(target, generator, { objects, largePath, createdPath });
    return target;
  };
  return { with: await started("with"), without: await started("without"), other: undefined };
}
