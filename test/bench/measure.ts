/** Measures one store on one runtime, from its start to its end. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { startEtcd } from "../etcd.ts";
import { measureAuthorization } from "./authorization.ts";
import { type Child, clientRuntime, type Runtime, startChild } from "./children.ts";
import { measureDefinitions } from "./definitions.ts";
import type { FloorStep } from "./floor.ts";
import { measureHostile } from "./hostile.ts";
import { type LargeScenario, measureLarge } from "./large.ts";
import type { Load, Loaded } from "./load.ts";
import type { Goal, Measured, Rate, StoreName } from "./measured.ts";
import { putsPath } from "./objects.ts";
import { measurePolicies } from "./policies.ts";
import { cpuMs, forgetPeak, memoryMiB } from "./process.ts";
import { collections, objects, type Scenario } from "./scenarios.ts";
import { type BenchServer, startServer } from "./server.ts";
import { type Connection, openConnection } from "./connection.ts";
import { readFileSync } from "node:fs";
import { goalsOf, startGoals } from "./targets.ts";
import type { Step, Watched } from "./watchers.ts";

export interface Result {
  readonly store: StoreName;
  readonly runtime: Runtime;
  /** With a new folder, and with the folder of an earlier start. */
  readonly firstReadyMs: number;
  readonly readyMs: number;
  readonly idleMiB: number;
  /** Total duration. */
  readonly seconds: number;
  /** Targets of start and idle memory. */
  readonly goals: readonly Goal[];
  readonly measured: readonly Measured[];
}

export interface Options {
  readonly store: StoreName;
  readonly runtime: Runtime;
  readonly scenarios: readonly Scenario[];
  /** Seconds of each load. */
  readonly seconds: number;
  /** Share of the objects and events in a smoke run: 0.01 for one in a hundred. */
  readonly share: number;
  readonly tell: (measured: Measured) => void;
}

/** Milliseconds of idle time before memory is read. */
const idleMs = 1_000;
const warmUpShare = 0.25;
/** Bodies stay large enough for the heavy thread. */
const hostileShareMin = 0.1;
const token = "bench";

interface Setting extends Options {
  readonly folder: string;
  readonly server: BenchServer;
  readonly load: Child;
  readonly floor: Child;
  readonly floorPort: number;
}

export async function measure(options: Options): Promise<Result> {
  const begun = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const etcd = options.store === "etcd" ? await startEtcd() : undefined;
  const children: { stop(): Promise<void> }[] = [];
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const args = [`--data-dir=${folder}/data`, `--token-auth-file=${folder}/tokens.csv`];
    if (etcd !== undefined) args.push(`--etcd-servers=${etcd.endpoint}`);
    const first = await startServer(options.runtime, args);
    await first.stop();
    const server = await startServer(options.runtime, args);
    children.push(server);
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const idleMiB = memoryMiB(server.pid).now;

    const load = startChild(clientRuntime(), "load.ts");
    const floor = startChild(options.runtime, "floor.ts");
    children.push(load, floor);
    const pki = join(folder, "data", "pki");
    const listening = await floor.ask<{ port: number }>(
      { step: "listen", cert: join(pki, "serving.crt"), key: join(pki, "serving.key") } satisfies FloorStep,
    );
    await floor.ask(
      { step: "open", ...(etcd === undefined ? { file: join(folder, "floor.sqlite") } : { etcd: etcd.endpoint }) } satisfies FloorStep,
    );
    const setting: Setting = { ...options, folder, server, load, floor, floorPort: listening.port };
    if (options.scenarios.some(({ measure }) => measure.tag === "load" || measure.tag === "watch")) await seed(setting);
    const measured: Measured[] = [];
    const keep = (result: Omit<Measured, "goals">): void => {
      const judged = { ...result, goals: goalsOf(result, measured) };
      options.tell(judged);
      measured.push(judged);
    };
    for (const scenario of options.scenarios) {
      const { measure } = scenario;
      if (measure.tag === "load") keep(await measureLoad(scenario, measure, setting));
      else if (measure.tag === "watch") keep(await measureWatch(scenario, measure, setting));
    }
    const authorized = options.scenarios.flatMap(({ name, measure }) => measure.tag === "authorization" ? [{ name, measure }] : []);
    if (authorized.length > 0) { for (const result of await measureAuthorization(authorized, options)) keep(result); }
    const governed = options.scenarios.flatMap(({ name, measure }) => measure.tag === "policies" ? [{ name, measure }] : []);
    if (governed.length > 0) { for (const result of await measurePolicies(governed, options)) keep(result); }
    for (const { measure } of options.scenarios) {
      if (measure.tag === "definitions") await measureDefinitions(measure, options, keep);
    }
    for (const scenario of largeOf(options.scenarios)) for (const result of await measureLarge(scenario, setting)) keep(result);
    for (const { name, measure } of options.scenarios) {
      if (measure.tag === "hostile") {
        keep(await measureHostile(name, measure.request, options.runtime, Math.max(options.share, hostileShareMin)));
      }
    }
    const goals = startGoals(server.readyMs, idleMiB);
    const { store, runtime } = options;
    return { store, runtime, firstReadyMs: first.readyMs, readyMs: server.readyMs, idleMiB, seconds: secondsSince(begun), goals, measured };
  } finally {
    for (const child of children.toReversed()) await child.stop();
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function caPath({ folder }: Setting): string {
  return join(folder, "data", "pki", "ca.crt");
}

async function seed(setting: Setting): Promise<void> {
  const { server, load, share } = setting;
  const to = { port: server.port, ca: readFileSync(caPath(setting), "utf8") };
  const connection = await openConnection(to);
  for (const { namespace, count, bytes } of collections) {
    if (namespace !== "default") await makeNamespace(connection, namespace);
    const wanted = Math.ceil(count * share);
    const seeding = loadOf(setting, { kind: "seed", path: `/api/v1/namespaces/${namespace}/configmaps`, clients: 64 });
    const seeded = await load.ask<Loaded>({ ...seeding, seconds: 120, count: wanted, ...(bytes === undefined ? {} : { bytes }) });
    if (seeded.failed > 0 || seeded.requests < wanted) {
      throw new Error(`Of ${seeded.requests} ConfigMaps that were made, ${seeded.failed} failed`);
    }
  }
  connection.close();
}

async function makeNamespace(connection: Connection, name: string): Promise<void> {
  const body = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"${name}"}}`;
  const made = await connection.request(
    `POST /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  if (made.status !== 201) throw new Error(`The namespace "${name}" was answered with ${made.status}`);
}

