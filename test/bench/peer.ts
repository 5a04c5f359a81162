/**
 * This server and a kube-apiserver beside it, each over its own etcd of the same release: the same requests in short alternating rounds, so that
 * other load on the machine affects both. Starts and idle memory are those of the repository, whose types are removed at the start, and of the
 * package, as it is installed and as the image runs it.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { newestEtcd, startKubeApiserver } from "../access/kube-apiserver.ts";
import { startEtcd } from "../etcd.ts";
import type { Runtime } from "./children.ts";
import { type ColdTarget, measureCold } from "./cold.ts";
import { type Generators, openGenerators } from "./generator.ts";
import type { Rate } from "./measured.ts";
import { openPackaged } from "./packaged.ts";
import { type PeerResult, type PeerRow, rowOf, type Side } from "./peer-rows.ts";
import { measurePeerLoad, measurePeerWatch } from "./peer-rounds.ts";
import { cpuMs, memoryMiB } from "./process.ts";
import type { Scenario } from "./scenarios.ts";
import { seed } from "./seed.ts";
import { reported, type ServerProgram, startServer } from "./server.ts";

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

/** First starts of each server, in empty stores. */
const starts = 3;
/** Time without requests before memory is read. */
const idleMs = 10_000;
const token = "bench";
/** A comparison on a busy machine ends before. */
const lifeMsMax = 3 * 3_600_000;

interface Closer {
  stop(): Promise<void>;
}

export async function comparePeer(options: PeerOptions): Promise<PeerResult> {
  const begun = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const closers: Closer[] = [];
  const rows: PeerRow[] = [];
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
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

/** First starts in turn; the last of each goes on. Ours are stopped after their memory was read, and that of the repository can be started again. */
async function measureStarts(
  { runtime, share }: PeerOptions,
  folder: string,
  closers: Closer[],
  keep: (row: PeerRow) => void,
) {
  const packaged = await openPackaged(runtime);
  const sides = { repository: [] as Side[], packaged: [] as Side[], theirs: [] as Side[] };
  const count = share < 1 ? 1 : starts;
  try {
    for (let round = 1;; round++) {
      const repository = await startOurs(runtime, folder, `repository-${round}`);
      closers.push(repository);
      sides.repository.push(startOf(repository.server));
      const ours = await startOurs(runtime, folder, `package-${round}`, packaged.program);
      closers.push(ours);
      sides.packaged.push(startOf(ours.server));
      const theirs = await startTheirs(folder);
      closers.push(theirs);
      sides.theirs.push(startOf(theirs));
      if (round < count) {
        for (const closer of closers.splice(0).toReversed()) await closer.stop();
        continue;
      }
      keep(rowOf("ready, package", "ms", sides.packaged, sides.theirs));
      keep(rowOf("ready, repository", "ms", sides.repository, sides.theirs));
      await new Promise((resolve) => setTimeout(resolve, idleMs * share));
      const memory = (pid: number): readonly Side[] => [{ value: memoryMiB(pid).now }];
      keep(rowOf("idle memory, package", "MiB", memory(ours.server.pid), memory(theirs.pid)));
      keep(rowOf("idle memory, repository", "MiB", memory(repository.server.pid), memory(theirs.pid)));
      await ours.server.stop();
      await repository.server.stop();
      return { ours: repository, theirs };
    }
  } finally {
    await packaged.remove();
  }
}

/** Time until ready, with the CPU time until then. */
function startOf({ pid, readyMs }: { readonly pid: number; readonly readyMs: number }): Side {
  return { value: readyMs, cpuMs: cpuMs(pid) };
}

async function startOurs(runtime: Runtime, folder: string, name: string, from?: ServerProgram) {
  const program = await newestEtcd();
  const etcd = await startEtcd(program === undefined ? {} : { program });
  const data = join(folder, `data-${name}`), file = join(folder, "allocated");
  const args = [`--data-dir=${data}`, `--token-auth-file=${folder}/tokens.csv`, `--etcd-servers=${etcd.endpoint}`];
  const server = await startServer(runtime, args, undefined, undefined, from);
  return {
    server,
    /** With the data of the first start. */
    async start(): Promise<ColdTarget> {
      const { pid, port, stop } = await startServer(runtime, args, file, "allocated");
      return { pid, port, stop, ca: join(data, "pki", "ca.crt"), token, allocatedBytes: () => reported(pid, file) };
    },
    async stop() {
      await server.stop();
      await etcd.stop();
    },
  };
}

async function startTheirs(folder: string) {
  const { pid, readyMs, url, ca, close } = await startKubeApiserver([], lifeMsMax);
  const file = join(folder, "peer-ca.crt");
  await writeFile(file, ca.cert);
  return { pid, readyMs, target: { pid, port: Number(new URL(url).port), ca: file, token: "admin" }, stop: close };
}

async function measureRounds(
  options: PeerOptions,
  targets: { readonly ours: ColdTarget; readonly theirs: Awaited<ReturnType<typeof startTheirs>>["target"] },
  generators: Generators,
  keep: (row: PeerRow) => void,
): Promise<void> {
  for (const { name, measure } of options.scenarios) {
    const generator = { ours: generators.start("h2"), theirs: generators.start("h2") };
    try {
      if (measure.tag === "load") keep(await measurePeerLoad(name, measure, targets, generator, options));
      else if (measure.tag === "watch") keep(await measurePeerWatch(name, measure, targets, generator, options));
    } finally {
      await generator.ours.stop();
      await generator.theirs.stop();
    }
  }
}
