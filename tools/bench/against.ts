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
  /** Seconds of each round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Share of the objects and events, for a smoke run. */
  readonly share: number;
  /** Called once both run, with what the other checkout is and which program sends HTTP/2. */
  readonly begin: (other: string, http2: string) => void;
  readonly tell: (difference: Difference) => void;
}

const token = "bench";
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

export async function compareCheckouts(options: AgainstOptions): Promise<readonly Difference[]> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const other = await openCheckout(options.against);
  const closers: { stop(): Promise<void> }[] = [];
  const differences: Difference[] = [];
  const keep = (difference: Difference): void => {
    differences.push(difference);
    options.tell(difference);
  };
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const generators = await openGenerators(folder);
    options.begin(other.told, generators.http2);
    const targets = await startBoth(options, folder, other, closers, keep);
    const generator = generators.start("h2");
    closers.push(generator);
    for (const target of [targets.ours, targets.theirs]) await seed(target, generator, options.share);
    await measureRounds(options, targets, generators, keep);
    return differences;
  } finally {
    for (const closer of closers.toReversed()) await closer.stop();
    await other.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts both servers once for each round, in empty stores and in turn; the last ones go on. */
async function startBoth(
  { runtime, store, rounds, share, withStarts }: AgainstOptions,
  folder: string,
  other: Checkout,
  closers: { stop(): Promise<void> }[],
  keep: (difference: Difference) => void,
): Promise<Both<Started>> {
  const ready = { ours: [] as number[], theirs: [] as number[] }, idle = { ours: [] as number[], theirs: [] as number[] };
  const count = withStarts ? rounds : 1;
  for (let round = 1;; round++) {
    const start = async (name: string, program?: ServerProgram) => {
      const started = await startOne(runtime, store, join(folder, `${name}-${round}`), join(folder, "tokens.csv"), program);
      closers.push(started);
      return started;
    };
    const both = round % 2 === 0
      ? { ours: await start("ours"), theirs: await start("theirs", other) }
      : { theirs: await start("theirs", other), ours: await start("ours") };
    if (withStarts) await setTimeout(idleMs * share);
    for (const side of ["ours", "theirs"] as const) {
      ready[side].push(both[side].startCpuMs);
      idle[side].push(memoryMiB(both[side].pid).now);
    }
    if (round === count) {
      if (withStarts) {
        keep(differenceOf("start", "CPU ms", ready.ours, ready.theirs));
        keep(differenceOf("idle memory", "MiB", idle.ours, idle.theirs));
      }
      return both;
    }
    for (const closer of closers.splice(0).toReversed()) await closer.stop();
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
  keep: (difference: Difference) => void,
): Promise<void> {
  for (const { name, measure } of options.scenarios) {
    if (measure.tag !== "load" && measure.tag !== "watch") continue;
    const generator = { ours: generators.start("h2"), theirs: generators.start("h2") };
    try {
      const { ours, theirs, failed } = measure.tag === "load"
        ? await measurePeerLoad(measure, targets, generator, options)
        : await measurePeerWatch(measure, targets, generator, options);
      const cpu = (rates: typeof ours) => rates.map((rate) => rate.cpuMs);
      keep({ ...differenceOf(name, "CPU ms", cpu(ours), cpu(theirs)), failed });
    } finally {
      await generator.ours.stop();
      await generator.theirs.stop();
    }
  }
}