type LoadWish = Pick<Load, "kind" | "path" | "clients"> & { readonly objects?: number; readonly bytes?: number };

function loadOf(setting: Setting, { kind, path, clients, objects: some = objects, bytes }: LoadWish): Load {
  const { server: { port }, share, seconds } = setting;
  return {
    kind,
    port,
    ca: caPath(setting),
    token,
    path,
    clients,
    objects: Math.ceil(some * share),
    seconds,
    run: String(Math.floor(performance.now())),
    ...(bytes === undefined ? {} : { bytes }),
  };
}

/** Scenarios with much data, grouped by data: each is filled once. */
function largeOf(scenarios: readonly Scenario[]): readonly (readonly LargeScenario[])[] {
  const large = scenarios.flatMap(({ name, measure }) =>
    measure.tag === "readers" || measure.tag === "nothing" || measure.tag === "pages" ? [{ name, measure }] : []
  );
  return [...Map.groupBy(large, ({ measure: { objects } }) => `${objects.count} ${objects.bytes}`).values()];
}

function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1000;
}

type Unjudged = Omit<Measured, "goals">;

async function measureLoad(scenario: Scenario, what: Scenario["measure"] & { tag: "load" }, setting: Setting): Promise<Unjudged> {
  const { server, load, seconds } = setting;
  const job = () => loadOf(setting, what);
  forgetPeak(server.pid);
  await load.ask<Loaded>({ ...job(), seconds: seconds * warmUpShare });
  const rate = await timed(server.pid, () => load.ask<Loaded>(job()));
  const peakMiB = memoryMiB(server.pid).peak;
  const floor = scenario.floor === undefined ? undefined : await floorOf(scenario, job(), setting);
  const handler = scenario.floor === "write" || scenario.floor === "rewrite" ? { handler: await handlerOf(job(), setting) } : {};
  const note = what.kind === "apply" ? { note: await managedFieldsOf(what.path, setting) } : {};
  return { name: scenario.name, ...rate, floor, ...handler, peakMiB, ...note };
}

/** Bytes of an object's managed fields. */
async function managedFieldsOf(path: string, setting: Setting): Promise<string> {
  const body: unknown = JSON.parse(new TextDecoder().decode(await bodyOf(`${path}/cm-00000`, setting)));
  const { metadata } = body as { metadata: { managedFields?: readonly unknown[] } }; // In the server's response.
  const managed = metadata.managedFields ?? [];
  return `${JSON.stringify(managed).length} bytes of managedFields in ${managed.length} entries`;
}

