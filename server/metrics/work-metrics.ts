/** Work queues of background work, under the names of upstream's workqueues: one queue per controller, with its name. */
import type { WorkMeter } from "../../core/work.ts";
import { defineMetric, type Recorder } from "../../metrics/mod.ts";

const labels = ["name"] as const;
const buckets = Array.from({ length: 10 }, (_, power) => 10 ** (power - 8));

export const workMetrics = Object.freeze({
  workAdds: defineMetric({
    name: "workqueue_adds_total",
    type: "counter",
    help: "Items added to the work queue.",
    labels,
    stability: "ALPHA",
  }),
  workDepth: defineMetric({
    name: "workqueue_depth",
    type: "gauge",
    help: "Items waiting in the work queue.",
    labels,
    stability: "ALPHA",
  }),
  workWaitSeconds: defineMetric({
    name: "workqueue_queue_duration_seconds",
    type: "histogram",
    help: "Time that items waited in the work queue, in seconds.",
    labels,
    buckets,
    stability: "ALPHA",
  }),
  workSeconds: defineMetric({
    name: "workqueue_work_duration_seconds",
    type: "histogram",
    help: "Processing time of items, in seconds.",
    labels,
    buckets,
    stability: "ALPHA",
  }),
  workRetries: defineMetric({
    name: "workqueue_retries_total",
    type: "counter",
    help: "Retries of items.",
    labels,
    stability: "ALPHA",
  }),
  workUnfinishedSeconds: defineMetric({
    name: "workqueue_unfinished_work_seconds",
    type: "gauge",
    help: "Total processing time so far of the items in progress, in seconds. A value that only grows indicates a stuck worker.",
    labels,
    stability: "ALPHA",
  }),
  workLongestSeconds: defineMetric({
    name: "workqueue_longest_running_processor_seconds",
    type: "gauge",
    combined: "max",
    help: "Longest processing time so far among the items in progress, in seconds.",
    labels,
    stability: "ALPHA",
  }),
});

export type WorkRecord = { readonly [Key in keyof typeof workMetrics]: Recorder<(typeof workMetrics)[Key]> };

/**
 * Meters by the names of their queues. A repeated name returns a new, empty meter: the work before is over. `update` refreshes gauges
 * before a scrape.
 */
export function workMeters(record: WorkRecord, now: () => number): { of(name: string): WorkMeter; update(): void } {
  const meters = new Map<string, ReturnType<typeof workMeter>>();
  return {
    of(name) {
      const made = workMeter(record, name, now);
      meters.set(name, made);
      return made.meter;
    },
    update() {
      for (const { update } of meters.values()) update();
    },
  };
}

/** The meter of a queue, and the function that refreshes its gauges before a scrape. `now` is in milliseconds and monotonic. */
export function workMeter(record: WorkRecord, name: string, now: () => number): { readonly meter: WorkMeter; readonly update: () => void } {
  const adds = record.workAdds.with({ name }), depth = record.workDepth.with({ name });
  const waits = record.workWaitSeconds.with({ name }), works = record.workSeconds.with({ name });
  const retries = record.workRetries.with({ name });
  const unfinished = record.workUnfinishedSeconds.with({ name }), longest = record.workLongestSeconds.with({ name });
  /** Start times of waiting items, and of items in progress. */
  const waiting = new Map<string, number>(), running = new Map<string, number>();
  depth.set(0);
  const meter: WorkMeter = {
    added(item) {
      if (waiting.has(item)) return;
      waiting.set(item, now());
      adds.add();
      depth.set(waiting.size);
    },
    started(item) {
      const since = waiting.get(item);
      if (since === undefined) return;
      waiting.delete(item);
      depth.set(waiting.size);
      waits.observe((now() - since) / 1000);
      running.set(item, now());
    },
    done(item, again = false) {
      const since = running.get(item);
      if (since === undefined) return;
      running.delete(item);
      works.observe((now() - since) / 1000);
      if (again) retries.add();
    },
    forgotten(item) {
      if (waiting.delete(item)) depth.set(waiting.size);
    },
  };
  return {
    meter,
    update() {
      const seconds = [...running.values()].map((since) => (now() - since) / 1000);
      unfinished.set(seconds.reduce((sum, each) => sum + each, 0));
      longest.set(seconds.reduce((most, each) => Math.max(most, each), 0));
    },
  };
}
