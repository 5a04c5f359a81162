/** What a scenario comes to. */

export type StoreName = "sqlite" | "etcd";

export interface Rate {
  readonly requests: number;
  readonly failed: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of the measured process, for one request; for a watch, for one delivered event. */
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
  /** The least that the same can cost; undefined where it was not measured. */
  readonly floor: Rate | undefined;
  /** Of writes: a bare server of HTTPS that parses the same body, puts it into the store and answers. */
  readonly handler?: Rate;
  readonly peakMiB: number;
  /** For a watch. */
  readonly missing?: number;
  readonly doubled?: number;
  /** What else there is to know. */
  readonly note?: string;
  /** The most memory, as a multiple of the data, where there is much data. */
  readonly dataTimes?: number;
  /** The longest wait of another client beside a hostile request, in milliseconds. */
  readonly stallMs?: number;
  /** Growth of memory, as a multiple of the hostile bodies in flight. */
  readonly bodyTimes?: number;
  readonly goals: readonly Goal[];
}
