/** The simulated cluster as its reconcilers see it: a store for each kind, the clock, and the API. */
import type { ApiObject, ControllerContext, Resource, TypedApi } from "../../../plugin.ts";
import { chanceOf, type Clock } from "../../../toolbox.ts";
import { controllerRevisions, daemonSets, deployments, replicaSets, statefulSets } from "../../apps/mod.ts";
import { autoscalers } from "../../autoscaling/mod.ts";
import { cronJobs, jobs } from "../../batch/mod.ts";
import { certificateSigningRequests } from "../../certificates/mod.ts";
import { namespaces } from "../../cluster/mod.ts";
import { deviceClasses, resourceClaims, resourceClaimTemplates, resourceSlices } from "../../devices/mod.ts";
import { ingresses } from "../../networking/mod.ts";
import { nodes } from "../../nodes/mod.ts";
import { pods, replicationControllers } from "../../pods/mod.ts";
import { podDisruptionBudgets } from "../../policy/mod.ts";
import { endpoints, endpointSlices, services } from "../../services/mod.ts";
import { persistentVolumeClaims, persistentVolumes, storageClasses } from "../../storage/mod.ts";
import { stages } from "../stages/stage.ts";
import { Compactor } from "./compact.ts";
import { sparingEvents } from "./events.ts";
import { PodsByNode } from "./pods-by-node.ts";
import { Store } from "./store.ts";

/** The kinds that the simulation follows. */
const followed = {
  autoscalers,
  certificateSigningRequests,
  controllerRevisions,
  cronJobs,
  daemonSets,
  deployments,
  endpoints,
  endpointSlices,
  ingresses,
  jobs,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  services,
  stages,
  statefulSets,
  storageClasses,
} as const;

/** The kinds of devices, which an emulated release before 1.34 does not serve in their stable version. */
const followedDevices = {
  classes: deviceClasses,
  claims: resourceClaims,
  slices: resourceSlices,
  templates: resourceClaimTemplates,
} as const;

/** The type of the objects of a resource. */
type ObjectOf<R> = R extends Resource<infer T> ? T : never;
/** The stores by the names of resources. */
type StoresOf<Followed> = { readonly [K in keyof Followed]: Store<ObjectOf<Followed[K]>> };
type Stores = StoresOf<typeof followed>;
/** The stores of devices, their classes and claims. */
export type DeviceStores = StoresOf<typeof followedDevices>;

/** A pod, as it is stored. */
export type Pod = ObjectOf<typeof pods>;
/** A node, as it is stored. */
export type Node = ObjectOf<typeof nodes>;
/** The template of the pods of a workload. */
export type PodTemplate = ObjectOf<typeof replicaSets>["spec"]["template"];

/** What reconcilers get. */
export interface World extends Stores {
  /** Devices and their claims. Undefined if the server does not serve them. */
  readonly devices: DeviceStores | undefined;
  /** The pods by their nodes. */
  readonly podsByNode: PodsByNode<Pod>;
  /** The API, events and the log. */
  readonly context: ControllerContext;
  /** The time of the server, and its timers. */
  readonly clock: Clock;
  /** Returns a random number from 0 to 1 for a purpose. */
  readonly random: (purpose: string) => number;
  /** Aborts when the simulation ends. */
  readonly signal: AbortSignal;
}

/** Makes the world of a server. Its stores are empty until `followWorld`. */
export function openWorld(context: ControllerContext, signal: AbortSignal): World {
  const { clock, types, names } = context;
  const compactor = new Compactor(), stores = storesOf(followed, context, compactor);
  const hasDevices = types.stored().some(({ group, plural, servedVersions }) =>
    group === `resource.${names.domain}` && plural === "resourceclaims" && servedVersions.includes(`${group}/v1`)
  );
  return {
    ...stores,
    devices: hasDevices ? storesOf(followedDevices, context, compactor) : undefined,
    podsByNode: new PodsByNode(stores.pods),
    context: { ...context, events: sparingEvents(context.events, clock) },
    clock,
    random: (purpose) => chanceOf(clock).number(purpose),
    signal,
  };
}

function storesOf<Followed extends Readonly<Record<string, unknown>>>(
  resources: Followed,
  { api }: ControllerContext,
  compactor: Compactor,
): StoresOf<Followed> {
  const made = Object.entries(resources).map(([name, resource]) => {
    const typed = api.of(resource as Resource<any>) as TypedApi<ApiObject>; // the objects of each resource are objects of the API
    return [name, new Store(typed, compactor)];
  });
  // `as`: each store has the name and the type of its resource.
  return Object.fromEntries(made) as unknown as StoresOf<Followed>;
}

/** Follows all kinds until the signal aborts. `synced` is called once, when all objects are known. Rejects with the error of a watch. */
export async function followWorld(world: World, synced: () => void): Promise<void> {
  const names = Object.keys(followed) as readonly (keyof Stores)[]; // the keys of the object
  const stores: readonly Pick<Store<ApiObject>, "run">[] = [...names.map((name) => world[name]), ...Object.values(world.devices ?? {})];
  let missing = stores.length;
  await Promise.all(stores.map((store) => {
    let isKnown = false;
    return store.run(world.signal, () => {
      if (isKnown) return;
      isKnown = true;
      if (--missing === 0) synced();
    });
  }));
}
