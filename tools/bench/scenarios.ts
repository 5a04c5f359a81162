/** The scenarios, in order of execution. */
import type { Authorization } from "./authorization.ts";
import type { Definitions } from "./definitions.ts";
import type { Hostile } from "./hostile.ts";
import { hostileRequests } from "./hostile-bodies.ts";
import type { Large } from "./large.ts";
import type { Written } from "./objects.ts";
import type { LoadKind } from "./requests.ts";
import type { Protocol } from "./sender.ts";
import type { Policies } from "./policies.ts";

export interface Scenario {
  readonly name: string;
  readonly measure:
    | {
      readonly tag: "load";
      readonly kind: LoadKind;
      readonly path: string;
      readonly clients: number;
      /** Number of objects at the path; default `objects`. */
      readonly objects?: number;
      readonly written?: Written;
      readonly bytes?: number;
      readonly gzip?: boolean;
    }
    | {
      readonly tag: "watch";
      /** Of the collection; default: that of the ConfigMaps. */
      readonly path?: string;
      readonly written?: Written;
      readonly watchers: number;
      readonly writes: number;
      readonly writesPerSecond: number;
    }
    | Large
    | Hostile
    | Authorization
    | Policies
    | Definitions;
  /** The reference of the comparison, if any. */
  readonly floor?: "read" | "write" | "rewrite" | "watch";
  /** Default: HTTP/2 only. */
  readonly protocols?: readonly Protocol[];
  /** Measured also right after a start. */
  readonly cold?: boolean;
  /** Only measured if `--only` names it. */
  readonly isLong?: boolean;
}

const pods = "/api/v1/namespaces/pods/pods", madePods = "/api/v1/namespaces/made-pods/pods";
const configMaps = "/api/v1/namespaces/default/configmaps", made = "/api/v1/namespaces/made/configmaps";
const protocols: readonly Protocol[] = ["h2", "http1"], cold = true;

/** Number of ConfigMaps of 1 kB during the measurement. */
export const objects = 10_000;
export const clients = 64;

/** Number of Pods of 5 kB during the measurement. */
const podCount = 5_000;

interface Collection {
  readonly namespace: string;
  readonly count: number;
  /** Default: ConfigMaps. */
  readonly written?: Written;
  readonly bytes?: number;
}

/** The objects during the measurement, each collection in its own namespace: ConfigMaps with 1 kB of data by default. */
export const collections: readonly Collection[] = Object.freeze<readonly Collection[]>([
  { namespace: "default", count: objects },
  { namespace: "few", count: 1_000 },
  { namespace: "large", count: 100, bytes: 100_000 },
  // Of creates, so that they do not make the lists longer.
  { namespace: "made", count: 0 },
  { namespace: "pods", count: podCount, written: "Pod" },
  { namespace: "made-pods", count: 0 },
]);

/** The name of a scenario's result: HTTP/2 is the usual protocol. */
export function nameWith(name: string, protocol: Protocol): string {
  return protocol === "h2" ? name : `${name}, HTTP/1.1`;
}

const small = { path: "/api/v1/namespaces/few/configmaps", objects: 1_000 };
const large = { path: "/api/v1/namespaces/large/configmaps", objects: 100, bytes: 100_000 };
/** Writes to existing objects, in each dialect. */
const dialects: readonly Scenario[] = ([["1 kB", small], ["100 kB", large]] as const).flatMap(([size, at]) =>
  (["update", "patch", "strategic", "json patch", "apply"] as const).map((kind): Scenario => ({
    name: `${kind === "patch" ? "merge patch" : kind}, ${size}`,
    measure: { tag: "load", kind, clients: 16, ...at },
    ...(kind === "apply" && size === "1 kB" ? { floor: "rewrite" as const, cold } : {}),
  }))
);

