/** The slices of one service: as few as its endpoints need. */
import { sameValue } from "../../../toolbox.ts";
import type { ApiObject } from "../../../plugin.ts";
import { controllerReference } from "../workloads/controlled-pods.ts";
import type { World } from "../world/world.ts";

type Slice = NonNullable<ReturnType<World["endpointSlices"]["at"]>>;

/** The label of a slice that names its service, and the one that names who writes it. */
export const serviceLabel = "kubernetes.io/service-name", managerLabel = "endpointslice.kubernetes.io/managed-by";
/** The label of Endpoints that says who writes them, and its value for those of services with a selector. */
export const endpointsManagerLabel = "endpoints.kubernetes.io/managed-by", endpointsManager = "endpoint-controller";

/** What a slice is to have. */
export interface WantedSlice {
  readonly addressType: string;
  readonly ports: readonly object[];
  readonly endpoints: readonly object[];
}

/** Whose slices are written. They have the name of the owner, which is that of the service. */
export interface SliceOwner {
  readonly owner: ApiObject;
  /** The value of the label by which the writer knows its own slices. */
  readonly manager: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Default: they stay as they are. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Returns the slices of a service that a manager has written, in the order of their names. */
export function slicesBy(world: World, manager: string, namespace: string, service: string): readonly Slice[] {
  return [...world.endpointSlices.in(namespace)].filter(({ metadata: { labels = {} } }) =>
    labels[serviceLabel] === service && labels[managerLabel] === manager
  ).sort((a, b) => (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1);
}

/** Writes the wanted slices over those that are there, preferably over those with the same ports, and deletes what is left. */
export async function writeSlices(world: World, of: SliceOwner, wanted: readonly WantedSlice[]): Promise<void> {
  const { name = "", namespace = "" } = of.owner.metadata, known = slicesBy(world, of.manager, namespace, name);
  const labels = { ...of.labels, [serviceLabel]: name, [managerLabel]: of.manager };
  const free = new Set(known);
  for (const slice of wanted) {
    const ofFamily = known.filter((each) => free.has(each) && each.addressType === slice.addressType);
    const found = ofFamily.find((each) => sameValue(each.ports ?? [], slice.ports)) ?? ofFamily[0];
    if (found === undefined) {
      await world.endpointSlices.create(namespace, {
        metadata: {
          generateName: `${name}-`,
          namespace,
          labels,
          ...(of.annotations === undefined ? {} : { annotations: of.annotations }),
          ownerReferences: [controllerReference(of.owner)],
        },
        ...slice,
      } as unknown as Slice);
      continue;
    }
    free.delete(found);
    const annotations = of.annotations ?? found.metadata.annotations ?? {};
    const isSame = sameValue(found.endpoints ?? [], slice.endpoints) && sameValue(found.ports ?? [], slice.ports) &&
      sameValue(found.metadata.labels ?? {}, labels) && sameValue(found.metadata.annotations ?? {}, annotations);
    if (isSame) continue;
    await world.endpointSlices.update({ ...found, metadata: { ...found.metadata, labels, annotations }, ...slice } as unknown as Slice);
  }
  for (const slice of free) await world.endpointSlices.delete(slice);
}
