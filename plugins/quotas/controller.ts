/**
 * Keeps the status of quotas up to date (upstream: pkg/controller/resourcequota). Writes are charged by admission; this controller sets the
 * limits in force, and counts the objects again that a quota limits:
 *
 *     a new quota, or changed limits ───────────────┐
 *     a deleted object, a changed claim ────────────┼──> count all objects of the namespace ──> write the status
 *     every `quotaResyncMs` ─────────────────┘
 *
 * Only the collections that quotas limit are watched: in the namespaces of these quotas, or in all of them if there are many.
 */
import { type Controller, type ControllerContext, objectKey, runWorkQueue, splitObjectKey, StatusError } from "../../plugin.ts";
import { pause, sameValue, systemClock, type WorkQueue } from "../../toolbox.ts";
import { collectionKey, Interests } from "./interests.ts";
import type { ResourceQuota } from "./quota-schema.ts";
import { recalculate } from "./recalculate.ts";
import { type Counted, countedCollections } from "./resources.ts";
import { Settled } from "./settled.ts";
import { bound } from "../../core/bound.ts";
import { controllerPassesMax } from "../shared/bounds.ts";
import { quotaSettleMs } from "./bounds.ts";

/** Milliseconds between two recalculations of all quotas. */
const quotaResyncMs = bound(300_000);
/** Number of namespaces with quotas of a resource above which one watch of all namespaces replaces a watch for each. */
const quotaNamespaceWatchesMax = bound(50);

export const quotaController: Controller = Object.freeze<Controller>({
  name: "resourcequota",
  serviceAccount: "resourcequota-controller",
  fieldManager: "kube-controller-manager",
  needs: [{ resource: "resourcequotas", groupVersions: ["v1"] }],
  async run(context, signal) {
    const settled = new Settled(context.clock.elapsed);
    let following: Following | undefined;
    const work = async (key: string, queue: WorkQueue) => {
      const { namespace, name } = splitObjectKey(key);
      const counted = following?.counted ?? [];
      const isSettled = (quota: ResourceQuota) => {
        settled.see(key, quota);
        return settled.remaining(key) === 0;
      };
      try {
        const outcome = await recalculate(namespace, name, { api: context.api, names: context.names, counted, isSettled });
        if (outcome === "unsettled") queue.addAfter(key, Math.max(1, settled.remaining(key)));
      } catch (error) {
        // A write has charged the quota at the same time. The objects are counted again, with the usage that this write has left.
        if (!(error instanceof StatusError && error.reason === "Conflict")) throw error;
        queue.retry(key);
      }
    };
    await runWorkQueue({ context, signal, work, workers: controllerPassesMax }, async (queue, until) => {
      following = new Following(context, queue, settled, until);
      await following.run();
    });
  },
});

/** Shortest and longest pause, in milliseconds, before a kind that cannot be watched is tried again. */
const retryMsMin = 100, retryMsMax = 30_000;

/** Follows quotas and the collections that they limit. */
class Following {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #settled: Settled;
  readonly #until: AbortSignal;
  /** Its signal aborts with the error that ends all watches. */
  readonly #failed = new AbortController();
  readonly #quotas = new Map<string, ResourceQuota>();
  /** Open watches of collections, by collection and namespace. */
  readonly #watches = new Map<string, Map<string, AbortController>>();
  readonly #ended = new Set<Promise<void>>();
  #interests = new Interests([]);
  /** Whether the served collections have changed since they were read. They are read again only when a quota needs them. */
  #isStale = false;
  counted: readonly Counted[] = [];

  constructor(context: ControllerContext, queue: WorkQueue, settled: Settled, until: AbortSignal) {
    this.#context = context;
    this.#queue = queue;
    this.#settled = settled;
    this.#until = AbortSignal.any([until, this.#failed.signal]);
  }

