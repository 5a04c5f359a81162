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
 * A check whose result holds for `keepMs`, and that runs once however many ask at the same time: probes cannot overload
 * what they look at. `now` gives milliseconds.
 */
export function sharedCheck(name: string, keepMs: number, now: () => number, probe: (signal: AbortSignal) => Promise<void>): Check {
  let last: { readonly at: number; readonly result: Promise<void> } | undefined;
  return {
    name,
    check(signal) {
      if (last === undefined || now() - last.at >= keepMs) last = { at: now(), result: probe(signal) };
      return last.result;
    },
  };
}
