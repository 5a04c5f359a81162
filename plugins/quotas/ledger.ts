/**
 * Charges the quotas of a server's namespaces. Writes of one namespace are charged together, so that a burst costs one update of each quota:
 *
 *     charge ──> waiting ──> batch ──> fits in all quotas ──> one update of each changed quota ──> admitted
 *                              ^  └──> does not fit: checked again with the newest quotas ──> rejected
 *                              └────── another server changed a quota: its newest state is charged again
 *
 * An update succeeds only for the newest state of a quota, so the usage never exceeds the limit, whichever server charges it.
 */
import { type ApiObject, StatusError } from "../../plugin.ts";
import { type AdmissionServer, sameAmounts } from "../../toolbox.ts";
import { type Charge, type Charged, chargeTo, releasedFrom } from "./charge.ts";
import type { ResourceQuota } from "./quota-schema.ts";
import { bound } from "../../core/bound.ts";
import { quotaSettleMs } from "./bounds.ts";

/** Maximum number of attempts to charge a quota that other servers change at the same time. */
const quotaTriesMax = bound(50);
/** Maximum number of quotas of which a server remembers its own last write. */
const quotasRememberedMax = bound(1_000);

/** The reason to reject a write; undefined if it fits. */
export type Verdict = string | StatusError | undefined;

interface Waiter {
  readonly charge: Charge;
  readonly isDryRun: boolean;
  readonly server: AdmissionServer;
  readonly end: PromiseWithResolvers<Verdict>;
}

export class Ledger {
  /** Waiting writes by namespace. Each namespace in the map has a worker that charges them. */
  readonly #waiting = new Map<string, Waiter[]>();
  /** Times at which charges were stored, in elapsed milliseconds. */
  readonly #charged = new WeakMap<Charge, number>();
  /** The last states that this server has written. The state in memory may be older. */
  readonly #written = new Map<string, ResourceQuota>();

  /** Resolves with the reason to reject the write, or with undefined when it is charged. A dry run is checked but not charged. */
  charge(namespace: string, charge: Charge, isDryRun: boolean, server: AdmissionServer): Promise<Verdict> {
    const end = Promise.withResolvers<Verdict>();
    const waiter = { charge, isDryRun, server, end };
    const waiting = this.#waiting.get(namespace);
    if (waiting !== undefined) waiting.push(waiter);
    else {
      this.#waiting.set(namespace, [waiter]);
      void this.#work(namespace);
    }
    return end.promise;
  }

  /**
   * Takes back the charge of a write that was not stored. Otherwise creates of a name that exists would use up the quota. Never rejects:
   * what is not taken back here is corrected by the controller's next count. A charge older than half of `quotaSettleMs` stays, because a
   * count may already have left it out.
   */
  async release(namespace: string, charge: Charge, server: AdmissionServer): Promise<void> {
    const since = this.#charged.get(charge);
    this.#charged.delete(charge);
    if (since === undefined || server.clock.elapsed() - since > quotaSettleMs / 2) return;
    try {
      let left: ReadonlySet<string> | undefined;
      for (let tries = 1; left?.size !== 0; tries++) {
        const newest = await newestQuotas(server, namespace);
        const before = newest.filter(({ metadata }) => left?.has(metadata.name ?? "") ?? true);
        left = await this.#update(server, before, before.map((quota) => releasedFrom(quota, charge)), tries);
      }
    } catch {
      // another writer changes the quota all the time, or the store has failed
    }
  }

