/**
 * This checkout beside another one, in alternating rounds over HTTP/2: does a change make requests, starts or memory dearer? Both servers have a store of
 * the same kind and run on the same runtime, so a ratio of 1 is the same cost.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startEtcd } from "../../test/etcd.ts";
import { type Difference, differenceOf } from "./against-rows.ts";
import { type Checkout, openCheckout } from "./checkout.ts";
import type { Runtime } from "./children.ts";
import { type Generators, openGenerators } from "./generator.ts";
import type { StoreName } from "./measured.ts";
import { measurePeerLoad, measurePeerWatch } from "./peer-rounds.ts";
import { cpuMs, memoryMiB } from "./process.ts";
import type { Scenario } from "./scenarios.ts";
import { seed } from "./seed.ts";
import { type ServerProgram, startServer } from "./server.ts";
import type { Target } from "./target.ts";

export interface AgainstOptions {
  readonly runtime: Runtime;
  readonly store: StoreName;
  /** A folder, or a commit, branch or tag. */
  readonly against: string;
  /** Loads and watches. */
  readonly scenarios: readonly Scenario[];
  /** Whether starts and idle memory are compared, too. */
  readonly withStarts: boolean;
  /** How often both servers start anew: two processes with the same code differ by some percent, because they compile it differently. */
  readonly sittings: number;
  /** Seconds of each round. */
  readonly seconds: number;
  /** Of a sitting. */
  readonly rounds: number;
  /** Share of the objects and events, for a smoke run. */
  readonly share: number;
  /** Called once both run, with what the other checkout is and which program sends HTTP/2. */
  readonly begin: (other: string, http2: string) => void;
  readonly tell: (difference: Difference) => void;
}

const token = "bench";
const idleMemory = "idle memory";
/** Time without requests before memory is read. */
const idleMs = 5_000;

interface Both<T> {
  readonly ours: T;
  readonly theirs: T;
}
interface Started extends Target {
  readonly startCpuMs: number;
  stop(): Promise<void>;
}

/** Measured in each sitting. */
type Values = { readonly ours: readonly number[]; readonly theirs: readonly number[]; readonly failed: number };

/** By the name of the scenario: the values of each sitting. */
type Sittings = Map<string, Values[]>;

/** Resolves with the rows, whose rounds are those of all sittings. */
export async function compareCheckouts(options: AgainstOptions): Promise<readonly Difference[]> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const other = await openCheckout(options.against);
  const measured: Sittings = new Map();
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const generators = await openGenerators(folder);
    options.begin(other.told, generators.http2);
    for (let sitting = 1; sitting <= options.sittings; sitting++) {
      const keep = (name: string, values: Values) => void measured.set(name, [...measured.get(name) ?? [], values]);
      await sit(options, join(folder, String(sitting)), { other, generators, isOursFirst: sitting % 2 === 1 }, keep);
    }
    return [...measured].map(([name, sittings]) => {
      const difference = differenceOf(name, name === idleMemory ? "MiB" : "CPU ms", sittings);
      options.tell(difference);
      return difference;
    });
  } finally {
    await other.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Sitting {
  readonly other: Checkout;
  readonly generators: Generators;
  readonly isOursFirst: boolean;
}

/** One sitting: both servers start in empty stores, get the same objects and answer the scenarios in turn. */
async function sit(
  options: AgainstOptions,
  folder: string,
  { other, generators, isOursFirst }: Sitting,
  keep: (name: string, values: Values) => void,
): Promise<void> {
  const { runtime, store, share, withStarts } = options;
  const closers: { stop(): Promise<void> }[] = [];
  try {
    const start = async (name: string, program?: ServerProgram) => {
      const started = await startOne(runtime, store, join(folder, name), join(folder, "..", "tokens.csv"), program);
      closers.push(started);
      return started;
    };
    const targets = isOursFirst
      ? { ours: await start("ours"), theirs: await start("theirs", other) }
      : { theirs: await start("theirs", other), ours: await start("ours") };
    if (withStarts) {
      keep("start", { ours: [targets.ours.startCpuMs], theirs: [targets.theirs.startCpuMs], failed: 0 });
      await setTimeout(idleMs * share);
      keep(idleMemory, { ours: [memoryMiB(targets.ours.pid).now], theirs: [memoryMiB(targets.theirs.pid).now], failed: 0 });
    }
    const generator = generators.start("h2");
    closers.push(generator);
    for (const target of [targets.ours, targets.theirs]) await seed(target, generator, share);
    await measureRounds(options, targets, generators, keep);
  } finally {
    for (const closer of closers.toReversed()) await closer.stop();
  }
}

async function startOne(runtime: Runtime, store: StoreName, data: string, tokens: string, program?: ServerProgram): Promise<Started> {
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const args = [`--data-dir=${data}`, `--token-auth-file=${tokens}`, ...etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`]];
  const { pid, port, stop } = await startServer(runtime, args, undefined, undefined, program);
  return {
    ...{ pid, port, ca: join(data, "pki", "ca.crt"), token, startCpuMs: cpuMs(pid) },
    async stop() {
      await stop();
      await etcd?.stop();
    },
  };
}

async function measureRounds(
  options: AgainstOptions,
  targets: Both<Target>,
  generators: Generators,
  keep: (name: string, values: Values) => void,
): Promise<void> {
  for (const { name, measure } of options.scenarios) {
    if (measure.tag !== "load" && measure.tag !== "watch") continue;
    const generator = { ours: generators.start("h2"), theirs: generators.start("h2") };
    try {
      const { ours, theirs, failed } = measure.tag === "load"
        ? await measurePeerLoad(measure, targets, generator, options)
        : await measurePeerWatch(measure, targets, generator, options);
      const cpu = (rates: typeof ours) => rates.map((rate) => rate.cpuMs);
      keep(name, { ours: cpu(ours), theirs: cpu(theirs), failed });
    } finally {
      await generator.ours.stop();
      await generator.theirs.stop();
    }
  }
}
