import type { Clock } from "../../../core/async.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of keys that share one etcd lease. */
const leaseKeysMax = bound(1000);
/** Maximum number of seconds that a key may live longer than requested because it shares a lease. */
const leaseSlackSecondsMax = bound(60);

/** Leases shared by keys of similar expiry, as in kube-apiserver: one lease for up to a thousand events. */
export interface Leases {
  /** Returns the identifier of a lease that lasts at least `seconds`, and not much longer. */
  leaseFor(seconds: number): Promise<string>;
  /** Forgets a lease that the server no longer has. */
  forget(id: string): void;
}

const slackShare = 0.05;

/** @param grant requests a lease of `seconds` from the server and returns its identifier */
export function leasePool(grant: (seconds: number) => Promise<string>, clock: Clock): Leases {
  let shared:
    | { readonly granted: Promise<string>; readonly until: number; readonly slackMs: number; keys: number; id?: string }
    | undefined;

  function renew(seconds: number): Promise<string> {
    const slack = Math.min(Math.floor(seconds * slackShare), leaseSlackSecondsMax);
    const granted = grant(Math.ceil(seconds) + slack);
    const made: NonNullable<typeof shared> = { granted, until: clock.now() + (seconds + slack) * 1000, slackMs: slack * 1000, keys: 1 };
    shared = made;
    granted.then((id) => made.id = id, () => {
      if (shared === made) shared = undefined;
    });
    return granted;
  }

  return {
    async leaseFor(seconds) {
      const until = clock.now() + seconds * 1000;
      if (shared !== undefined && shared.keys < leaseKeysMax && shared.until >= until && shared.until <= until + shared.slackMs) {
        shared.keys += 1;
        return await shared.granted;
      }
      return await renew(seconds);
    },
    forget(id) {
      if (shared?.id === id) shared = undefined;
    },
  };
}
