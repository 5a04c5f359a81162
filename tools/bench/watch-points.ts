/** Latency against the number of watches, as kept by `npm run bench:watches -- --json FILE`. */
import type { Runtime } from "./children.ts";
import type { StoreName } from "./measured.ts";
import type { Protocol } from "./sender.ts";

export interface WatchPoint {
  readonly server: "thole" | "kube-apiserver";
  readonly protocol: Protocol;
  readonly watchers: number;
  readonly writesPerSecond: number;
  /** Milliseconds from just before the write to the arrival. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU of the server for each event, the writes included. */
  readonly cpuUs: number;
}

export interface WatchResult {
  readonly store: StoreName;
  readonly runtime: Runtime;
  readonly points: readonly WatchPoint[];
}
