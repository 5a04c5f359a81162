/** Checks that every server has. */
import type { Check } from "./health.ts";

/** Always well: the process answers. */
export const ping: Check = Object.freeze({ name: "ping", check: () => Promise.resolve() });

/** A check that fails with `reason` until it is set to pass, or passes until it is set to fail. */
export interface Switch {
  readonly check: Check;
  pass(): void;
  fail(): void;
}
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
 * A check whose result holds for `keepMs` after it began, and that runs once however many ask at the same time: probes
 * cannot overload what they look at. One that outlives the signal it was started with is given up, so that a hung look
 * does not stand for ever. `now` gives milliseconds.
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

/** A look that throws before it gives a promise has failed like any other. */
async function begin(probe: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  await probe(signal);
}
