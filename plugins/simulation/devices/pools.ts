/** The devices that a node can use, by their pools. */
import { meetsTerm } from "../placement/node-affinity.ts";
import type { Store } from "../world/store.ts";
import type { DeviceStores, Node } from "../world/world.ts";

type ObjectOf<S> = S extends Store<infer T> ? T : never;
/** Some devices of a pool. */
export type ResourceSlice = ObjectOf<DeviceStores["slices"]>;
/** A device. */
export type Device = NonNullable<ResourceSlice["spec"]["devices"]>[number];

/** A device with its place. */
export interface PlacedDevice {
  readonly device: Device;
  readonly driver: string;
  readonly pool: string;
  /** The identity of the device in the cluster. */
  readonly id: string;
  /** Where the device can be used. */
  readonly place: Place;
  readonly owner: Pool;
}

/** Which nodes can use devices. */
export interface Place {
  readonly nodeName?: string | null | undefined;
  readonly nodeSelector?: ResourceSlice["spec"]["nodeSelector"] | null | undefined;
  readonly allNodes?: boolean | null | undefined;
}

/** The devices of a pool that a node can use. */
export interface Pool {
  /** The driver and the name, as messages have them. */
  readonly name: string;
  /** Whether slices of the pool are missing. */
  readonly isIncomplete: boolean;
  /** Whether two devices have the same name. */
  readonly isInvalid: boolean;
  readonly devices: readonly PlacedDevice[];
  /** The slices of the pool, which also have the counters that its devices share. */
  readonly slices: readonly ResourceSlice[];
}

/** The identity of a device. No name has a space. */
export function deviceId(driver: string, pool: string, device: string): string {
  return `${driver} ${pool} ${device}`;
}

/** Whether a node is at a place. */
function isAt(node: Node, { nodeName, nodeSelector, allNodes }: Place): boolean {
  if ((nodeName ?? "") !== "") return nodeName === node.metadata.name;
  if (allNodes === true) return true;
  return nodeSelector !== undefined && nodeSelector !== null && nodeSelector.nodeSelectorTerms.some((term) => meetsTerm(term, node));
}

/** The slices of the newest generation of each pool. */
export type Pools = ReadonlyMap<string, readonly ResourceSlice[]>;

/** Gathers the slices of all pools. */
export function poolsOf(slices: Iterable<ResourceSlice>): Pools {
  const pools = new Map<string, ResourceSlice[]>(), generations = new Map<string, number>();
  for (const slice of slices) {
    const { driver, pool } = slice.spec, name = `${driver}/${pool.name}`, generation = Number(pool.generation);
    const newest = generations.get(name) ?? -Infinity;
    if (generation < newest) continue;
    if (generation > newest) pools.set(name, []);
    generations.set(name, generation);
    pools.get(name)!.push(slice); // set with its generation
  }
  return new Map([...pools].sort(([a], [b]) => a < b ? -1 : 1));
}

/** Returns the pools of which a node can use devices. */
export function poolsFor(node: Node, pools: Pools): readonly Pool[] {
  const found: Pool[] = [];
  for (const [name, slices] of pools) {
    const devices: PlacedDevice[] = [], names = new Set<string>();
    let total = 0;
    const pool: Pool = {
      name,
      slices,
      devices,
      isIncomplete: slices.length !== Number(slices[0]?.spec.pool.resourceSliceCount),
      get isInvalid() {
        return names.size < total;
      },
    };
    for (const { spec } of slices) {
      const isPerDevice = spec.perDeviceNodeSelection === true;
      if (!isPerDevice && !isAt(node, spec)) continue;
      for (const device of spec.devices ?? []) {
        total++;
        names.add(device.name);
        const place = isPerDevice ? device : spec, { driver, pool: { name: poolName } } = spec;
        if (!isPerDevice || isAt(node, device)) {
          devices.push({ device, driver, pool: poolName, id: deviceId(driver, poolName, device.name), place, owner: pool });
        }
      }
    }
    if (devices.length > 0) found.push(pool);
  }
  return found;
}
