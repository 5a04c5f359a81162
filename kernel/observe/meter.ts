/** Metrics that verbs record while a request runs. */
import { type CounterSeries, defineMetric, type HistogramSeries, type Recorder } from "../../metrics/mod.ts";
import { declarativeMetrics } from "./declarative-metrics.ts";
import type { Tracing } from "./tracing.ts";
import type { Endpoint } from "../catalog/catalog.ts";

const stepBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

export const meterMetrics = Object.freeze({
  watchEvents: defineMetric({
    name: "apiserver_watch_events_total",
    type: "counter",
    help: "Events sent to watches.",
    labels: ["group", "resource", "version"],
    stability: "ALPHA",
  }),
  watchEventBytes: defineMetric({
    name: "apiserver_watch_events_sizes",
    type: "histogram",
    help: "Size of the events sent to watches, in bytes.",
    labels: ["group", "resource", "version"],
    buckets: Array.from({ length: 8 }, (_, power) => 1024 * 2 ** power),
    stability: "ALPHA",
  }),
  watchListSeconds: defineMetric({
    name: "apiserver_watch_list_duration_seconds",
    type: "histogram",
    help: "Time from a streaming list's arrival to the bookmark that ends its initial events, in seconds.",
    labels: ["group", "resource", "scope", "version"],
    buckets: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60],
    stability: "ALPHA",
  }),
  bodyBytes: defineMetric({
    name: "apiserver_request_body_size_bytes",
    type: "histogram",
    help: "Size of the request bodies of writes, in bytes, as received.",
    labels: ["group", "resource", "verb"],
    buckets: Array.from({ length: 31 }, (_, index) => 50_000 + 100_000 * index),
    stability: "ALPHA",
  }),
  admissionSeconds: defineMetric({
    name: "apiserver_admission_controller_admission_duration_seconds",
    type: "histogram",
    help: "Duration of one admission step in seconds, by step, operation, type (admit or validate) and rejection.",
    labels: ["name", "operation", "rejected", "type"],
    buckets: stepBuckets,
    stability: "STABLE",
  }),
  admissionStepSeconds: defineMetric({
    name: "apiserver_admission_step_admission_duration_seconds",
    type: "histogram",
    help: "Total duration of all admission steps of one type, in seconds.",
    labels: ["operation", "rejected", "type"],
    buckets: stepBuckets,
    stability: "STABLE",
  }),
});

const recorded = { ...meterMetrics, ...declarativeMetrics };
type MeterRecord = { readonly [Key in keyof typeof recorded]: Recorder<(typeof recorded)[Key]> };

/** What the rules in the tree of a kind did: they differed from its validation in code, or their evaluation failed. */
export type RuleOutcome = "mismatch" | "panic";

/** `admit` may change an object, `validate` may only reject it. */
export type AdmissionType = "admit" | "validate";

export interface Meter {
  /** Called at the start of a watch; the result is called for each frame sent. */
  watched(endpoint: Endpoint): (frameBytes: number) => void;
  /** A streaming list that began at `since` (`now()`) has sent its initial events. */
  watchListed(endpoint: Endpoint, scope: string, since: number): void;
  /** A body was read; `verb` as in request info. */
  received(endpoint: Endpoint, verb: string, bytes: number): void;
  /** One admission step is complete, or all steps of a type if `name` is undefined. Returns the time of its end. */
  admitted(name: string | undefined, type: AdmissionType, operation: string, rejected: boolean, since: number): number;
  ruled(outcome: RuleOutcome): void;
  /** Milliseconds, monotonic. */
  now(): number;
}

export function meterOf(record: MeterRecord, now: () => number, tracing?: Tracing): Meter {
  const kindOf = ({ group, version, plural }: Endpoint) => ({ group, version, resource: plural });
  const bodySeries = new WeakMap<Endpoint, Map<string, HistogramSeries>>();
  /** Of all watches of an endpoint: an event to a thousand of them would read a thousand copies from memory. */
  const watchedSeries = new WeakMap<Endpoint, (frameBytes: number) => void>();
  /** The series of admission steps, by name, operation, type and rejection. */
  const stepSeries = new Map<string | undefined, Map<string, (HistogramSeries | undefined)[]>>();
  const stepsOf = (name: string | undefined, type: AdmissionType, operation: string, rejected: boolean): HistogramSeries => {
    let ofName = stepSeries.get(name);
    if (ofName === undefined) stepSeries.set(name, ofName = new Map());
    let all = ofName.get(operation);
    if (all === undefined) ofName.set(operation, all = [undefined, undefined, undefined, undefined]);
    const at = (type === "admit" ? 0 : 2) + (rejected ? 1 : 0), known = all[at];
    if (known !== undefined) return known;
    const labels = { type, operation, rejected: String(rejected) };
    return all[at] = name === undefined ? record.admissionStepSeconds.with(labels) : record.admissionSeconds.with({ ...labels, name });
  };
  /** The series of bodies: looked up by text once for each kind and verb. */
  const bodiesOf = (endpoint: Endpoint, verb: string): HistogramSeries => {
    const known = bodySeries.get(endpoint) ?? new Map<string, HistogramSeries>();
    const found = known.get(verb);
    if (found !== undefined) return found;
    bodySeries.set(endpoint, known);
    const made = record.bodyBytes.with({ group: endpoint.group, resource: endpoint.plural, verb });
    known.set(verb, made);
    return made;
  };
  return {
    now,
    watched(endpoint) {
      const known = watchedSeries.get(endpoint);
      if (known !== undefined) return known;
      // Looked up at the first frame and kept for the next ones.
      let counted: { readonly events: CounterSeries; readonly bytes: HistogramSeries } | undefined;
      const count = (bytes: number): void => {
        if (counted === undefined) {
          const labels = kindOf(endpoint);
          counted = { events: record.watchEvents.with(labels), bytes: record.watchEventBytes.with(labels) };
        }
        counted.events.add();
        counted.bytes.observe(bytes);
      };
      watchedSeries.set(endpoint, count);
      return count;
    },
    watchListed: (endpoint, scope, since) => record.watchListSeconds.with({ ...kindOf(endpoint), scope }).observe((now() - since) / 1000),
    received: (endpoint, verb, bytes) => bodiesOf(endpoint, verb).observe(bytes),
    admitted(name, type, operation, rejected, since) {
      const ended = now();
      stepsOf(name, type, operation, rejected).observe((ended - since) / 1000);
      if (name === undefined) tracing?.part({ name: `admission ${type}`, begun: since, ended, attributes: { operation, rejected } });
      return ended;
    },
    ruled: (outcome) => (outcome === "mismatch" ? record.declarativeMismatches : record.declarativePanics).with({}).add(),
  };
}
