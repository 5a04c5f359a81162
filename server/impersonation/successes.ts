/** Remembers successful impersonations for a short time. */
import { bound } from "../../core/bound.ts";

/** Milliseconds for which a successful impersonation is remembered (upstream: ten seconds). A right that is taken away ends within that time. */
export const impersonatedMs = bound(10_000);
/** Successful impersonations that are remembered. The oldest is forgotten first. */
export const impersonationsMax = bound(10_000);

export interface Successes<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** `now`: milliseconds, never decreasing. Without `keptMs` values are kept until others take their place. */
export function successes<T>(now: () => number, keptMs: number = impersonatedMs): Successes<T> {
  const kept = new Map<string, { readonly value: T; readonly until: number }>();
  return {
    get(key) {
      const found = kept.get(key);
      if (found === undefined || found.until > now()) return found?.value;
      kept.delete(key);
      return undefined;
    },
    set(key, value) {
      kept.delete(key);
      const [oldest] = kept.keys();
      if (kept.size >= impersonationsMax && oldest !== undefined) kept.delete(oldest);
      kept.set(key, { value, until: now() + keptMs });
    },
  };
}
