/**
 * This server and a kube-apiserver beside it, each over its own etcd of the same release: the same requests in short alternating rounds, so that
 * other load on the machine affects both. Starts and idle memory are those of the repository, whose types are removed at the start, and of the
 * package, as it is installed and as the image runs it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Runtime } from "./children.ts";
import { type ColdTarget, measureCold } from "./cold.ts";
import { type Generators, openGenerators } from "./generator.ts";
import type { Rate } from "./measured.ts";
import { measurePeerLoad, measurePeerWatch } from "./peer-rounds.ts";
import { type PeerResult, type PeerRow, rowOfRates } from "./peer-rows.ts";
import { type Closer, measureStarts } from "./peer-starts.ts";
import type { Scenario } from "./scenarios.ts";
import { seed } from "./seed.ts";
import type { Target } from "./target.ts";

export interface PeerOptions {
  readonly runtime: Runtime;
  /** Loads and watches. */
  readonly scenarios: readonly Scenario[];
  /** Seconds of each round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Share of the objects and events, for a smoke run. */
  readonly share: number;
  /** Called with each new row, and with the result until then. */
  readonly tell: (row: PeerRow, soFar: PeerResult) => void;
}

export async function comparePeer(options: PeerOptions): Promise<PeerResult> {
  const begun = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const closers: Closer[] = [];
  const rows: PeerRow[] = [];
  try {
    const generators = await openGenerators(folder), { http2 } = generators;
    const soFar = (): PeerResult => ({ runtime: options.runtime, http2, seconds: (performance.now() - begun) / 1000, rows });
    const keep = (row: PeerRow): void => {
      rows.push(row);
      options.tell(row, soFar());
    };
    const { ours, theirs } = await measureStarts(options, folder, closers, keep);
    const first = { ours: await ours.start(), theirs: theirs.target };
    const generator = generators.start("h2");
    closers.push(generator);
    for (const target of [first.ours, first.theirs]) await seed(target, generator, options.share);
    await measureRounds(options, first, generators, keep).finally(() => first.ours.stop());
    const cold = await measureCold(options.scenarios, ours.start, generator, options.share);
    return { ...soFar(), rows: rows.map((row) => withCold(row, cold)) };
  } finally {
    for (const closer of closers.toReversed()) await closer.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function withCold(row: PeerRow, rates: ReadonlyMap<string, Rate>): PeerRow {
  const cold = rates.get(row.name);
  return cold === undefined ? row : { ...row, cold };
}

async function measureRounds(
  options: PeerOptions,
  targets: { readonly ours: ColdTarget; readonly theirs: Target },
  generators: Generators,
  keep: (row: PeerRow) => void,
): Promise<void> {
  for (const { name, measure } of options.scenarios) {
    const generator = { ours: generators.start("h2"), theirs: generators.start("h2") };
    try {
      if (measure.tag === "load") keep(rowOfRates(name, await measurePeerLoad(measure, targets, generator, options)));
      else if (measure.tag === "watch") keep(rowOfRates(name, await measurePeerWatch(measure, targets, generator, options)));
    } finally {
      await generator.ours.stop();
      await generator.theirs.stop();
    }
  }
}
