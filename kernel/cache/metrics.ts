/** Metrics of the cache, under the names of kube-apiserver's dashboards. */
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
    help: "Number of times the watch cache of a resource was filled.",
  }),
  received: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_events_received_total",
    type: "counter",
    help: "Events received by the watch cache from the store.",
  }),
  dispatched: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_events_dispatched_total",
    type: "counter",
    help: "Events passed from the watch cache to watches. An event counts once for any number of watches.",
  }),
  initEvents: defineMetric({
    ...alpha,
    name: "apiserver_init_events_total",
    type: "counter",
    help: "Initial objects and events sent at the start of watches.",
  }),
  revision: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_resource_version",
    type: "gauge",
    combined: "min",
    help: "Current resourceVersion of the watch cache of a resource.",
  }),
  consistentReads: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_consistent_read_total",
    type: "counter",
    help: "Consistent reads through the watch cache, by success and by fallback to the store.",
    labels: ["fallback", "group", "resource", "success"],
  }),
  readWait: defineMetric({
    ...alpha,
    name: "apiserver_watch_cache_read_wait_seconds",
    type: "histogram",
    help: "Time that reads waited for the watch cache to reach their revision, in seconds.",
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3],
  }),
  lists: defineMetric({
    ...alpha,
    name: "apiserver_cache_list_total",
    type: "counter",
    help: "Lists answered from the watch cache; each chunk of a list counts.",
    labels: ["group", "index", "resource"],
  }),
  listFetched: defineMetric({
    ...alpha,
    name: "apiserver_cache_list_fetched_objects_total",
    type: "counter",
    help: "Objects evaluated by lists from the watch cache.",
    labels: ["group", "index", "resource"],
  }),
  listReturned: defineMetric({
    ...alpha,
    name: "apiserver_cache_list_returned_objects_total",
    type: "counter",
    help: "Objects returned by lists from the watch cache.",
  }),
  storeEvaluated: defineMetric({
    ...alpha,
    name: "apiserver_storage_list_evaluated_objects_total",
    type: "counter",
    help: "Objects evaluated by lists from the store, matching or not.",
  }),
  storeReturned: defineMetric({
    ...alpha,
    name: "apiserver_storage_list_returned_objects_total",
    type: "counter",
    help: "Objects returned by lists from the store.",
  }),
  capacity: defineMetric({
    ...alpha,
    name: "watch_cache_capacity",
    type: "gauge",
    combined: "max",
    help: "Capacity of the watch cache of a resource, in events; it doubles when exceeded and halves when mostly free.",
  }),
  capacityUp: defineMetric({
    ...alpha,
    name: "watch_cache_capacity_increase_total",
    type: "counter",
    help: "Increases of the capacity of the watch cache of a resource.",
  }),
  capacityDown: defineMetric({
    ...alpha,
    name: "watch_cache_capacity_decrease_total",
    type: "counter",
    help: "Decreases of the capacity of the watch cache of a resource.",
  }),
  terminated: defineMetric({
    ...alpha,
    name: "apiserver_terminated_watchers_total",
    type: "counter",
    help: "Watches closed because the client was too slow.",
  }),
  checks: defineMetric({
    ...alpha,
    name: "apiserver_storage_consistency_checks_total",
    type: "counter",
    help: "Comparisons of the watch cache with the store, by result.",
    labels: ["group", "resource", "status"],
  }),
  undecodable: defineMetric({
    ...alpha,
    name: "apiserver_storage_decode_errors_total",
    type: "counter",
    help: "Stored objects that failed to decode in the watch cache.",
  }),
  fillSeconds: defineMetric({
    ...alpha,
    name: "thole_watch_cache_fill_seconds",
    type: "gauge",
    combined: "max",
    help: "Time of the last fill of the watch cache of a resource from the store, in seconds. The resources are read one after the other.",
  }),
  fillObjects: defineMetric({
    ...alpha,
    name: "thole_watch_cache_fill_objects",
    type: "gauge",
    combined: "max",
    help: "Objects that the last fill of the watch cache of a resource has read from the store.",
  }),
  blocks: defineMetric({
    ...alpha,
    name: "thole_compressed_list_blocks_total",
    type: "counter",
    help: "Blocks of compressed lists from the watch cache, by whether their compressed bytes were kept from an earlier list.",
    labels: ["group", "kept", "resource"],
  }),
  blockBytes: defineMetric({
    name: "thole_compressed_list_kept_bytes",
    type: "gauge",
    stability: "ALPHA",
    help: "Memory of the compressed blocks of lists that are kept for later lists, in bytes.",
    labels: [],
  }),
});

export type CacheRecord = { readonly [Key in keyof typeof cacheMetrics]: Recorder<(typeof cacheMetrics)[Key]> };

/**
 * The result of comparing a kind with the store. `failure`: the cache differs and is filled again. `error`: the store could not be read.
 */
export type Checked = "success" | "failure" | "error";

/** Records the metrics of one kind. */
export interface CacheMeter {
  filled(): void;
  /** Called when a fill has read `objects` objects from the store in `ms` milliseconds. */
  read(objects: number, ms: number): void;
  received(events: number): void;
  dispatched(events: number): void;
  /** Called when a watch begins with this number of objects or earlier events. */
  began(events: number): void;
  reached(revision: Revision): void;
  /** Called when a read of the newest state has ended. `fallback`: the store has answered it. */
  readNewest(success: boolean, fallback: boolean): void;
  waited(ms: number): void;
  /** Called for a list from the cache, with the numbers of objects evaluated and returned. */
  listed(fetched: number, returned: number): void;
  /** Called for a list from the store, with the numbers of objects evaluated and returned. */
  listedStore(evaluated: number, returned: number): void;
  /** Called when the capacity of the event ring changes. Both numbers are events. */
  resized(before: number, now: number): void;
  slow(): void;
  /** Called for each block of a compressed list that is sent. `isKept`: its compressed bytes are from an earlier list. */
  sentBlock(this: void, isKept: boolean): void;
  checked(how: Checked): void;
  undecodable(): void;
}

export function cacheMeter(record: CacheRecord, { group, plural }: Pick<StoredKind, "group" | "plural">): CacheMeter {
  const kind = Object.freeze({ group, resource: plural });
  // Upstream labels lists with the index that served them. This cache has keys only, so the label is empty.
  const indexed = Object.freeze({ ...kind, index: "" });
  const newest = Object.freeze({ ...kind, success: "true", fallback: "false" });
  const kept = Object.freeze({ ...kind, kept: "true" }), compressed = Object.freeze({ ...kind, kept: "false" });
  return {
    filled: () => record.initializations.with(kind).add(),
    read(objects, ms) {
      record.fillSeconds.with(kind).set(ms / 1000);
      record.fillObjects.with(kind).set(objects);
    },
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
    sentBlock: (isKept) => record.blocks.with(isKept ? kept : compressed).add(),
    checked: (status) => record.checks.with({ ...kind, status }).add(),
    undecodable: () => record.undecodable.with(kind).add(),
  };
}
