/** Starts and idle memory of a comparison. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newestEtcd, startKubeApiserver } from "../../test/access/kube-apiserver.ts";
import { startEtcd } from "../../test/etcd.ts";
import type { Runtime } from "./children.ts";
import type { ColdTarget } from "./cold.ts";
import { openEarlierCode } from "./earlier-code.ts";
import { openPackaged } from "./packaged.ts";
import { type PeerRow, rowOf, type Side } from "./peer-rows.ts";
import { cpuMs, memoryMiB } from "./process.ts";
import { reported, type ServerProgram, startServer } from "./server.ts";

export interface Closer {
  stop(): Promise<void>;
}

/** Starts of each server, in empty stores. */
const starts = 3;
/** Time without requests before memory is read. */
const idleMs = 10_000;
const token = "bench";
/** A comparison on a busy machine ends before. */
const lifeMsMax = 3 * 3_600_000;

/**
 * Starts in turn; the last of each goes on. Ours are stopped after their memory was read, and that of the repository can be started again. On Node the
 * package is also started with the code of an earlier start. On Deno each start of the package has the code that the image's build keeps.
 */
export async function measureStarts(
  { runtime, share }: { readonly runtime: Runtime; readonly share: number },
  folder: string,
  closers: Closer[],
  keep: (row: PeerRow) => void,
) {
  await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
  const packaged = await openPackaged(runtime);
  const ready = { repository: [] as Side[], packaged: [] as Side[], later: [] as Side[], theirs: [] as Side[] };
  const idle = { repository: [] as Side[], packaged: [] as Side[], theirs: [] as Side[] };
  const count = share < 1 ? 1 : starts;
  try {
    const earlier = runtime === "node"
      ? await openEarlierCode(join(folder, "cache"), packaged.program, (program) => startOurs(runtime, folder, "package-earlier", program))
      : undefined;
    for (let round = 1;; round++) {
      const repository = await startOurs(runtime, folder, `repository-${round}`);
      closers.push(repository);
      ready.repository.push(startOf(repository.server));
      const ours = await startOurs(runtime, folder, `package-${round}`, packaged.program);
      closers.push(ours);
      ready.packaged.push(startOf(ours.server));
      if (earlier !== undefined) {
        const later = await startOurs(runtime, folder, `package-later-${round}`, earlier.program);
        ready.later.push(startOf(later.server));
        await later.stop();
      }
      const theirs = await startTheirs(folder);
      closers.push(theirs);
      ready.theirs.push(startOf(theirs));
      await new Promise((resolve) => setTimeout(resolve, idleMs * share));
      idle.repository.push({ value: memoryMiB(repository.server.pid).now });
      idle.packaged.push({ value: memoryMiB(ours.server.pid).now });
      idle.theirs.push({ value: memoryMiB(theirs.pid).now });
      if (round < count) {
        for (const closer of closers.splice(0).toReversed()) await closer.stop();
        continue;
      }
      await earlier?.verify();
      keep(rowOf("ready, package", "ms", ready.packaged, ready.theirs));
      if (earlier !== undefined) keep(rowOf("ready, package, later start", "ms", ready.later, ready.theirs));
      keep(rowOf("ready, repository", "ms", ready.repository, ready.theirs));
      keep(rowOf("idle memory, package", "MiB", idle.packaged, idle.theirs));
      keep(rowOf("idle memory, repository", "MiB", idle.repository, idle.theirs));
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