  /** Charges the waiting writes of a namespace, batch by batch. Never rejects. */
  async #work(namespace: string): Promise<void> {
    for (let batch = this.#take(namespace); batch !== undefined; batch = this.#take(namespace)) {
      try {
        await this.#chargeAll(namespace, batch);
      } catch (error) {
        for (const { end } of batch) end.reject(error);
      }
    }
  }

  /** Takes the next batch. If nothing waits, returns undefined and removes the namespace, which ends its worker. */
  #take(namespace: string): readonly Waiter[] | undefined {
    const batch = this.#waiting.get(namespace) ?? [];
    if (batch.length === 0) this.#waiting.delete(namespace);
    else this.#waiting.set(namespace, []);
    return batch.length === 0 ? undefined : batch;
  }

  async #chargeAll(namespace: string, batch: readonly Waiter[]): Promise<void> {
    const { server } = batch[0]!; // a batch has at least one write
    const rejected = await this.#attempt(await this.#recent(server, namespace), batch, undefined);
    // The state in memory may be older than a deletion or a higher limit, so the newest quotas are read.
    if (rejected.length > 0) await this.#attempt(await newestQuotas(server, namespace), rejected, "final");
  }

  /**
   * Charges a batch, and charges it again after changes by other servers. Resolves with the writes that do not fit; if `final`, they have
   * been rejected. Rejects with the error of the last update if that fails.
   */
  async #attempt(quotas: readonly ResourceQuota[], batch: readonly Waiter[], final: "final" | undefined): Promise<readonly Waiter[]> {
    const unfit: Waiter[] = [];
    let fitting = batch, before = quotas;
    for (let tries = 1;; tries++) {
      const { after, accepted, rejected } = sum(before, fitting);
      for (const { waiter, reason } of rejected) {
        if (final || tries > 1) waiter.end.resolve(reason);
        else unfit.push(waiter);
      }
      const { server } = batch[0]!;
      const lost = await this.#update(server, before, after, tries);
      if (lost.size === 0) {
        for (const { end, charge } of accepted) {
          this.#charged.set(charge, server.clock.elapsed());
          end.resolve(undefined);
        }
        return unfit;
      }
      // The other quotas of the batch have been charged already.
      const newest = await newestQuotas(server, namespaceOf(quotas));
      before = newest.filter(({ metadata }) => lost.has(metadata.name ?? ""));
      fitting = accepted;
    }
  }

  /** Stores changed usage. Resolves with the names of quotas that others have changed. */
  async #update(
    server: AdmissionServer,
    before: readonly ResourceQuota[],
    after: readonly ResourceQuota[],
    tries: number,
  ): Promise<ReadonlySet<string>> {
    const lost = new Set<string>();
    for (const [i, quota] of after.entries()) {
      if (sameAmounts(quota.status.used, before[i]!.status.used)) continue;
      try {
        this.#remember(await server.updateStatus("v1", "resourcequotas", quota) as ResourceQuota);
      } catch (error) {
        const isLost = error instanceof StatusError && (error.reason === "Conflict" || error.reason === "NotFound");
        if (!isLost || tries >= quotaTriesMax) throw error;
        lost.add(quota.metadata.name ?? "");
      }
    }
    return lost;
  }

  /** Returns the quotas from memory. A quota that this server has written later is returned as it was written. */
  async #recent(server: AdmissionServer, namespace: string): Promise<readonly ResourceQuota[]> {
    const recent = inOrder(await server.recent("v1", "resourcequotas", namespace));
    return recent.map((quota) => {
      const key = keyOf(quota), written = this.#written.get(key);
      if (written !== undefined && revisionOf(written) > revisionOf(quota)) return written;
      this.#written.delete(key);
      return quota;
    });
  }

  #remember(quota: ResourceQuota): void {
    const key = keyOf(quota);
    this.#written.delete(key);
    this.#written.set(key, quota);
    const [oldest] = this.#written.keys();
    if (this.#written.size > quotasRememberedMax && oldest !== undefined) this.#written.delete(oldest);
  }
}

/** Adds the writes of a batch one after the other. */
function sum(quotas: readonly ResourceQuota[], batch: readonly Waiter[]): {
  readonly after: readonly ResourceQuota[];
  readonly accepted: readonly Waiter[];
  readonly rejected: readonly { readonly waiter: Waiter; readonly reason: Verdict }[];
} {
  const accepted: Waiter[] = [], rejected: { waiter: Waiter; reason: Verdict }[] = [];
  let after = quotas;
  for (const waiter of batch) {
    const result = tryCharge(after, waiter);
    if (result === undefined) continue;
    if ("refused" in result) rejected.push({ waiter, reason: result.refused });
    else {
      accepted.push(waiter);
      if (!waiter.isDryRun) after = result.quotas;
    }
  }
  return { after, accepted, rejected };
}

/** Does the same as `chargeTo`. An error ends this write only and returns undefined; the other writes of the batch go on. */
function tryCharge(quotas: readonly ResourceQuota[], { charge, end }: Waiter): Charged | undefined {
  try {
    return chargeTo(quotas, charge);
  } catch (error) {
    end.reject(error);
    return undefined;
  }
}

async function newestQuotas(server: AdmissionServer, namespace: string): Promise<readonly ResourceQuota[]> {
  return inOrder(await server.newest("v1", "resourcequotas", namespace));
}

function inOrder(objects: readonly ApiObject[]): readonly ResourceQuota[] {
  const quotas = objects as readonly ResourceQuota[]; // the objects are of this resource
  return quotas.toSorted((a, b) => (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1);
}

function namespaceOf([quota]: readonly ResourceQuota[]): string {
  return quota?.metadata.namespace ?? "";
}
function keyOf({ metadata }: ResourceQuota): string {
  return `${metadata.namespace}/${metadata.name}`;
}
function revisionOf({ metadata }: ResourceQuota): number {
  return Number(metadata.resourceVersion ?? 0);
}
