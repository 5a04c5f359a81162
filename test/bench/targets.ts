/** What kube-apiserver 1.36 on etcd needs on a machine of two cores, and how far below that we want to be. */
export interface Target {
  /** Milliseconds of the server's CPU for one request. */
  readonly upstreamCpuMs: number;
  /** Ours should be at most this share of it. */
  readonly share: number;
}

export const targets: Readonly<Record<string, Target>> = Object.freeze({
  "get": { upstreamCpuMs: 0.35, share: 1 / 3 },
  "page of 500": { upstreamCpuMs: 8.8, share: 1 / 4 },
  "list of 10,000": { upstreamCpuMs: 121, share: 1 / 4 },
  "create": { upstreamCpuMs: 0.74, share: 1 / 2 },
  "update": { upstreamCpuMs: 1.22, share: 1 / 2 },
  // Events of 1 kB for a second of CPU: 28,000 and 42,000; at least twice as many.
  "watch, 100 watchers": { upstreamCpuMs: 1000 / 28_000, share: 1 / 2 },
  "watch, 1,000 watchers": { upstreamCpuMs: 1000 / 42_000, share: 1 / 2 },
});

/** Seconds from the start of the process to ready. */
export const readySecondsMax = 0.6;
/** Resident memory of a server that has nothing to do. */
export const idleMiBMax = 100;
