/** A client of a soak, and what it records. */
import type { Place } from "../../test/https.ts";

/** The server that a client talks to; its address stays through restarts. */
export interface Target extends Place {
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string;
  /** A file with the CA, in PEM. */
  readonly caFile: string;
  /** A folder for files of clients. */
  readonly folder: string;
  /** Multiplies all pauses of clients. */
  readonly pace: number;
}

export interface SoakClient {
  readonly name: string;
  /** The reason why it cannot run here, or undefined. */
  missing(): Promise<string | undefined>;
  /** Sends requests until the signal aborts, and then ends by itself. */
  run(target: Target, tally: Tally, signal: AbortSignal): Promise<void>;
}

/** A failed request. Those during a restart of the server are expected. */
export interface Failure {
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly text: string;
}

/** The report of a client in a process of its own. */
export interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  readonly failures: readonly Failure[];
}

/** What one client has done. */
export interface Tally {
  readonly counts: Map<string, number>;
  /** Violations, which no restart explains. */
  readonly faults: string[];
  readonly failures: Failure[];
  count(what: string, by?: number): void;
  fault(text: string): void;
  failed(what: string, error: unknown): void;
  add(report: Report): void;
}

/** Maximum failures and faults that are kept of a client. */
const keptMax = 1_000;

export function newTally(): Tally {
  const counts = new Map<string, number>(), faults: string[] = [], failures: Failure[] = [];
  const tally: Tally = {
    counts,
    faults,
    failures,
    count: (what, by = 1) => void counts.set(what, (counts.get(what) ?? 0) + by),
    fault(text) {
      if (faults.length < keptMax) faults.push(text);
    },
    failed(what, error) {
      tally.count("failures");
      if (failures.length < keptMax) failures.push({ at: Date.now(), text: `${what}: ${String(error)}`.slice(0, 500) });
    },
    add(report) {
      for (const [what, count] of Object.entries(report.counts)) tally.count(what, count);
      faults.push(...report.faults);
      failures.push(...report.failures);
    },
  };
  return tally;
}

/** Calls `attempt` again and again until the signal aborts; its failures are recorded. */
export async function repeat(
  { what, pauseMs, target, tally, signal }: {
    readonly what: string;
    readonly pauseMs: number;
    readonly target: Target;
    readonly tally: Tally;
    readonly signal: AbortSignal;
  },
  attempt: (turn: number) => Promise<void>,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    try {
      await attempt(turn);
    } catch (error) {
      tally.failed(what, error);
    }
    await pause(pauseMs * target.pace, signal);
  }
}

/** Resolves early when the signal aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    signal?.addEventListener("abort", over, { once: true });
  });
}

/** Resolves when the signal aborts. */
export function untilOver(signal: AbortSignal): Promise<void> {
  return pause(2 ** 31 - 1, signal);
}

/** Throws unless the condition holds. The caller records it as a failure. */
export function expect(condition: boolean, text: string): asserts condition {
  if (!condition) throw new Error(text);
}
