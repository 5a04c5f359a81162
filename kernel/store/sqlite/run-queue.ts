import type { Answers, Call, Outcome } from "./calls.ts";
import { type Revision, StoreError } from "../store.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of calls of one batch of the embedded store. */
const storeRunCallsMax = bound(512);
/** Maximum bytes of the calls of one batch of the embedded store. */
const storeRunBytesMax = bound(8 * 1024 * 1024);
/** Maximum number of calls that wait for the embedded store. */
const storeCallsWaitingMax = bound(65_536);

/** Queue of calls to the engine. */
export interface RunQueue {
  call<C extends Call>(call: C, signal?: AbortSignal): Promise<Answers[C["op"]]>;
  /** Resolves when no call runs or waits. */
  idle(): Promise<void>;
}

interface Waiting {
  readonly call: Call;
  readonly settle: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes a queue. Calls that arrive during a run form the next one, so a busy store has larger runs, and each run needs only one sync. A
 * call whose signal aborts while it waits is dropped. Calls reject with StoreError "unavailable" when a run fails or too many wait.
 */
export function runQueue(run: (calls: readonly Call[]) => Promise<readonly Outcome[]>): RunQueue {
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function runAll(): Promise<void> {
    await Promise.resolve(); // calls of the same microtask share the run
    while (waiting.length > 0) {
      const taken = waiting.slice(0, takeable(waiting));
      waiting = waiting.slice(taken.length);
      const wanted = taken.filter(({ signal }) => signal?.aborted !== true);
      try {
        const outcomes = await run(wanted.map(({ call }) => call));
        outcomes.forEach((outcome, index) => wanted[index]?.settle(outcome));
      } catch (error) {
        const failure = new StoreError("unavailable", `The store failed: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
        for (const { reject } of wanted) reject(failure);
      }
    }
    running = undefined;
  }

  return {
    call<C extends Call>(call: C, signal?: AbortSignal): Promise<Answers[C["op"]]> {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      if (waiting.length >= storeCallsWaitingMax) {
        return Promise.reject(new StoreError("unavailable", "Too many requests wait for the store"));
      }
      return new Promise((resolve, reject) => {
        const abort = (): void => reject(signal?.reason);
        signal?.addEventListener("abort", abort);
        const settle = (outcome: Outcome): void => {
          signal?.removeEventListener("abort", abort);
          if ("failure" in outcome) reject(new StoreError(outcome.failure.code, outcome.failure.message, present(outcome.failure)));
          else resolve(outcome.answer as Answers[C["op"]]); // the engine's answer has the type that belongs to the call
        };
        waiting.push({ call, settle, reject, signal });
        running ??= runAll();
      });
    },
    async idle() {
      while (running !== undefined) await running;
    },
  };
}

/** Returns the number of waiting calls that the next run takes. */
function takeable(waiting: readonly Waiting[]): number {
  let bytes = 0;
  let count = 0;
  for (const { call } of waiting) {
    if (call.op === "commit") bytes += call.change.value?.byteLength ?? 0;
    if (count > 0 && (count >= storeRunCallsMax || bytes > storeRunBytesMax)) break;
    count += 1;
  }
  return count;
}

function present(more: { oldest?: Revision | undefined; current?: Revision | undefined }): { oldest?: Revision; current?: Revision } {
  return {
    ...(more.oldest === undefined ? {} : { oldest: more.oldest }),
    ...(more.current === undefined ? {} : { current: more.current }),
  };
}
