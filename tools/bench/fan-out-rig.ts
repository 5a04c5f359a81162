/** What the measurements of the fan-out share: servers on an etcd of their own, and the generator in Go. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newestEtcd } from "../../test/access/kube-apiserver.ts";
import { startEtcd } from "../../test/etcd.ts";
import { type Child, type Runtime, startAnswering } from "./children.ts";
import { type Generator, goGeneratorOn, openGenerators } from "./generator.ts";
import { startServer } from "./server.ts";
import type { Target } from "./target.ts";

export interface FanOutOptions {
  readonly runtime: Runtime;
  readonly seconds: number;
  readonly rounds: number;
  /** Of the watches, for a smoke run. */
  readonly share: number;
  readonly tell: (line: string) => void;
}

/** Ends with `close`, all that it has started with it. */
export interface Rig {
  readonly folder: string;
  /** A server with this number of workers on an etcd of its own; `stored`: on sqlite instead. `plain`: the file of `plain.ts`. */
  server(workers: number, more?: { readonly sqlite?: boolean; readonly plain?: string }): Promise<Target>;
  /** The program in Go, in a process. */
  child(): Child;
  /** What it sends on demand. */
  generatorOn(child: Child): Generator;
  close(): Promise<void>;
}

export const token = "bench";
export const watchedPath = "/api/v1/namespaces/default/configmaps";
/** Watches of one HTTP/2 connection; client-go opens another one when a kube-apiserver allows no more streams. */
export const watchesPerConnection = 90;

export async function openRig(runtime: Runtime): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const closers: { stop(): Promise<void> }[] = [];
  await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
  const generators = await openGenerators(folder), { program } = generators;
  if (program === undefined) throw new Error(`Cannot measure the fan-out with ${generators.http2}`);
  let servers = 0;
  return {
    folder,
    async server(workers, { sqlite = false, plain } = {}) {
      const newest = await newestEtcd(), data = join(folder, `server-${servers++}`);
      const etcd = sqlite ? undefined : await startEtcd(newest === undefined ? {} : { program: newest });
      if (etcd !== undefined) closers.push(etcd);
      const stored = etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`];
      const args = [`--data-dir=${data}`, `--token-auth-file=${folder}/tokens.csv`, `--workers=${workers}`, ...stored];
      // With a module before it, Deno has all permissions, as starting workers needs.
      const { pid, port, stop } = await startServer(runtime, args, plain ?? (workers > 1 ? `${data}.plain` : undefined), "plain");
      closers.push({ stop });
      return { pid, port, ca: join(data, "pki", "ca.crt"), token };
    },
    child() {
      const child = startAnswering({ path: program, args: [] });
      closers.push(child);
      return child;
    },
    generatorOn: goGeneratorOn,
    async close() {
      for (const closer of closers.toReversed()) await closer.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
