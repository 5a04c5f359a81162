/** Measures one store on one runtime, from its start to its end. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { startEtcd } from "../../test/etcd.ts";
import { measureAuthorization } from "./authorization.ts";
import { type Runtime, startChild } from "./children.ts";
import { type ColdTarget, measureCold } from "./cold.ts";
import { measureDefinitions } from "./definitions.ts";
import type { FloorStep } from "./floor.ts";
import { openGenerators } from "./generator.ts";
import { measureHostile } from "./hostile.ts";
import { type LargeScenario, measureLarge } from "./large.ts";
import { type Floor, type LoadSetting, measureLoad } from "./measure-load.ts";
import { measureWatch } from "./measure-watch.ts";
import type { Goal, Measured, Rate, StoreName } from "./measured.ts";
import { measurePolicies } from "./policies.ts";
import { memoryMiB } from "./process.ts";
import type { Scenario } from "./scenarios.ts";
import { seed } from "./seed.ts";
import type { Protocol } from "./sender.ts";
import { reported, startServer } from "./server.ts";
import { goalsOf, startGoals } from "./targets.ts";

export interface Result {
  readonly store: StoreName;
  readonly runtime: Runtime;
  /** With a new folder, and with the folder of an earlier start. */
  readonly firstReadyMs: number;
  readonly readyMs: number;
  readonly idleMiB: number;
  /** The generator of HTTP/2; not in results of earlier releases. */
  readonly http2?: string;
  /** Duration of the run that measured last. */
  readonly seconds: number;
  /** Targets of start and idle memory. */
  readonly goals: readonly Goal[];
  readonly measured: readonly Measured[];
}

export interface Options {
  readonly store: StoreName;
  readonly runtime: Runtime;
  readonly scenarios: readonly Scenario[];
  /** Other protocols of the scenarios are left out. */
  readonly protocols: readonly Protocol[];
  /** Seconds of each load. */
  readonly seconds: number;
  /** Share of the objects and events in a smoke run: 0.01 for one in a hundred. */
  readonly share: number;
  /** Also create the definitions on a kube-apiserver on PATH. */
  readonly kube: boolean;
  /** Called with each new row, and with the result until then. */
  readonly tell: (measured: Measured, soFar: Result) => void;
}

/** Milliseconds of idle time before memory is read. */
const idleMs = 1_000;
/** Bodies stay large enough for the heavy thread. */
const hostileShareMin = 0.1;
const token = "bench";

type Keep = (result: Omit<Measured, "goals">) => void;
type Closer = { stop(): Promise<void> };

export async function measure(options: Options): Promise<Result> {
  const begun = performance.now();
  const { store, runtime } = options;
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const children: Closer[] = [];
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const args = [`--data-dir=${folder}/data`, `--token-auth-file=${folder}/tokens.csv`];
    if (etcd !== undefined) args.push(`--etcd-servers=${etcd.endpoint}`);
    const first = await startServer(runtime, args);
    await first.stop();
    const server = await startServer(runtime, args);
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const idleMiB = memoryMiB(server.pid).now;
    await server.stop();
    const generators = await openGenerators(folder);
    const measured: Measured[] = [], goals = startGoals(server.readyMs, idleMiB), { http2 } = generators;
    const soFar = (): Result => ({
      ...{ store, runtime, firstReadyMs: first.readyMs, readyMs: server.readyMs, idleMiB, http2, goals, measured },
      seconds: secondsSince(begun),
    });
    const keep: Keep = (result) => {
      const judged = { ...result, goals: goalsOf(result, measured, runtime) };
      measured.push(judged);
      options.tell(judged, soFar());
    };
    const start = async (): Promise<ColdTarget> => {
      const file = join(folder, "allocated");
      const { pid, port, stop } = await startServer(runtime, args, file, "allocated");
      return { pid, port, stop, ca: join(folder, "data", "pki", "ca.crt"), token, allocatedBytes: () => reported(pid, file) };
    };
    const usual = options.scenarios.filter(({ measure }) => measure.tag === "load" || measure.tag === "watch");
    if (usual.length > 0) {
      await measureUsual({ ...options, scenarios: usual }, { folder, etcd: etcd?.endpoint, start, generators, children, keep });
    }
    await measureOthers(options, keep);
    return soFar();
  } finally {
    for (const child of children.toReversed()) await child.stop();
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  readonly etcd: string | undefined;
  /** Starts a server with the data of the earlier ones. */
  readonly start: () => Promise<ColdTarget>;
  readonly generators: Awaited<ReturnType<typeof openGenerators>>;
  /** What is stopped at the end. */
  readonly children: Closer[];
  readonly keep: Keep;
}

