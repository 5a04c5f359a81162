/**
 * `npm run bench -- --density`: a cluster without machines on this server, and on a kube-apiserver, with kube-controller-manager, kube-scheduler and
 * kwok. The programs are those on PATH. The clusters run one after another. CPU is that of the server without its store.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { etcdMissing } from "../../test/etcd.ts";
import type { Runtime } from "./children.ts";
import { type Cluster, companionsMissing, startOwnCluster, startPeerCluster } from "./density-cluster.ts";
import { type DensityRow, type DensitySize, measureDensity } from "./density-load.ts";
import type { StoreName } from "./measured.ts";
import { type PeerRow, rowOfRuns } from "./peer-rows.ts";
import { short } from "./report.ts";

export interface DensityOptions {
  readonly runtime: Runtime;
  readonly store: StoreName;
  /** Whether the same runs on a kube-apiserver, before and after this server. */
  readonly withPeer: boolean;
  /** kwok's folder of stages. */
  readonly stages: string;
  readonly size: DensitySize;
  readonly tell: (line: string) => void;
}

/** A run beside a kube-apiserver. */
export interface DensityResult {
  readonly runtime: Runtime;
  readonly store: StoreName;
  readonly rows: readonly PeerRow[];
}

/** Why it cannot be measured, or false. */
export function densityMissing(stages: string | undefined, store: StoreName): string | false {
  return companionsMissing(stages) || store === "etcd" && etcdMissing();
}

/** Resolves with the rows beside a kube-apiserver; none without one. Rejects if a request fails or a program ends. */
export async function measureDensities({ runtime, store, withPeer, stages, size, tell }: DensityOptions): Promise<readonly PeerRow[]> {
  const own = (folder: string) => startOwnCluster(runtime, store, { folder, stages });
  const peer = (folder: string) => startPeerCluster({ folder, stages });
  if (!withPeer) {
    await measureCluster(own, size, tell);
    return [];
  }
  const before = await measureCluster(peer, size, tell), ours = await measureCluster(own, size, tell);
  return rowsOf(ours, [before, await measureCluster(peer, size, tell)]);
}

async function measureCluster(
  start: (folder: string) => Promise<Cluster>,
  size: DensitySize,
  tell: (line: string) => void,
): Promise<readonly DensityRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "thole-density-")), rows: DensityRow[] = [];
  try {
    const cluster = await start(folder);
    try {
      tell(`\n${cluster.name}\n${"".padEnd(32)} seconds  CPU s    MiB  p50 ms  p99 ms`);
      await measureDensity(cluster, size, (row) => {
        rows.push(row);
        tell(lineOf(row));
      });
      return rows;
    } finally {
      await cluster.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** All steps together: their time, their CPU, and the largest memory of any. */
function rowsOf(ours: readonly DensityRow[], theirs: readonly (readonly DensityRow[])[]): readonly PeerRow[] {
  const compared = (name: string, what: PeerRow["what"], of: (rows: readonly DensityRow[]) => number) =>
    rowOfRuns(name, what, of(ours), theirs.map(of));
  const sum = (key: "seconds" | "cpuSeconds") => (rows: readonly DensityRow[]) => rows.reduce((all, row) => all + row[key], 0);
  return [
    compared("density: time", "s", sum("seconds")),
    compared("density: CPU", "CPU s", sum("cpuSeconds")),
    compared("density: memory", "MiB", (rows) => Math.max(...rows.map(({ mebibytes }) => mebibytes))),
  ];
}

function lineOf({ step, seconds, cpuSeconds, mebibytes, p50, p99 }: DensityRow): string {
  const cells = [[seconds, 8], [cpuSeconds, 7], [mebibytes, 7], [p50, 8], [p99, 8]] as const;
  return step.padEnd(32) + cells.map(([value, width]) => short(value).padStart(width)).join("");
}
