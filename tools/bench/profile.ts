/** Profiles of this server's main thread under the load of scenarios, after a warm-up: files for a viewer, and a table of the functions. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startEtcd } from "../../test/etcd.ts";
import { newestEtcd } from "../../test/access/kube-apiserver.ts";
import type { Runtime } from "./children.ts";
import { type Generator, openGenerators } from "./generator.ts";
import type { StoreName } from "./measured.ts";
import { jobOf, type LoadMeasure } from "./measure-load.ts";
import { type WatchMeasure, watchOf } from "./measure-watch.ts";
import { cpuMs, mainThreadMs } from "./process.ts";
import { type CpuProfile, folderTimes, type SelfTime, selfTimes } from "./profile-table.ts";
import type { Scenario } from "./scenarios.ts";
import { seed } from "./seed.ts";
import { reported, startServer } from "./server.ts";
import { type Target, warmUp } from "./target.ts";

export interface ProfileOptions {
  readonly store: StoreName;
  readonly runtime: Runtime;
  /** Loads and watches; others are left out. */
  readonly scenarios: readonly Scenario[];
  readonly seconds: number;
  readonly share: number;
  /** Folder of the profiles. */
  readonly to: string;
  readonly tell: (line: string) => void;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const token = "bench";
const rowsMax = 40;

/** Over HTTP/2. */
export async function measureProfiles({ store, runtime, scenarios, seconds, share, to, tell }: ProfileOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-")), file = join(folder, "sampled");
  const program = store === "etcd" ? await newestEtcd() : undefined;
  const etcd = store === "etcd" ? await startEtcd(program === undefined ? {} : { program }) : undefined;
  const children: { stop(): Promise<void> }[] = [];
  try {
    await mkdir(to, { recursive: true });
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const stored = etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`];
    const args = [`--data-dir=${folder}/data`, `--token-auth-file=${folder}/tokens.csv`, ...stored];
    const generator = (await openGenerators(folder)).start("h2");
    children.push(generator);
    let seeded = false;
    for (const { name, measure } of scenarios) {
      if (measure.tag !== "load" && measure.tag !== "watch") continue;
      const { pid, port, stop } = await startServer(runtime, args, file, "sampled");
      children.push({ stop });
      const target = { pid, port, ca: join(folder, "data", "pki", "ca.crt"), token };
      if (!seeded) await seed(target, generator, share);
      seeded = true;
      const { run, close } = await runnerOf(measure, { target, generator, seconds, share });
      await warmUp(target, share, run);
      await reported(pid, file);
      const before = cpuMs(pid), mainBefore = mainThreadMs(pid).ran;
      const count = await run();
      const cpu = (cpuMs(pid) - before) / count, main = (mainThreadMs(pid).ran - mainBefore) / count;
      await reported(pid, file);
      const text = await readFile(`${file}.cpuprofile`, "utf8");
      const kept = join(to, `${name.replaceAll(/[ ,]+/g, "-")}-${store}-${runtime}.cpuprofile`);
      await writeFile(kept, text);
      const sampled = JSON.parse(text) as CpuProfile; // Of sampled.ts.
      tell(
        `\n${name} with ${store} on ${runtime}: ${count} ${measure.tag === "watch" ? "events" : "requests"}; each takes ${
          (cpu * 1000).toFixed(0)
        } us of CPU with the profiler, of which ${(main * 1000).toFixed(0)} of the main thread; ${kept}`,
      );
      for (const rows of [folderTimes(sampled, root), selfTimes(sampled, root)]) tell(linesOf(rows, main));
      await close();
      await stop();
    }
  } finally {
    for (const child of children.toReversed()) await child.stop();
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Setting {
  readonly target: Target;
  readonly generator: Generator;
  readonly seconds: number;
  readonly share: number;
}

/** A load, or a run of writes to watched objects; `run` resolves with the number of requests or events. */
async function runnerOf(
  measure: LoadMeasure | WatchMeasure,
  { target, generator, seconds, share }: Setting,
): Promise<{ run(): Promise<number>; close(): Promise<void> }> {
  if (measure.tag === "load") {
    // A job of its own for each run: the names of its new objects are not taken.
    return { run: async () => (await generator.load(jobOf(measure, { target, seconds, share }))).requests, close: () => Promise.resolve() };
  }
  const watches = await generator.openWatches(watchOf(target, measure, share)), writes = Math.ceil(measure.writesPerSecond * seconds);
  return { run: async () => (await watches.run(writes)).delivered, close: watches.close };
}

/** Shares of the main thread's time, and microseconds of its CPU time for a request. */
function linesOf(rows: readonly SelfTime[], mainMs: number): string {
  return rows.slice(0, rowsMax).map(({ name, share }) =>
    `${(share * 100).toFixed(1).padStart(5)} % ${(share * mainMs * 1000).toFixed(2).padStart(9)} us  ${name}`
  ).join("\n");
}
