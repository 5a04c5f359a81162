/** The state of the server that the page shows, from the text of a scrape and the catalog. */
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { bucketsOf, quantileOf, type Sample, samplesOf, since, sumOf } from "../metrics/samples.ts";
import { bound } from "../../core/bound.ts";

/** Kinds that the status page shows. */
const shownKindsMax = bound(300);

/** Requests of one verb. Times in seconds. */
export interface VerbState {
  readonly verb: string;
  readonly perSecond: number;
  readonly median: number | undefined;
  readonly p99: number | undefined;
  /** Since the start. */
  readonly total: number;
  readonly failed: number;
}

export interface KindState {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Stored objects at the last count; undefined for kinds that are not stored or not counted yet. */
  readonly objects: number | undefined;
  readonly watches: number;
}

/** A controller of this server. */
export interface ControllerRow {
  readonly name: string;
  /** `waiting`: another server leads. `failed`: it starts again after a pause. `unserved`: a resource that it needs is not served. `off`: its gate is off. */
  readonly doing: "starting" | "running" | "waiting" | "failed" | "unserved" | "off";
  /** Since the start of the server. */
  readonly failures: number;
}
export interface ControllerState extends ControllerRow {
  /** Undefined for a controller without a work queue. */
  readonly queue: QueueState | undefined;
}

export interface QueueState {
  readonly depth: number;
  readonly added: number;
  readonly retries: number;
}

/** Requests to the store of one operation. Times in seconds. */
export interface StoreState {
  readonly operation: string;
  readonly perSecond: number;
  readonly median: number | undefined;
  readonly p99: number | undefined;
  /** Since the start. */
  readonly total: number;
  readonly failed: number;
}

export interface ServerState {
  readonly uptimeSeconds: number | undefined;
  readonly residentBytes: number | undefined;
  readonly storeBytes: number | undefined;
  /** Processes that serve requests; undefined for a server of one process. */
  readonly workers: { readonly ready: number; readonly configured: number } | undefined;
  readonly inFlight: number;
  readonly watches: number;
  /** Of the period between the two scrapes, or since the start. */
  readonly perSecond: number;
  readonly median: number | undefined;
  readonly p99: number | undefined;
  /** The period in seconds; undefined: since the start. */
  readonly period: number | undefined;
  readonly verbs: readonly VerbState[];
  readonly kinds: readonly KindState[];
  /** Kinds that are left out. */
  readonly kindsMore: number;
  readonly store: readonly StoreState[];
  readonly controllers: readonly ControllerState[];
  /** Whether this server's controllers run, if it takes part in an election. */
  readonly leads: boolean | undefined;
}

const names = [
  "apiserver_request_total",
  "apiserver_request_duration_seconds_bucket",
  "apiserver_longrunning_requests",
  "apiserver_current_inflight_requests",
  "apiserver_resource_objects",
  "apiserver_storage_size_bytes",
  "etcd_requests_total",
  "etcd_request_errors_total",
  "etcd_request_duration_seconds_bucket",
  "process_start_time_seconds",
  "process_resident_memory_bytes",
  "workqueue_depth",
  "workqueue_adds_total",
  "workqueue_retries_total",
  "leader_election_master_status",
  "thole_workers",
] as const;

/** One scrape. */
export interface Scrape {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
}

export function scrapeOf(text: string, at: number): Scrape {
  return { at, samples: samplesOf(text, names) };
}

/** The state at a scrape. Rates and times are those since `before`, or since the start. */
export function stateOf(
  now: Scrape,
  before: Scrape | undefined,
  { catalog, controllers }: { readonly catalog: Catalog; readonly controllers: readonly ControllerRow[] },
): ServerState {
  const of = (name: (typeof names)[number], scrape: Scrape | undefined = now) => scrape?.samples.get(name) ?? [];
  const first = (name: (typeof names)[number]) => of(name)[0]?.value;
  const started = first("process_start_time_seconds");
  const uptimeSeconds = started === undefined ? undefined : Math.max(0, now.at / 1000 - started);
  const seconds = before === undefined ? uptimeSeconds : (now.at - before.at) / 1000;
  const total = (scrape: Scrape | undefined, verb?: string, isFailed = false) =>
    sumOf(
      of("apiserver_request_total", scrape),
      (labels) => (verb === undefined || labels.get("verb") === verb) && (!isFailed || (labels.get("code") ?? "").startsWith("5")),
    );
  const rate = (verb?: string) => {
    const count = total(now, verb) - (before === undefined ? 0 : total(before, verb));
    return seconds === undefined || seconds <= 0 ? 0 : count / seconds;
  };
  const times = (select: (verb: string) => boolean) => {
    const sums = (scrape: Scrape | undefined) =>
      bucketsOf(of("apiserver_request_duration_seconds_bucket", scrape), (labels) => select(labels.get("verb") ?? ""));
    const buckets = before === undefined ? sums(now) : since(sums(now), sums(before));
    return { median: quantileOf(buckets, 0.5), p99: quantileOf(buckets, 0.99) };
  };
  const isShort = (verb: string) => verb !== "WATCH" && verb !== "CONNECT";
  const verbs = [...new Set(of("apiserver_request_total").map(({ labels }) => labels.get("verb") ?? ""))].toSorted();
  const kinds = kindsOf(catalog, of("apiserver_resource_objects"), of("apiserver_longrunning_requests"));
  const election = of("leader_election_master_status");
  return {
    uptimeSeconds,
    residentBytes: first("process_resident_memory_bytes"),
    storeBytes: first("apiserver_storage_size_bytes"),
    workers: workersOf(of("thole_workers")),
    inFlight: sumOf(of("apiserver_current_inflight_requests")),
    watches: sumOf(of("apiserver_longrunning_requests"), (labels) => labels.get("verb") === "WATCH"),
    perSecond: rate(),
    ...times(isShort),
    period: before === undefined ? undefined : seconds,
    verbs: verbs.map((verb) => ({
      verb,
      perSecond: rate(verb),
      ...times((each) => each === verb && isShort(verb)),
      total: total(now, verb),
      failed: total(now, verb, true),
    })),
    kinds: kinds.slice(0, shownKindsMax),
    kindsMore: Math.max(0, kinds.length - shownKindsMax),
    store: storeOf(now, before, seconds),
    controllers: controllersOf(controllers, of("workqueue_depth"), of("workqueue_adds_total"), of("workqueue_retries_total")),
    leads: election.length === 0 ? undefined : election.some(({ value }) => value === 1),
  };
}