export const scenarios: readonly Scenario[] = Object.freeze([
  { name: "get", measure: { tag: "load", kind: "get", path: `${configMaps}/<object>`, clients }, floor: "read", protocols, cold },
  { name: "page of 500", measure: { tag: "load", kind: "get", path: `${configMaps}?limit=500`, clients }, floor: "read", protocols, cold },
  {
    name: "page of 500, gzip",
    measure: { tag: "load", kind: "get", path: `${configMaps}?limit=500`, clients, gzip: true },
    floor: "read",
    cold,
  },
  { name: "list of 1,000", measure: { tag: "load", kind: "get", path: "/api/v1/namespaces/few/configmaps", clients }, floor: "read" },
  { name: "list of 10,000", measure: { tag: "load", kind: "get", path: configMaps, clients }, floor: "read", protocols, cold },
  { name: "list of 10,000, gzip", measure: { tag: "load", kind: "get", path: configMaps, clients, gzip: true }, floor: "read", cold },
  { name: "update", measure: { tag: "load", kind: "update", path: configMaps, clients }, floor: "rewrite", protocols, cold },
  { name: "merge patch", measure: { tag: "load", kind: "patch", path: configMaps, clients }, floor: "rewrite", protocols, cold },
  { name: "create", measure: { tag: "load", kind: "create", path: made, clients }, floor: "write", protocols, cold },
  {
    name: "watch, 100 watchers",
    measure: { tag: "watch", watchers: 100, writes: 600, writesPerSecond: 200 },
    floor: "watch",
    protocols,
    cold,
  },
  { name: "watch, 500 watchers", measure: { tag: "watch", watchers: 500, writes: 300, writesPerSecond: 200 }, floor: "watch" },
  {
    name: "watch, 1,000 watchers",
    measure: { tag: "watch", watchers: 1_000, writes: 300, writesPerSecond: 200 },
    floor: "watch",
    protocols,
  },
  // Slowly: each event is sent separately.
  { name: "watch, 1,000 at 20/s", measure: { tag: "watch", watchers: 1_000, writes: 60, writesPerSecond: 20 }, floor: "watch" },
  ...dialects,
  { name: "pod: create", measure: { tag: "load", kind: "create", path: madePods, written: "Pod", clients }, floor: "write" },
  { name: "pod: status patch", measure: { tag: "load", kind: "pod status", path: pods, clients, objects: podCount }, floor: "rewrite" },
  {
    name: "pod: watch, 200 watchers",
    measure: { tag: "watch", path: madePods, written: "Pod", watchers: 200, writes: 300, writesPerSecond: 100 },
    floor: "watch",
  },
  { name: "pod: list of 5,000", measure: { tag: "load", kind: "get", path: pods, clients: 16 }, floor: "read" },
  { name: "pod: list of 5,000, gzip", measure: { tag: "load", kind: "get", path: pods, clients: 16, gzip: true }, floor: "read" },
  {
    name: "16 slow readers",
    measure: { tag: "readers", objects: { count: 10_000, bytes: 100_000 }, readers: 16, bytesPerSecond: 20_000_000, query: "" },
  },
  { name: "nothing of 300,000", measure: { tag: "nothing", objects: { count: 300_000, bytes: 1_000 }, clients: 8 } },
  { name: "pages of 300,000", measure: { tag: "pages", objects: { count: 300_000, bytes: 1_000 }, limit: 500, writers: 8 } },
  // One in ten objects has the label: each page evaluates 5,000.
  ...[10_000, 100_000, 1_000_000].map((count): Scenario => ({
    name: `pages by label of ${count.toLocaleString("en")}`,
    measure: { tag: "pages", objects: { count, bytes: 1_000, groups: 10 }, limit: 500, writers: 0, selector: "group=g3" },
    isLong: count === 1_000_000,
  })),
  {
    name: "pages of 1,000,000 at 500 writes/s",
    measure: { tag: "pages", objects: { count: 1_000_000, bytes: 1_000, groups: 10 }, limit: 500, writers: 16, writesPerSecond: 500 },
    isLong: true,
  },
  ...(["master", "others", "own"] as const).map((user): Scenario => ({
    name: `authorization, ${user}`,
    measure: { tag: "authorization", user, bindings: 1_000 },
  })),
  ...(["none", "others", "matching"] as const).map((inForce): Scenario => ({
    name: `policies, ${inForce}`,
    measure: { tag: "policies", inForce, count: 1_000 },
  })),
  { name: "definitions", measure: { tag: "definitions", count: 1_000 } },
  ...hostileRequests.map((request): Scenario => ({ name: `hostile: ${request.name}`, measure: { tag: "hostile", request } })),
  {
    name: "storm of 256 lists",
    measure: {
      tag: "readers",
      objects: { count: 400, bytes: 1_000_000 },
      readers: 256,
      bytesPerSecond: 0,
      query: "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
    },
  },
]);

/** Requests under way for lists of 10,000 in a comparison, of which each takes a kube-apiserver half a second of CPU in gzip. */
const listers = 16;
/** Writes per second, by watchers: ten to twenty thousand events a second, which leave a kube-apiserver time to rest. */
const peerWrites: Readonly<Record<number, number>> = Object.freeze({ 100: 100, 200: 50, 500: 40, 1_000: 20 });
const compared: ReadonlySet<string> = new Set([
  ...["get", "page of 500", "page of 500, gzip", "list of 10,000", "list of 10,000, gzip"],
  ...["create", "update", "merge patch", "apply, 1 kB"],
  ...["watch, 100 watchers", "watch, 500 watchers", "watch, 1,000 watchers"],
  ...["pod: create", "pod: status patch", "pod: watch, 200 watchers", "pod: list of 5,000", "pod: list of 5,000, gzip"],
]);

/** The scenarios of a comparison with a kube-apiserver. */
export const peerScenarios: readonly Scenario[] = Object.freeze(
  scenarios.filter(({ name }) => compared.has(name)).map((scenario): Scenario => {
    const { name, measure } = scenario;
    if (measure.tag === "load" && name.startsWith("list of 10,000")) return { ...scenario, measure: { ...measure, clients: listers } };
    if (measure.tag !== "watch") return scenario;
    return { ...scenario, measure: { ...measure, writesPerSecond: peerWrites[measure.watchers] ?? measure.writesPerSecond } };
  }),
);
