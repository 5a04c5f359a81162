/** Memory of an idle server against the number of stored objects: `npm run bench -- --memory`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { startEtcd } from "../../test/etcd.ts";
import type { Runtime } from "./children.ts";
import { fill } from "./large.ts";
import type { StoreName } from "./measured.ts";
import { memoryMiB } from "./process.ts";
import { startServer } from "./server.ts";

export interface MemoryPoint {
  readonly objects: number;
  /** Resident memory of the server. */
  readonly mebibytes: number;
  /** From the start of the process to the first 200 of /readyz, in milliseconds. */
  readonly readyMs: number;
}

export interface MemoryResult {
  readonly store: StoreName;
  readonly runtime: Runtime;
  /** Bytes of data of each object. */
  readonly bytes: number;
  readonly points: readonly MemoryPoint[];
}

export interface MemoryOptions {
  readonly store: StoreName;
  readonly runtime: Runtime;
  /** Share of the objects, for a smoke run. */
  readonly share: number;
  readonly tell: (point: MemoryPoint) => void;
}

const counts = [0, 1_000, 10_000, 100_000, 300_000, 1_000_000], bytes = 1_000;
/** Above the default of etcd, which ends below a million objects. */
const etcdFlags = [`--quota-backend-bytes=${8 * 1024 ** 3}`];
/** Time without requests before memory is read. */
const idleMs = 5_000;

/** Starts a server for each number of objects, in one store that grows in between. */
export async function measureMemory({ store, runtime, share, tell }: MemoryOptions): Promise<MemoryResult> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const etcd = store === "etcd" ? await startEtcd({ flags: etcdFlags }) : undefined;
  const points: MemoryPoint[] = [];
  try {
    const args = [`--data-dir=${folder}/data`];
    if (etcd !== undefined) args.push(`--etcd-servers=${etcd.endpoint}`);
    // Creates its folder and certificates.
    await (await startServer(runtime, args)).stop();
    let from = 0;
    for (const count of counts) {
      const objects = Math.ceil(count * share);
      const opened =
        await (etcd === undefined ? openSqlite(join(folder, "data", "store.sqlite")) : openEtcd({ endpoints: [etcd.endpoint] }));
      await fill(opened, { from, to: objects, bytes }).finally(() => opened.close());
      from = objects;
      const server = await startServer(runtime, args);
      try {
        await new Promise((resolve) => setTimeout(resolve, idleMs * share));
        const point = { objects, mebibytes: memoryMiB(server.pid).now, readyMs: server.readyMs };
        tell(point);
        points.push(point);
      } finally {
        await server.stop();
      }
    }
    return { store, runtime, bytes, points };
  } finally {
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
