/**
 * `npm run bench:density`: a cluster without machines on this server, and on a kube-apiserver, with kube-controller-manager, kube-scheduler and kwok.
 *
 *   --stages FOLDER        the folder kustomize/stage of kwok's module
 *   --runtime deno|node    --store etcd|sqlite
 *   --nodes 100            --deployments 30        --replicas 100
 *   --kwok 500,1000        nodes and pods of kwok's own benchmark, a tenth of it; 0,0 leaves it out
 *   --kube                 also on a kube-apiserver, before and after this server
 *   --smoke                a few objects, to check that it runs
 *
 * The programs are those on PATH; the output says which are missing, and what was left out. The clusters run one after another.
 * CPU is that of the server without its store. It and memory can be compared on a busy machine, seconds only in turns.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { kubeApiserverMissing } from "../../test/access/kube-apiserver.ts";
import { etcdMissing } from "../../test/etcd.ts";
import type { Runtime } from "./children.ts";
import { type Cluster, companionsMissing, startOwnCluster, startPeerCluster } from "./density-cluster.ts";
import { type DensityRow, type DensitySize, measureDensity } from "./density-load.ts";
import { short } from "./report.ts";

const options = {
  runtime: { type: "string", default: "Deno" in globalThis ? "deno" : "node" },
  stages: { type: "string" },
  store: { type: "string", default: "etcd" },
  nodes: { type: "string", default: "100" },
  deployments: { type: "string", default: "30" },
  replicas: { type: "string", default: "100" },
  kwok: { type: "string", default: "500,1000" },
  kube: { type: "boolean", default: false },
  smoke: { type: "boolean", default: false },
} as const;
type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

function sizeOf({ nodes, deployments, replicas, kwok, smoke }: Flags): DensitySize {
  if (smoke) return { nodes: 2, deployments: 2, replicas: 3, benchNodes: 4, benchPods: 4 };
  const [benchNodes = 0, benchPods = 0] = kwok.split(",").map(Number);
  return { nodes: Number(nodes), deployments: Number(deployments), replicas: Number(replicas), benchNodes, benchPods };
}

async function measureCluster(start: (folder: string) => Promise<Cluster>, size: DensitySize): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-density-"));
  try {
    const cluster = await start(folder);
    try {
      console.log(`\n${cluster.name}\n${"".padEnd(32)} seconds  CPU s    MiB  p50 ms  p99 ms`);
      await measureDensity(cluster, size, (row) => console.log(lineOf(row)));
    } finally {
      await cluster.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function lineOf({ step, seconds, cpuSeconds, mebibytes, p50, p99 }: DensityRow): string {
  const cells = [[seconds, 8], [cpuSeconds, 7], [mebibytes, 7], [p50, 8], [p99, 8]] as const;
  return step.padEnd(32) + cells.map(([value, width]) => short(value).padStart(width)).join("");
}

const { values } = parseArgs({ options });
const runtime: Runtime = values.runtime === "node" ? "node" : "deno", store = values.store === "sqlite" ? "sqlite" : "etcd";
const missing = companionsMissing(values.stages) || store === "etcd" && etcdMissing();
if (missing !== false) {
  console.log(`Skipped: ${missing}`);
} else {
  const size = sizeOf(values), peerMissing = values.kube && kubeApiserverMissing();
  if (peerMissing !== false) console.log(`Without a kube-apiserver: ${peerMissing}`);
  const places = (folder: string) => ({ folder, stages: values.stages ?? "" });
  const own = (folder: string) => startOwnCluster(runtime, store, places(folder));
  const peer = (folder: string) => startPeerCluster(places(folder));
  const withPeer = values.kube && peerMissing === false;
  for (const start of withPeer ? [peer, own, peer] : [own]) await measureCluster(start, size);
}
process.exit();
