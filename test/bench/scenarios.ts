/** What is measured: one entry for each scenario, in the order in which they run. */
import type { LoadKind } from "./load.ts";

export interface Scenario {
  readonly name: string;
  readonly measure:
    | { readonly tag: "load"; readonly kind: LoadKind; readonly path: string; readonly clients: number }
    | { readonly tag: "watch"; readonly watchers: number; readonly writes: number; readonly writesPerSecond: number };
  /** What the same is compared with. */
  readonly floor: "read" | "write" | "rewrite" | "watch";
}

const configMaps = "/api/v1/namespaces/default/configmaps";

/** How many ConfigMaps of 1 kB there are while it is measured. */
export const objects = 10_000;
/** In a namespace of their own, for the list of 1,000. */
export const fewObjects = 1_000;
export const clients = 64;

export const scenarios: readonly Scenario[] = Object.freeze([
  { name: "get", measure: { tag: "load", kind: "get", path: `${configMaps}/#`, clients }, floor: "read" },
  { name: "page of 500", measure: { tag: "load", kind: "get", path: `${configMaps}?limit=500`, clients }, floor: "read" },
  { name: "list of 1,000", measure: { tag: "load", kind: "get", path: "/api/v1/namespaces/few/configmaps", clients }, floor: "read" },
  { name: "list of 10,000", measure: { tag: "load", kind: "get", path: configMaps, clients }, floor: "read" },
  { name: "update", measure: { tag: "load", kind: "update", path: configMaps, clients }, floor: "rewrite" },
  { name: "merge patch", measure: { tag: "load", kind: "patch", path: configMaps, clients }, floor: "rewrite" },
  { name: "create", measure: { tag: "load", kind: "create", path: configMaps, clients }, floor: "write" },
  { name: "watch, 100 watchers", measure: { tag: "watch", watchers: 100, writes: 600, writesPerSecond: 200 }, floor: "watch" },
  { name: "watch, 1,000 watchers", measure: { tag: "watch", watchers: 1_000, writes: 300, writesPerSecond: 200 }, floor: "watch" },
  // At leisure: each event goes out alone.
  { name: "watch, 1,000 at 20/s", measure: { tag: "watch", watchers: 1_000, writes: 60, writesPerSecond: 20 }, floor: "watch" },
]);
