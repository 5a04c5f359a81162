/** The building blocks of health checks: a constant, a switch, and a check with a shared result. */
import type { Check } from "./health.ts";

/** Always passes. It shows that the process can serve a request. */
export const ping: Check = Object.freeze({ name: "ping", check: () => Promise.resolve() });

/** A check and the two functions that set its result. */
export interface Switch {
  readonly check: Check;
  pass(): void;
  fail(): void;
}
/** A check that is switched by the caller. `passes` is its first state; while it fails, `reason` is the error's message. */
export function switchCheck(name: string, reason: string, passes: boolean): Switch {
  const state = { passes };
  return {
    check: {
      name,
      check: () => state.passes ? Promise.resolve() : Promise.reject(new Error(reason)),
    },
    pass: () => {
      state.passes = true;
    },
    fail: () => {
      state.passes = false;
    },
  };
}

/**
 * A check that shares one probe between concurrent callers and caches its result, so that frequent health requests cannot overload
 * the dependency.
 *
 * @param keepMs how long a result is reused, in milliseconds from the start of its probe
 * @param now the clock, in milliseconds
 * @param probe passes when it resolves. It gets the signal of the caller that started it; once that signal is aborted, the next call
 *   starts a new probe, so that a hung probe is not shared forever
 */
export function sharedCheck(name: string, keepMs: number, now: () => number, probe: (signal: AbortSignal) => Promise<void>): Check {
  let last: { readonly at: number; readonly result: Promise<void>; readonly signal: AbortSignal; done: boolean } | undefined;
  return {
    name,
    check(signal) {
      const holds = last !== undefined && (last.done ? now() - last.at < keepMs : !last.signal.aborted);
      if (last === undefined || !holds) {
        const begun = { at: now(), result: begin(probe, signal), signal, done: false };
        last = begun;
        const finish = () => void (begun.done = true);
        begun.result.then(finish, finish);
      }
      return last.result;
    },
  };
}

/** Turns an exception that `probe` throws synchronously into a rejection. */
async function begin(probe: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  await probe(signal);
}
