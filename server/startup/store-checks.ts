/** The health checks of the store: reads and writes. */
import { reasonOf } from "../../core/reason-of.ts";
import { type Check, sharedCheck } from "../../health/mod.ts";
import type { Store } from "../../kernel/store/store.ts";
import { type Faults, faultText } from "../../kernel/store/fault.ts";

/** Milliseconds for which one result is shared by all requests. */
const keepMs = 1000;

/**
 * `alive` (etcd) reads a key; `usable` (etcd-readiness) also fails while the embedded store is read-only, which a restart does not change.
 * The reason is the store's fault if known. `elapsed` is in milliseconds and monotonic.
 */
export function storeChecks(
  store: Store,
  key: string,
  faults: Pick<Faults, "current">,
  elapsed: () => number,
): { alive: Check; usable: Check } {
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
