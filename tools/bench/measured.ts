/** Results of a scenario. */
import type { Protocol } from "./sender.ts";

export type StoreName = "sqlite" | "etcd";

export interface Rate {
  readonly requests: number;
  readonly failed: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Not in results of earlier releases, as the next two. */
  readonly p999?: number;
  /** Bytes of a response's body. */
  readonly bytes?: number;
  /** Bytes that the measured process allocated in V8's heap for a request; for a watch, for an event. */
  readonly allocatedBytes?: number;
  /** CPU time of the measured process per request; for a watch, per delivered event. */
  readonly cpuMs: number;
}

export interface Goal {
  readonly what: string;
  readonly value: number;
  readonly atMost: number;
  readonly met: boolean;
}

export interface Measured extends Rate {
  readonly name: string;
  /** The minimum cost of the same; undefined if not measured. */
  readonly floor: Rate | undefined;
  /** For writes: a bare HTTPS server that parses the same body, puts it into the store and responds. */
  readonly handler?: Rate;
  /** Default: HTTP/1.1, in results of earlier releases. */
  readonly protocol?: Protocol;
  /** The first requests of a server that has just started. */
  readonly cold?: Rate;
  readonly peakMiB: number;
  /** For a watch: missed events. */
  readonly missing?: number;
  readonly doubled?: number;
  /** Further remarks. */
  readonly note?: string;
  /** Peak memory as a multiple of the data, for much data. */
  readonly dataTimes?: number;
  /** The longest delay of another client during a hostile request, in milliseconds. */
  readonly stallMs?: number;
  /** CPU time of the longest turn of the server's event loop during a hostile request, in milliseconds. */
  readonly turnCpuMs?: number;
  /** Growth of memory, as a multiple of the hostile bodies in flight. */
  readonly bodyTimes?: number;
  /** Growth of memory for each definition, in mebibytes. */
  readonly mebibytesEach?: number;
  readonly goals: readonly Goal[];
}