/** Loads and watches: first with servers that have just started, then all on one. */
async function measureUsual(options: Options, { folder, etcd, start, generators, children, keep }: Place): Promise<void> {
  const { share, seconds } = options;
  const started = { h2: generators.start("h2"), http1: generators.start("http1") };
  children.push(started.h2, started.http1);
  const seeded = await start();
  await seed(seeded, started.h2, share).finally(() => seeded.stop());
  const cold = options.protocols.includes("h2") ? await measureCold(options.scenarios, start, started.h2, share) : new Map<string, Rate>();
  const target = await start();
  children.push(target);
  const floor = await startFloor(options.runtime, folder, etcd);
  children.push(floor.child);
  for (const scenario of options.scenarios) {
    const { name, measure, protocols = ["h2"] } = scenario;
    for (const protocol of protocols.filter((each) => options.protocols.includes(each))) {
      const setting: LoadSetting = { target, floor, generator: started[protocol], protocol, folder, seconds, share };
      const first = protocol === "h2" ? cold.get(name) : undefined;
      const more = first === undefined ? {} : { cold: first };
      if (measure.tag === "load") keep({ ...await measureLoad(scenario, measure, setting), ...more });
      else if (measure.tag === "watch") {
        keep({ ...await measureWatch(scenario, measure, setting, () => generators.start(protocol)), ...more });
      }
    }
  }
}

async function startFloor(runtime: Runtime, folder: string, etcd: string | undefined): Promise<Floor> {
  const child = startChild(runtime, "floor.ts"), pki = join(folder, "data", "pki");
  const { port } = await child.ask<{ port: number }>(
    { step: "listen", cert: join(pki, "serving.crt"), key: join(pki, "serving.key") } satisfies FloorStep,
  );
  await child.ask({ step: "open", ...(etcd === undefined ? { file: join(folder, "floor.sqlite") } : { etcd }) } satisfies FloorStep);
  return { child, port };
}

/** Scenarios with servers of their own. */
async function measureOthers(options: Options, keep: Keep): Promise<void> {
  const { scenarios } = options;
  const authorized = scenarios.flatMap(({ name, measure }) => measure.tag === "authorization" ? [{ name, measure }] : []);
  if (authorized.length > 0) { for (const result of await measureAuthorization(authorized, options)) keep(result); }
  const governed = scenarios.flatMap(({ name, measure }) => measure.tag === "policies" ? [{ name, measure }] : []);
  if (governed.length > 0) { for (const result of await measurePolicies(governed, options)) keep(result); }
  for (const { measure } of scenarios) {
    if (measure.tag === "definitions") await measureDefinitions(measure, options, keep);
  }
  for (const scenario of largeOf(scenarios)) for (const result of await measureLarge(scenario, options)) keep(result);
  for (const { name, measure } of scenarios) {
    if (measure.tag === "hostile") {
      keep(await measureHostile(name, measure.request, options.runtime, Math.max(options.share, hostileShareMin)));
    }
  }
}

/** Scenarios with much data, grouped by data: each is filled once. */
function largeOf(scenarios: readonly Scenario[]): readonly (readonly LargeScenario[])[] {
  const large = scenarios.flatMap(({ name, measure }) =>
    measure.tag === "readers" || measure.tag === "nothing" || measure.tag === "pages" ? [{ name, measure }] : []
  );
  return [...Map.groupBy(large, ({ measure: { objects: { count, bytes, groups } } }) => `${count} ${bytes} ${groups}`).values()];
}

function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1000;
}
