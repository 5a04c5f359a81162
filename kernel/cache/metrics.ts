/** What the cache tells the metrics, under the names that dashboards for kube-apiserver know. */
import { defineMetric, type Recorder } from "../../metrics/mod.ts";
import type { StoredKind } from "../catalog/catalog.ts";
import type { Revision } from "../store/store.ts";

const labels = ["group", "resource"] as const;
const alpha = { labels, stability: "ALPHA" } as const;

export const cacheMetrics = Object.freeze({
  initializations: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_initializations_total",
    type: "counter",
    help: "Times that the watch cache of a resource was filled.",
  }),
  received: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_events_received_total",
    type: "counter",
    help: "Changes that the watch cache has heard of from the store.",
  }),
  dispatched: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_events_dispatched_total",
    type: "counter",
    help: "Changes that the watch cache has handed on to watches, each counted once however many watches there are.",
  }),
  initEvents: defineMetric({
    ...alpha,
    name: "apiserver_init_events_total",
    type: "counter",
    help: "Objects and earlier changes that watches were given to begin with.",
  }),
  revision: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_resource_version",
    type: "gauge",
    help: "The resourceVersion up to which the watch cache of a resource holds everything.",
  }),
  consistentReads: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_consistent_read_total",
    type: "counter",
    help: "Reads of the newest state that the watch cache was to answer, and whether they were answered, and by the store instead.",
    labels: ["fallback", "group", "resource", "success"],
  }),
  readWait: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_read_wait_seconds",
    type: "histogram",
    help: "Time that reads waited for the watch cache to be as new as they asked for, in seconds.",
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3],
  }),
  lists: defineMetric({
    ...alpha,
    name: "apiserver_cache_list_total",
    type: "counter",
    help: "Lists answered from the watch cache, each chunk of a chunked one by itself.",
    labels: ["group", "index", "resource"],
  }),
  listFetched: defineMetric({
    ...alpha,
    name: "apiserver_cache_list_fetched_objects_total",
    type: "counter",
    help: "Objects that lists from the watch cache have looked at.",
    labels: ["group", "index", "resource"],
  }),
  listReturned: defineMetric({
    ...alpha,
    name: "apiserver_cache_list_returned_objects_total",
    type: "counter",
    help: "Objects that lists from the watch cache have answered with.",
  }),
  storeEvaluated: defineMetric({
    ...alpha,
    name: "apiserver_storage_list_evaluated_objects_total",
    type: "counter",
    help: "Objects that lists from the store have looked at, whether selectors let them through or not.",
  }),
  storeReturned: defineMetric({
    ...alpha,
    name: "apiserver_storage_list_returned_objects_total",
    type: "counter",
    help: "Objects that lists from the store have answered with.",
  }),
  capacity: defineMetric({
    ...alpha,
    name: "watch_cache_capacity",
    type: "gauge",
    help: "Changes that the watch cache of a resource has room for; it grows and shrinks by half or double with what it remembers.",
  }),
  capacityUp: defineMetric({
    ...alpha,
    name: "watch_cache_capacity_increase_total",
    type: "counter",
    help: "Times that the watch cache of a resource made more room for changes.",
  }),
  capacityDown: defineMetric({
    ...alpha,
    name: "watch_cache_capacity_decrease_total",
    type: "counter",
    help: "Times that the watch cache of a resource gave room for changes back.",
  }),
  terminated: defineMetric({
    ...alpha,
    name: "apiserver_terminated_watchers_total",
    type: "counter",
    help: "Watches that were closed because they did not keep up.",
  }),
  checks: defineMetric({
    ...alpha,
    name: "apiserver_storage_consistency_checks_total",
    type: "counter",
    help: "Comparisons of the watch cache with the store, by what came out.",
    labels: ["group", "resource", "status"],
  }),
  undecodable: defineMetric({
    ...alpha,
    name: "apiserver_storage_decode_errors_total",
    type: "counter",
    help: "Stored objects that could not be read into the watch cache.",
  }),
});

export type CacheRecord = { readonly [Key in keyof typeof cacheMetrics]: Recorder<(typeof cacheMetrics)[Key]> };

/** What came of a comparison with the store. `failure`: the cache differs, and is filled anew; `error`: the store could not be asked. */
export type Checked = "success" | "failure" | "error";

/** What is recorded of one kind. */
export interface CacheMeter {
  filled(): void;
  received(events: number): void;
  dispatched(events: number): void;
  /** A watch was given so many objects or earlier changes to begin with. */
  began(events: number): void;
  reached(revision: Revision): void;
  /** `fallback`: the store was asked instead. */
  readNewest(success: boolean, fallback: boolean): void;
  waited(ms: number): void;
  /** Objects that were looked at, and those of them that were answered with. */
  listed(fetched: number, returned: number): void;
  /** The same of a list from the store. */
  listedStore(evaluated: number, returned: number): void;
  /** Room for changes, before and now. */
  resized(before: number, now: number): void;
  slow(): void;
  checked(how: Checked): void;
  undecodable(): void;
}

export function cacheMeter(record: CacheRecord, { group, plural }: Pick<StoredKind, "group" | "plural">): CacheMeter {
  const kind = Object.freeze({ group, resource: plural });
  // Upstream tells lists by the index that they were found with; keys are the only one here.
  const indexed = Object.freeze({ ...kind, index: "" });
  const newest = Object.freeze({ ...kind, success: "true", fallback: "false" });
  return {
    filled: () => record.initializations.with(kind).add(),
    received: (events) => record.received.with(kind).add(events),
    dispatched: (events) => record.dispatched.with(kind).add(events),
    began: (events) => record.initEvents.with(kind).add(events),
    reached: (revision) => record.revision.with(kind).set(revision),
    readNewest: (success, fallback) =>
      record.consistentReads.with(success && !fallback ? newest : { ...kind, success: `${success}`, fallback: `${fallback}` }).add(),
    waited: (ms) => record.readWait.with(kind).observe(ms / 1000),
    listed(fetched, returned) {
      record.lists.with(indexed).add();
      record.listFetched.with(indexed).add(fetched);
      record.listReturned.with(kind).add(returned);
    },
    listedStore(evaluated, returned) {
      record.storeEvaluated.with(kind).add(evaluated);
      record.storeReturned.with(kind).add(returned);
    },
    resized(before, now) {
      record.capacity.with(kind).set(now);
      if (now > before) record.capacityUp.with(kind).add();
      if (now < before) record.capacityDown.with(kind).add();
    },
    slow: () => record.terminated.with(kind).add(),
    checked: (status) => record.checks.with({ ...kind, status }).add(),
    undecodable: () => record.undecodable.with(kind).add(),
  };
}