/** The result of a load, with the CPU time of a process for it. */
async function timed(pid: number, run: () => Promise<Loaded>): Promise<Rate> {
  const before = cpuMs(pid);
  const { requests, failed, seconds, p50, p99 } = await run();
  return { requests, failed, perSecond: requests / seconds, p50, p99, cpuMs: (cpuMs(pid) - before) / requests };
}

async function floorOf(scenario: Scenario, job: Load, setting: Setting): Promise<Rate | undefined> {
  const { floor, floorPort, load, folder } = setting;
  const seconds = job.seconds / 2;
  if (scenario.floor === "read") {
    const path = job.path.replace("#", "cm-00000");
    const file = join(folder, "body");
    await writeFile(file, await bodyOf(path, setting));
    await floor.ask({ step: "serve", path, file } satisfies FloorStep);
    await load.ask<Loaded>({ ...job, path, port: floorPort, seconds: seconds * warmUpShare });
    return await timed(floor.pid, () => load.ask<Loaded>({ ...job, path, port: floorPort, seconds }));
  }
  const again = scenario.floor === "rewrite";
  const step = (length: number) =>
    ({ step: "put", writers: job.clients, objects: job.objects, seconds: length, again }) satisfies FloorStep;
  await floor.ask<Loaded>(step(seconds * warmUpShare));
  return await timed(floor.pid, () => floor.ask<Loaded>(step(seconds)));
}

/** The same requests to a bare server that parses their bodies, puts them and responds. */
async function handlerOf(job: Load, { floor, floorPort, load }: Setting): Promise<Rate> {
  const bare = { ...job, port: floorPort, path: putsPath, seconds: job.seconds / 2 };
  await load.ask<Loaded>({ ...bare, seconds: bare.seconds * warmUpShare });
  return await timed(floor.pid, () => load.ask<Loaded>({ ...bare, run: `${job.run}-again` }));
}

/** The bytes of the server's response. */
async function bodyOf(path: string, setting: Setting): Promise<Uint8Array> {
  const connection = await openConnection({ port: setting.server.port, ca: readFileSync(caPath(setting), "utf8") });
  const pieces: Uint8Array[] = [];
  await connection.request(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    (piece) => pieces.push(Buffer.from(piece)),
  );
  connection.close();
  return Buffer.concat(pieces);
}

async function measureWatch(scenario: Scenario, what: Scenario["measure"] & { tag: "watch" }, setting: Setting): Promise<Unjudged> {
  const { server, floor, floorPort } = setting;
  const ours = await watched(server.pid, server.port, what, setting);
  const peakMiB = memoryMiB(server.pid).peak;
  const { missing, doubled, ...rate } = ours;
  // The bare server has no backpressure: on a busy machine its watches may not end.
  const least = await watched(floor.pid, floorPort, what, setting).then(({ missing: _, doubled: __, ...rate }) => rate, () => undefined);
  return { name: scenario.name, ...rate, floor: least, peakMiB, missing, doubled };
}

async function watched(
  pid: number,
  port: number,
  what: Scenario["measure"] & { tag: "watch" },
  setting: Setting,
): Promise<Rate & { missing: number; doubled: number }> {
  const watchers = Math.ceil(what.watchers * Math.min(1, setting.share * 10)), writes = Math.ceil(what.writes * setting.share);
  const child = startChild(clientRuntime(), "watchers.ts");
  try {
    const path = "/api/v1/namespaces/default/configmaps";
    const watch = { port, ca: caPath(setting), token, path, watchers, writesPerSecond: what.writesPerSecond };
    forgetPeak(pid);
    await child.ask({ step: "open", watch } satisfies Step);
    // Only a few hundred writes are measured: as many are sent before, until the code is compiled.
    const warm = await child.ask<Watched>({ step: "run", writes } satisfies Step);
    if (warm.missing !== 0 || warm.doubled !== 0) {
      throw new Error(`Before the measurement ${warm.missing} events were missing, ${warm.doubled} doubled`);
    }
    const before = cpuMs(pid);
    const { delivered, missing, doubled, seconds, p50, p99 } = await child.ask<Watched>({ step: "run", writes } satisfies Step);
    const used = cpuMs(pid) - before;
    await child.ask({ step: "close" } satisfies Step);
    return { requests: delivered, failed: 0, perSecond: delivered / seconds, p50, p99, cpuMs: used / delivered, missing, doubled };
  } finally {
    await child.stop();
  }
}
