/** The health checks of the store: whether it answers, and whether it takes writes. */
import { reasonOf } from "../../core/reason-of.ts";
import { type Check, sharedCheck } from "../../health/mod.ts";
import type { Store } from "../store/store.ts";
import { type Faults, faultText } from "../store/fault.ts";

/** How long one look counts for all that ask. */
const keepMs = 1000;

/**
 * `alive` (etcd) reads a key; `usable` (etcd-readiness) also fails while the embedded store cannot be written, which a restart does not
 * change. Where a fault is known it is the reason. `elapsed` is in milliseconds and never goes back.
 */
export function storeChecks(store: Store, key: string, faults: Faults, elapsed: () => number): { alive: Check; usable: Check } {
  const known = () => faults.current.map(faultText).join("; ") || undefined;
  const read = async (signal: AbortSignal) => {
    try {
      await store.get(key, signal);
    } catch (error) {
      throw new Error(`error getting data from etcd: ${reasonOf(error)}`, { cause: error });
    }
  };
  const alive = sharedCheck("etcd", keepMs, elapsed, read), usable = sharedCheck("etcd-readiness", keepMs, elapsed, read);
  return {
    alive: { ...alive, cause: known },
    usable: {
      ...usable,
      cause: known,
      async check(signal) {
        const stops = faults.current.find(({ unready }) => unready === true);
        if (stops !== undefined) throw new Error(faultText(stops));
        await usable.check(signal);
      },
    },
  };
}
