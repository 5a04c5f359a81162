/** Samples of a server's process: memory, CPU time, open files, connections, open requests. */
import { readdirSync, readFileSync } from "node:fs";
import { samplesOf, sumOf } from "../../server/metrics/samples.ts";
import { cpuMs, memoryMiB } from "../bench/process.ts";

export interface Sample {
  readonly minute: number;
  readonly residentMiB: number;
  /** Heap in use; falls with each garbage collection. */
  readonly heapMiB: number;
  readonly externalMiB: number;
  readonly openFiles: number;
  readonly connections: number;
  /** Open watches and requests, the request for the metrics included. */
  readonly streams: number;
  /** CPU time since the start of its process. */
  readonly cpuMs: number;
  /** Number of the process, from 1: a restart begins another one. */
  readonly process: number;
}

const mib = 1024 * 1024;

export function sample(
  { pid, port, metrics, minute, process }: {
    readonly pid: number;
    readonly port: number;
    readonly metrics: string;
    readonly minute: number;
    readonly process: number;
  },
): Sample {
  const samples = samplesOf(metrics, [
    "nodejs_heap_size_used_bytes",
    "nodejs_external_memory_bytes",
    "apiserver_longrunning_requests",
    "apiserver_current_inflight_requests",
  ]);
  const of = (name: string) => sumOf(samples.get(name) ?? [], () => true);
  return {
    minute,
    residentMiB: memoryMiB(pid).now,
    heapMiB: of("nodejs_heap_size_used_bytes") / mib,
    externalMiB: of("nodejs_external_memory_bytes") / mib,
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
    connections: connectionsTo(port),
    streams: of("apiserver_longrunning_requests") + of("apiserver_current_inflight_requests"),
    cpuMs: cpuMs(pid),
    process,
  };
}

/** Established connections of a local server, from its side. */
export function connectionsTo(port: number): number {
  const own = `:${port.toString(16).toUpperCase().padStart(4, "0")}`, established = "01";
  return readFileSync("/proc/net/tcp", "latin1").split("\n").filter((line) => {
    const [, local = "", , state] = line.trim().split(/ +/);
    return local.endsWith(own) && state === established;
  }).length;
}

export function tableOf(samples: readonly Sample[]): string {
  const head = ["minute", "process", "resident MiB", "heap MiB", "external MiB", "files", "connections", "streams", "CPU s"];
  const rows = samples.map((each) => [
    each.minute.toFixed(1),
    String(each.process),
    each.residentMiB.toFixed(1),
    each.heapMiB.toFixed(1),
    each.externalMiB.toFixed(1),
    String(each.openFiles),
    String(each.connections),
    String(each.streams),
    (each.cpuMs / 1000).toFixed(1),
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)));
  return [head, ...rows].map((row) => row.map((cell, at) => cell.padStart(widths[at]!)).join("  ")).join("\n");
}
