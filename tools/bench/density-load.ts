/** What a cluster without machines does: nodes, Deployments and pods come, change and go, as fast as the controllers let them. */
import { performance } from "node:perf_hooks";
import type { Answer, Client } from "../../test/https.ts";
import type { Cluster } from "./density-cluster.ts";
import { percentile } from "./percentile.ts";
import { cpuMs, forgetPeak, memoryMiB } from "./process.ts";

export interface DensitySize {
  readonly nodes: number;
  readonly deployments: number;
  /** Replicas of each Deployment. */
  readonly replicas: number;
  /** Nodes in all, and pods that name their node, as in kwok's own benchmark. */
  readonly benchNodes: number;
  readonly benchPods: number;
}

/** One step of the load. */
export interface DensityRow {
  readonly step: string;
  readonly seconds: number;
  /** CPU of the server, in seconds. */
  readonly cpuSeconds: number;
  /** Largest resident memory of the server in the step. */
  readonly mebibytes: number;
  /** Requests of a client beside the controllers, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Requests of this program under way at a time. */
const parallel = 16;
/** Interval of looks at the state, and of the client that measures. */
const lookMs = 500, probeMs = 50;
/** A step on a busy machine ends before. */
const stepMsMax = 20 * 60_000;
const namespace = "density", workloads = `/apis/apps/v1/namespaces/${namespace}/deployments`, pods = `/api/v1/namespaces/${namespace}/pods`;

/** Runs all steps one after another; `tell` gets each row. Rejects if a request fails, a program ends, or a step takes longer than 20 minutes. */
export async function measureDensity(cluster: Cluster, size: DensitySize, tell: (row: DensityRow) => void): Promise<void> {
  const { admin } = cluster, { nodes, deployments, replicas, benchNodes, benchPods } = size;
  const step = async (name: string, begin: () => Promise<void>, isDone: () => Promise<boolean>) =>
    tell(await measureStep(cluster, name, begin, isDone));
  const named = (count: number) => Array.from({ length: count }, (_, index) => index);
  const total = deployments * replicas;
  await succeeding(admin, "/api/v1/namespaces", "POST", { metadata: { name: namespace } });
  await settled(cluster, async () => (await admin.ask(`/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status === 200);
  await step(`${nodes} nodes`, () => each(named(nodes), (index) => createNode(admin, index)), () => nodesReady(admin, nodes));
  await step(
    `${total.toLocaleString("en")} pods of ${deployments} Deployments`,
    () => each(named(deployments), (index) => succeeding(admin, workloads, "POST", deployment(`d-${index}`, replicas))),
    () => deploymentsReady(admin, total),
  );
  await step(
    "all of them rolled",
    () => each(named(deployments), (index) => roll(admin, `d-${index}`)),
    () => deploymentsReady(admin, total),
  );
  await step(
    "all of them deleted",
    () => each(named(deployments), (index) => succeeding(admin, `${workloads}/d-${index}`, "DELETE")),
    () => noPods(admin),
  );
  if (benchPods === 0) return;
  await step(
    `kwok's: ${benchNodes} nodes`,
    () => each(named(benchNodes).slice(nodes), (index) => createNode(admin, index)),
    () => nodesReady(admin, benchNodes),
  );
  await step(
    `kwok's: ${benchPods.toLocaleString("en")} pods`,
    () => each(named(benchPods), (index) => succeeding(admin, pods, "POST", boundPod(index, benchNodes))),
    () => podsRunning(admin, benchPods),
  );
  await step(
    "kwok's: pods deleted",
    () => each(named(benchPods), (index) => succeeding(admin, `${pods}/p-${index}?gracePeriodSeconds=1`, "DELETE")),
    () => noPods(admin),
  );
}

async function measureStep(
  cluster: Cluster,
  step: string,
  begin: () => Promise<void>,
  isDone: () => Promise<boolean>,
): Promise<DensityRow> {
  const { pid, admin } = cluster, latencies: number[] = [], abort = new AbortController();
  forgetPeak(pid);
  const start = performance.now(), before = cpuMs(pid);
  const probing = probe(admin, latencies, abort.signal);
  try {
    await begin();
    await settled(cluster, isDone);
  } finally {
    abort.abort();
    await probing;
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    step,
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: (cpuMs(pid) - before) / 1000,
    mebibytes: memoryMiB(pid).peak,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
  };
}

/** Another client, which creates a small object, reads it and deletes it. */
async function probe(admin: Client, latencies: number[], signal: AbortSignal): Promise<void> {
  const configMaps = "/api/v1/namespaces/default/configmaps";
  for (let index = 0; !signal.aborted; index++) {
    const name = `probe-${index}`;
    for (
      const [path, method, body] of [
        [configMaps, "POST", { metadata: { name }, data: { key: "value" } }],
        [`${configMaps}/${name}`, "GET", undefined],
        [`${configMaps}/${name}`, "DELETE", undefined],
      ] as const
    ) {
      const start = performance.now();
      await succeeding(admin, path, method, body);
      latencies.push(performance.now() - start);
    }
    await new Promise((resolve) => setTimeout(resolve, probeMs));
  }
}

/** Calls for each item, some at a time. */
async function each(items: readonly number[], call: (item: number) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(Array.from({ length: parallel }, async () => {
    for (const item of left) await call(item);
  }));
}

async function settled(cluster: Cluster, isDone: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + stepMsMax; !await isDone();) {
    const failure = cluster.failure();
    if (failure !== undefined) throw new Error(failure);
    if (performance.now() > end) throw new Error("The cluster did not settle in time");
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

async function succeeding(admin: Client, path: string, method: string, body?: object, type = "application/json"): Promise<void> {
  const { status, text } = await admin.ask(path, { method, ...(body === undefined ? {} : { body, headers: { "content-type": type } }) });
  if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text.slice(0, 500)}`);
}

async function read(admin: Client, path: string): Promise<any> {
  const answer: Answer = await admin.ask(path);
  if (answer.status !== 200) throw new Error(`GET ${path} was answered with ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer.json();
}

async function nodesReady(admin: Client, count: number): Promise<boolean> {
  const { items } = await read(admin, "/api/v1/nodes");
  return items.filter((node: any) => node.status.conditions?.some(({ type, status }: any) => type === "Ready" && status === "True"))
    .length === count;
}

async function deploymentsReady(admin: Client, total: number): Promise<boolean> {
  const { items } = await read(admin, workloads);
  const isCurrent = ({ metadata, status }: any) =>
    status.observedGeneration === metadata.generation && status.updatedReplicas === status.replicas;
  return items.every(isCurrent) && items.reduce((sum: number, { status }: any) => sum + (status.readyReplicas ?? 0), 0) === total;
}

async function podsRunning(admin: Client, count: number): Promise<boolean> {
  const { items } = await read(admin, `${pods}?fieldSelector=status.phase%3DRunning`);
  return items.length === count;
}

async function noPods(admin: Client): Promise<boolean> {
  return (await read(admin, `${pods}?limit=1`)).items.length === 0;
}

async function createNode(admin: Client, index: number): Promise<void> {
  const name = `node-${index}`, room = { cpu: "64", memory: "256Gi", pods: "500" };
  await succeeding(admin, "/api/v1/nodes", "POST", {
    metadata: { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" } },
    status: { allocatable: room, capacity: room },
  });
}

function roll(admin: Client, name: string): Promise<void> {
  const body = { spec: { template: { metadata: { annotations: { round: "2" } } } } };
  return succeeding(admin, `${workloads}/${name}`, "PATCH", body, "application/strategic-merge-patch+json");
}

const containers = [{ name: "main", image: "registry.example/pause", resources: { requests: { cpu: "10m", memory: "16Mi" } } }];

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

function boundPod(index: number, nodes: number): object {
  return { metadata: { name: `p-${index}` }, spec: { nodeName: `node-${index % nodes}`, containers } };
}