  /** Resolves after the signal aborts. Rejects with the error of a watch. */
  async run(): Promise<void> {
    const ends = [this.#followCollections(), this.#followQuotas(), this.#resync()].map((each) =>
      each.catch((error) => this.#failed.abort(error))
    );
    try {
      await Promise.all(ends);
    } finally {
      await Promise.all(this.#ended);
    }
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason;
  }

  async #resync(): Promise<void> {
    for (;;) {
      await pause(quotaResyncMs, this.#until, this.#context.clock);
      if (this.#until.aborted) return;
      this.#quotas.forEach((_quota, key) => this.#queue.add(key));
    }
  }

  async #followCollections(): Promise<void> {
    for await (const _all of this.#context.api.followCollections("watch", this.#until)) {
      this.#isStale = true;
      if (this.#quotas.size > 0) this.#renew();
    }
  }

  /** Reads the served collections, and follows them. */
  #renew(): void {
    const { api, clock, names, gates = () => false } = this.#context;
    this.#isStale = false;
    this.counted = countedCollections(api, names, gates, clock.now);
    this.#interests = new Interests(this.counted);
    for (const [key, { metadata, spec }] of this.#quotas) this.#interests.set(key, metadata.namespace ?? "", spec);
    const keys = new Set(this.counted.map(collectionKey));
    for (const [collection, watches] of this.#watches) {
      if (keys.has(collection)) continue;
      for (const watch of watches.values()) watch.abort();
      this.#watches.delete(collection);
    }
    for (const counted of this.counted) this.#watchNamespaces(counted);
  }

  async #followQuotas(): Promise<void> {
    for await (const { type, object } of this.#context.api.watch("v1", "resourcequotas", "", {}, this.#until)) {
      const key = objectKey(object), namespace = object.metadata.namespace ?? "";
      const quota = type === "DELETED" ? undefined : object as ResourceQuota; // the watch is of this resource
      const before = this.#quotas.get(key);
      if (quota === undefined) {
        this.#quotas.delete(key);
        this.#settled.forget(key);
      } else {
        this.#quotas.set(key, quota);
        this.#settled.see(key, quota);
        if (this.#isStale) this.#renew();
      }
      // The event shows another status only, as after each charge.
      if (before !== undefined && quota !== undefined && sameValue(before.spec, quota.spec)) continue;
      for (const counted of this.#interests.set(key, namespace, quota?.spec)) this.#watchNamespaces(counted);
      if (quota === undefined) continue;
      this.#queue.add(key);
      // The objects are counted once more, for creates that began before the limits were in force.
      this.#queue.addAfter(key, quotaSettleMs);
    }
  }

  /** Starts and ends watches of a collection, so that all namespaces with quotas of it are watched. */
  #watchNamespaces(counted: Counted): void {
    const key = collectionKey(counted), namespaces = [...this.#interests.of(counted).keys()];
    const wanted = new Set(namespaces.length > quotaNamespaceWatchesMax ? [""] : namespaces);
    const watches = this.#watches.get(key) ?? new Map<string, AbortController>();
    this.#watches.set(key, watches);
    for (const [namespace, watch] of watches) {
      if (wanted.has(namespace)) continue;
      watch.abort();
      watches.delete(namespace);
    }
    for (const namespace of wanted) {
      if (watches.has(namespace)) continue;
      const ending = new AbortController();
      watches.set(namespace, ending);
      const ended = this.#keepWatching(counted, namespace, AbortSignal.any([this.#until, ending.signal])).finally(() => {
        this.#ended.delete(ended);
        if (watches.get(namespace) === ending) watches.delete(namespace);
      });
      this.#ended.add(ended);
    }
  }

  /**
   * Watches until the kind is no longer served, or the signal aborts. A kind that cannot be read, for instance because its conversion webhook
   * is down, is tried again after a pause, and the usage of the others is still counted. Never rejects.
   */
  async #keepWatching(counted: Counted, namespace: string, signal: AbortSignal): Promise<void> {
    const { collection: { groupVersion, resource } } = counted;
    for (let pauseMs = retryMsMin; !signal.aborted; pauseMs = Math.min(pauseMs * 2, retryMsMax)) {
      try {
        await this.#watch(counted, namespace, signal, () => pauseMs = retryMsMin);
      } catch (error) {
        // `#followCollections` ends the watches of such a kind.
        if (error instanceof StatusError && error.reason === "NotFound") return;
        if (signal.aborted) return;
        if (pauseMs === retryMsMin) {
          this.#context.logError(
            `${resource} of ${groupVersion} cannot be watched for quotas: it is tried again, other kinds go on`,
            error,
          );
        }
        await pause(pauseMs, signal, systemClock);
      }
    }
  }

  async #watch(counted: Counted, namespace: string, signal: AbortSignal, begun: () => void): Promise<void> {
    const { collection: { groupVersion, resource }, usage } = counted;
    const addAll = (within: string) => this.#interests.of(counted).get(within)?.forEach((key) => this.#queue.add(key));
    const synced = () => {
      begun();
      if (namespace === "") this.#interests.of(counted).forEach((_keys, each) => addAll(each));
      else addAll(namespace);
    };
    const watchScope = usage.isCount ? "owned" : "everything";
    for await (const { type, object } of this.#context.api.watch(groupVersion, resource, namespace, {}, signal, watchScope, synced)) {
      if (type === "DELETED" || (type === "MODIFIED" && !usage.isCount)) addAll(object.metadata.namespace ?? "");
    }
  }
}