function workersOf(samples: readonly Sample[]): ServerState["workers"] {
  const count = (state: string) => sumOf(samples, (labels) => labels.get("state") === state);
  return samples.length === 0 ? undefined : { ready: count("ready"), configured: count("configured") };
}

/** The kinds in their preferred versions, those with most objects first. */
function kindsOf(catalog: Catalog, objects: readonly Sample[], longRunning: readonly Sample[]): readonly KindState[] {
  const key = (labels: ReadonlyMap<string, string>) => `${labels.get("group")}/${labels.get("resource")}`;
  const counts = new Map(objects.map(({ labels, value }) => [key(labels), value]));
  const watches = new Map<string, number>();
  for (const { labels, value } of longRunning) {
    if (labels.get("verb") === "WATCH") watches.set(key(labels), (watches.get(key(labels)) ?? 0) + value);
  }
  const seen = new Set<string>();
  const kinds = catalog.groups.flatMap(({ versions }) => versions.flatMap(({ endpoints }) => endpoints)).flatMap(
    (endpoint): KindState[] => {
      const { kind, group, version, plural, namespaced } = endpoint, name = `${group}/${plural}`;
      if (seen.has(name)) return [];
      seen.add(name);
      const count = counts.get(name);
      return [{
        kind,
        group,
        version,
        plural,
        namespaced,
        objects: count === undefined || count < 0 ? undefined : count,
        watches: watches.get(name) ?? 0,
      }];
    },
  );
  return kinds.toSorted((one, other) => (other.objects ?? -1) - (one.objects ?? -1) || (one.kind < other.kind ? -1 : 1));
}

function controllersOf(
  rows: readonly ControllerRow[],
  depths: readonly Sample[],
  added: readonly Sample[],
  retries: readonly Sample[],
): readonly ControllerState[] {
  const byName = (samples: readonly Sample[]) => new Map(samples.map(({ labels, value }) => [labels.get("name") ?? "", value]));
  const [depth, adds, again] = [byName(depths), byName(added), byName(retries)];
  const queueOf = (name: string) =>
    depth.has(name) ? { depth: depth.get(name)!, added: adds.get(name) ?? 0, retries: again.get(name) ?? 0 } : undefined;
  return rows.map((row) => ({ ...row, queue: queueOf(row.name) })).toSorted((one, other) => one.name < other.name ? -1 : 1);
}

/** By operation. `seconds`: of the period. */
function storeOf(now: Scrape, before: Scrape | undefined, seconds: number | undefined): readonly StoreState[] {
  const of = (name: (typeof names)[number], scrape: Scrape | undefined) => scrape?.samples.get(name) ?? [];
  const operations = new Set(of("etcd_requests_total", now).map(({ labels }) => labels.get("operation") ?? ""));
  return [...operations].toSorted().map((operation) => {
    const isOf = (labels: ReadonlyMap<string, string>) => labels.get("operation") === operation;
    const sum = (name: (typeof names)[number], scrape: Scrape | undefined = now) => sumOf(of(name, scrape), isOf);
    const buckets = (scrape: Scrape | undefined) => bucketsOf(of("etcd_request_duration_seconds_bucket", scrape), isOf);
    const total = sum("etcd_requests_total"), recent = total - (before === undefined ? 0 : sum("etcd_requests_total", before));
    const times = before === undefined ? buckets(now) : since(buckets(now), buckets(before));
    return {
      operation,
      perSecond: seconds === undefined || seconds <= 0 ? 0 : recent / seconds,
      median: quantileOf(times, 0.5),
      p99: quantileOf(times, 0.99),
      total,
      failed: sum("etcd_request_errors_total"),
    };
  });
}
