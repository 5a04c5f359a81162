/** Custom resource definitions by the hundred: how fast each is served and removed, and the cost of all of them in memory and at the start. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { startKubeApiserver } from "../../test/access/kube-apiserver.ts";
import { startEtcd } from "../../test/etcd.ts";
import type { Runtime } from "./children.ts";
import { type Definition, definitionAt } from "./definition-models.ts";
import { measureDocument, measureDocuments } from "./definition-documents.ts";
import {
  type Client,
  clientOf,
  create,
  createObject,
  median,
  type Memory,
  memoryOf,
  noRate,
  path,
  remove,
  type Row,
  served,
  type Subject,
  until,
} from "./definition-subject.ts";
import type { StoreName } from "./measured.ts";
import { median as medianOf, percentile } from "./percentile.ts";
import { cpuMs, memoryMiB } from "./process.ts";
import { reported, startServer } from "./server.ts";

export interface Definitions {
  readonly tag: "definitions";
  readonly count: number;
}
export interface DefinitionsSetting {
  readonly store: StoreName;
  readonly runtime: Runtime;
  /** Share of the definitions, for a smoke run. */
  readonly share: number;
  /** Also create them on a kube-apiserver on PATH. */
  readonly kube: boolean;
}

/** Number of definitions that are measured about each point, and number of deletions. */
const windowSize = 10;
const token = "bench";
/** The other server needs longer than one of a test. */
const otherLifeMsMax = 3 * 3_600_000;

export async function measureDefinitions(
  { count }: Definitions,
  setting: DefinitionsSetting,
  keep: (row: Row) => void,
): Promise<void> {
  const wanted = Math.max(windowSize, Math.ceil(count * setting.share));
  await measureOwn(wanted, setting, keep);
  if (setting.kube) await measureOther(wanted, keep);
}

async function measureOwn(count: number, { store, runtime, share }: DefinitionsSetting, keep: (row: Row) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const servers: { stop(): Promise<void> }[] = [];
  const start = async (data: string) => {
    const heapFile = join(folder, `heap-${servers.length}`);
    const args = [`--data-dir=${folder}/${data}`, `--token-auth-file=${folder}/tokens.csv`];
    if (etcd !== undefined) args.push(`--etcd-servers=${etcd.endpoint}`);
    const server = await startServer(runtime, args, heapFile, "heap");
    servers.push(server);
    const ca = readFileSync(join(folder, data, "pki", "ca.crt"), "utf8");
    const subject: Subject = {
      name: "definitions",
      ...server,
      ca,
      token,
      heapBytes: () => reported(server.pid, heapFile),
      idleMs: idleMs(share),
    };
    return { server, subject };
  };
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const { server, subject } = await start("data");
    await measureSubject(subject, count, keep);
    await server.stop();
    servers.pop();
    keep(await measureStart(() => start("data"), count, share));
    if (etcd !== undefined) keep(await measureSecond(start, count));
  } finally {
    for (const server of servers.toReversed()) await server.stop();
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureOther(count: number, keep: (row: Row) => void): Promise<void> {
  const server = await startKubeApiserver([], otherLifeMsMax);
  try {
    const subject = {
      name: "kube-apiserver",
      pid: server.pid,
      port: Number(new URL(server.url).port),
      ca: server.ca.cert,
      heapBytes: undefined,
      idleMs: idleMs(1),
    };
    await measureSubject({ ...subject, token: "admin" }, count, keep);
  } finally {
    await server.close();
  }
}

/** Creates the definitions; reports creation, memory, documents and deletion. */
async function measureSubject(subject: Subject, count: number, keep: (row: Row) => void): Promise<void> {
  const client = await clientOf(subject);
  const before = await memoryOf(subject);
  let made = 0;
  const fill = async (until: number) => {
    const last = until - 1;
    for (; made < until; made++) await create(client, definitionAt(made));
    if (last >= 0) await served(client, definitionAt(last).path, 200);
  };
  for (const at of [...new Set([10, 100, 1000].map((each) => Math.min(each, count)))]) {
    await fill(at - Math.floor(windowSize / (at === count ? 1 : 2)));
    const definitions = Array.from({ length: windowSize }, () => definitionAt(made++));
    keep(await measureCreation(subject, client, `${at}th`, definitions));
  }
  await fill(count);
  const stored = await memoryOf(subject);
  for (let at = 0; at < made; at++) await createObject(client, definitionAt(at));
  for (let at = 0; at < made; at++) await client.get(definitionAt(at).path);
  const read = await memoryOf(subject);
  for (const row of await measureDocuments(subject, client, made)) keep(row);
  const published = await memoryOf(subject);
  const each = (memory: Memory) =>
    `${((memory.rss - before.rss) / made).toFixed(3)}${
      memory.heap === undefined || before.heap === undefined ? "" : ` (heap ${((memory.heap - before.heap) / made).toFixed(3)})`
    }`;
  keep({
    ...noRate(`${subject.name}: memory`),
    requests: made,
    peakMiB: memoryMiB(subject.pid).peak,
    ...(subject.name === "definitions" ? { mebibytesEach: (published.rss - before.rss) / made } : {}),
    note: `MiB of each: stored ${each(stored)}, objects written ${each(read)}, OpenAPI read ${each(published)}; before ${
      before.rss.toFixed(0)
    } MiB`,
  });
  keep(await measureDocument(subject, client, made, "v2 document", "/openapi/v2", "application/json"));
  keep(await measureDeletion(subject, client, made));
  client.close();
}

async function measureCreation(subject: Subject, client: Client, which: string, definitions: readonly Definition[]): Promise<Row> {
  const servedMs: number[] = [], establishedMs: number[] = [], answeredMs: number[] = [];
  const cpuBefore = cpuMs(subject.pid);
  for (const definition of definitions) {
    const begun = performance.now();
    await create(client, definition);
    answeredMs.push(performance.now() - begun);
    await served(client, definition.path, 200);
    servedMs.push(performance.now() - begun);
    await until(async () =>
      /"type":"Established","status":"True"|"status":"True"[^}]*"type":"Established"/.test(await client.text(`${path}/${definition.name}`))
    );
    establishedMs.push(performance.now() - begun);
  }
  const cpu = (cpuMs(subject.pid) - cpuBefore) / definitions.length;
  servedMs.sort((a, b) => a - b);
  return {
    ...noRate(`${subject.name}: ${which}`),
    requests: definitions.length,
    perSecond: 1000 / percentile(servedMs, 0.5),
    p50: percentile(servedMs, 0.5),
    p99: percentile(servedMs, 0.99),
    cpuMs: cpu,
    peakMiB: memoryMiB(subject.pid).peak,
    note: `until served; answered after ${median(answeredMs)} ms, established after ${median(establishedMs)} ms`,
  };
}

