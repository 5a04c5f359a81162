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

export interface Measured extends Rate {
  readonly name: string;
  /** The least that the same can cost; undefined where it was not measured. */
  readonly floor: Rate | undefined;
  readonly peakMiB: number;
  /** For a watch. */
  readonly missing?: number;
  readonly doubled?: number;
  /** What else there is to know. */
  readonly note?: string;
}
