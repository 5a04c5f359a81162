/** A server under load, and the cost of a load for it. */
import { performance } from "node:perf_hooks";
import type { Load, Loaded } from "./load.ts";
import type { Rate } from "./measured.ts";
import type { Written } from "./objects.ts";
import { cpuMs } from "./process.ts";
import type { LoadKind } from "./requests.ts";
import type { Watched } from "./watchers.ts";

export interface Target {
  readonly pid: number;
  readonly port: number;
  /** Path of the PEM file. */
  readonly ca: string;
  readonly token: string;
  /** Bytes that the process has allocated since its start, if they can be read. */
  allocatedBytes?(): Promise<number>;
}

export interface LoadWish {
  readonly kind: LoadKind;
  readonly path: string;
  readonly clients: number;
  readonly objects: number;
  readonly written?: Written;
  readonly bytes?: number;
  readonly gzip?: boolean;
}

/** The job of a generator. `run` must differ from that of other jobs for the same objects. */
export function jobFor({ port, ca, token }: Target, wish: LoadWish, seconds: number, run: string): Load {
  const { kind, path, clients, objects, written, bytes, gzip } = wish;
  const more = {
    ...(written === undefined ? {} : { written }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(gzip === undefined ? {} : { gzip }),
  };
  return { port, ca, token, kind, path, clients, objects, seconds, run, ...more };
}

/** The result of a load, with what the target's process used for it. */
export async function timed(target: Pick<Target, "pid" | "allocatedBytes">, run: () => Promise<Loaded>): Promise<Rate> {
  const { result, ...used } = await usedFor(target, run);
  const { requests, failed, seconds, p50, p99, p999, bytes } = result;
  return { requests, failed, perSecond: requests / seconds, p50, p99, p999, bytes: bytes / requests, ...each(used, requests) };
}

export type WatchRate = Rate & { readonly missing: number; readonly doubled: number };

/** As `timed`, for a run of writes and their events. */
export async function timedWatch(target: Pick<Target, "pid" | "allocatedBytes">, run: () => Promise<Watched>): Promise<WatchRate> {
  const { result, ...used } = await usedFor(target, run);
  const { delivered, missing, doubled, seconds, p50, p99, p999 } = result;
  return { requests: delivered, failed: 0, perSecond: delivered / seconds, p50, p99, p999, missing, doubled, ...each(used, delivered) };
}

/** A warm-up ends when the server has used this CPU time, which does not depend on other load on the machine, or after this time. */
const warmUpCpuMs = 6_000, warmUpMsMax = 60_000;

/** Repeats a load until the server's code is optimized. `share`: of the warm-up, for a smoke run. */
export async function warmUp({ pid }: Pick<Target, "pid">, share: number, run: () => Promise<unknown>): Promise<void> {
  const cpuBefore = cpuMs(pid), end = performance.now() + warmUpMsMax;
  do await run(); while (cpuMs(pid) - cpuBefore < warmUpCpuMs * share && performance.now() < end);
}

interface Used {
  readonly cpu: number;
  readonly allocated: number | undefined;
}

async function usedFor<T>(
  { pid, ...target }: Pick<Target, "pid" | "allocatedBytes">,
  run: () => Promise<T>,
): Promise<Used & { result: T }> {
  const allocatedBefore = await target.allocatedBytes?.();
  const cpuBefore = cpuMs(pid);
  const result = await run();
  const cpu = cpuMs(pid) - cpuBefore;
  const allocatedAfter = await target.allocatedBytes?.();
  const allocated = allocatedBefore === undefined || allocatedAfter === undefined ? undefined : allocatedAfter - allocatedBefore;
  return { result, cpu, allocated };
}

function each({ cpu, allocated }: Used, requests: number) {
  return { cpuMs: cpu / requests, ...(allocated === undefined ? {} : { allocatedBytes: allocated / requests }) };
}
