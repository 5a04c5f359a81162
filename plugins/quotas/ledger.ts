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

/** Attempts to charge a quota that other servers change at the same time. */
const quotaTriesMax = bound(50);
/** Quotas of which a server remembers its own last write. */
const quotasRememberedMax = bound(1_000);

/** The reason to reject a write, or undefined. */
export type Verdict = string | undefined;

interface Waiter {
  readonly charge: Charge;
  readonly isDryRun: boolean;
  readonly server: AdmissionServer;
  readonly end: PromiseWithResolvers<Verdict>;
}

export class Ledger {
  /** Waiting writes by namespace. A namespace in the map has a worker. */
  readonly #waiting = new Map<string, Waiter[]>();
  /** Times at which charges were stored, in milliseconds of `performance.now()`. */
  readonly #charged = new WeakMap<Charge, number>();
  /** The last states that this server wrote: memory may be older. */
  readonly #written = new Map<string, ResourceQuota>();

  /** Resolves with the reason to reject the write, or undefined when it is charged. A dry run is checked and not charged. */
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
   * Takes a charge back whose write was not stored, so that a create of a name that exists does not use up the quota. Never rejects: the
   * controller counts again what is not taken back here. A charge that is older than half of the time after which usage is counted anew stays,
   * because the count may have left it out already.
   */
  async release(namespace: string, charge: Charge, server: AdmissionServer): Promise<void> {
    const since = this.#charged.get(charge);
    this.#charged.delete(charge);
    if (since === undefined || performance.now() - since > quotaSettleMs / 2) return;
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

  /** The next batch; undefined, and no worker any more, if nothing waits. */
  #take(namespace: string): readonly Waiter[] | undefined {
    const batch = this.#waiting.get(namespace) ?? [];
    if (batch.length === 0) this.#waiting.delete(namespace);
    else this.#waiting.set(namespace, []);
    return batch.length === 0 ? undefined : batch;
  }

  async #chargeAll(namespace: string, batch: readonly Waiter[]): Promise<void> {
    const { server } = batch[0]!; // a batch is not empty
    const rejected = await this.#attempt(await this.#recent(server, namespace), batch, undefined);
    // Memory may be older than a deletion or a higher limit.
    if (rejected.length > 0) await this.#attempt(await newestQuotas(server, namespace), rejected, "final");
  }

  /**
   * Charges a batch, and again after changes by other servers. Resolves with the writes that do not fit; `final`: they are rejected. Rejects
   * with the error of the last update if it fails.
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
          this.#charged.set(charge, performance.now());
          end.resolve(undefined);
        }
        return unfit;
      }
      // The other quotas have been charged already.
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

  /** The quotas from memory, or as this server has written them last. */
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

/** Adds the writes one after the other. */
function sum(quotas: readonly ResourceQuota[], batch: readonly Waiter[]): {
  readonly after: readonly ResourceQuota[];
  readonly accepted: readonly Waiter[];
  readonly rejected: readonly { readonly waiter: Waiter; readonly reason: string }[];
} {
  const accepted: Waiter[] = [], rejected: { waiter: Waiter; reason: string }[] = [];
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

/** As `chargeTo`. An error ends this write only, and the others of the batch go on: undefined. */
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
  const quotas = objects as readonly ResourceQuota[]; // of that resource
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