async function measureDeletion(subject: Subject, client: Client, count: number): Promise<Row> {
  const goneMs: number[] = [];
  const cpuBefore = cpuMs(subject.pid);
  for (let at = count - windowSize; at < count; at++) {
    const { name, path } = definitionAt(at), begun = performance.now();
    await remove(client, name);
    await served(client, path, 404);
    goneMs.push(performance.now() - begun);
  }
  goneMs.sort((a, b) => a - b);
  return {
    ...noRate(`${subject.name}: deletion`),
    requests: windowSize,
    perSecond: 1000 / percentile(goneMs, 0.5),
    p50: percentile(goneMs, 0.5),
    p99: percentile(goneMs, 0.99),
    cpuMs: (cpuMs(subject.pid) - cpuBefore) / windowSize,
    peakMiB: memoryMiB(subject.pid).peak,
    note: "until 404, with one object each",
  };
}

interface Started {
  readonly server: { readonly pid: number; readonly readyMs: number; stop(): Promise<void> };
  readonly subject: Subject;
}

/** Starts with all definitions stored: three times, once in a smoke run, with the median. Memory is that of the last one. */
async function measureStart(start: () => Promise<Started>, count: number, share: number): Promise<Row> {
  const starts = share < 1 ? 1 : 3;
  const readyMs: number[] = [], cpu: number[] = [];
  let memory: Memory = { rss: 0 }, peakMiB = 0;
  for (let round = 0; round < starts; round++) {
    const { server, subject } = await start();
    readyMs.push(server.readyMs);
    cpu.push(cpuMs(server.pid));
    if (round === starts - 1) {
      memory = await memoryOf(subject);
      peakMiB = memoryMiB(server.pid).peak;
    }
    await server.stop();
  }
  const row = noRate("definitions: start");
  return {
    ...row,
    requests: readyMs.length,
    perSecond: 1000 / medianOf(readyMs),
    p50: medianOf(readyMs),
    p99: Math.max(...readyMs),
    cpuMs: medianOf(cpu),
    peakMiB,
    note: `until ready, with ${count} definitions; ${memory.rss.toFixed(0)} MiB afterwards`,
  };
}

/** Two servers of one etcd: definitions that are created at one are served by the other. */
async function measureSecond(start: (data: string) => Promise<Started>, count: number): Promise<Row> {
  const first = await start("data"), second = await start("second");
  const [one, other] = [await clientOf(first.subject), await clientOf(second.subject)];
  const servedMs: number[] = [];
  const from = count + 2 * windowSize;
  for (let at = from; at < from + windowSize; at++) {
    const definition = definitionAt(at), begun = performance.now();
    await create(one, definition);
    await served(other, definition.path, 200);
    servedMs.push(performance.now() - begun);
  }
  one.close();
  other.close();
  servedMs.sort((a, b) => a - b);
  return {
    ...noRate("definitions: 2 servers"),
    requests: windowSize,
    perSecond: 1000 / percentile(servedMs, 0.5),
    p50: percentile(servedMs, 0.5),
    p99: percentile(servedMs, 0.99),
    peakMiB: memoryMiB(second.server.pid).peak,
    note: "from the creation at one server until the other serves it",
  };
}

/** Milliseconds without requests before garbage is collected and memory is read: short in a smoke run. */
function idleMs(share: number): number {
  return share < 1 ? 100 : 1_000;
}
