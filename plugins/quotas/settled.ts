/**
 * Knows when quotas were last charged. A create is charged before it is stored, so a count in between does not include it:
 *
 *     charge (used 3) ──> count (finds 2) ──> create is stored (3 exist)
 *
 * Storing the count would allow one object too many. Usage is lowered only when the last charge is so old that its create has been stored.
 */
import { compareQuantities } from "../../toolbox.ts";
import { amountIn, type Amounts } from "./amounts.ts";
import type { ResourceQuota } from "./quota-schema.ts";
import { quotaSettleMs } from "./bounds.ts";

interface Seen {
  readonly revision: number;
  readonly used: Amounts;
  /** Time at which this usage was first seen, in milliseconds. */
  readonly since: number;
}

export class Settled {
  readonly #now: () => number;
  readonly #seen = new Map<string, Seen>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a state of the quota. A state older than the last one has no effect. */
  see(key: string, { metadata, status }: ResourceQuota): void {
    const revision = Number(metadata.resourceVersion ?? 0), { used = {} } = status, before = this.#seen.get(key);
    if (before !== undefined && before.revision >= revision) return;
    const isCharged = before === undefined ||
      Object.keys(used).some((name) => compareQuantities(used[name]!, amountIn(before.used, name) ?? "0") > 0);
    this.#seen.set(key, { revision, used, since: isCharged ? this.#now() : before.since });
  }

  /** Returns the milliseconds until the last charge is old enough; 0 if it is. */
  remaining(key: string): number {
    const seen = this.#seen.get(key);
    return seen === undefined ? quotaSettleMs : Math.max(0, seen.since + quotaSettleMs - this.#now());
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
