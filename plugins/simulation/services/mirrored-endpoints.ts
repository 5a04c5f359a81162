/** The slices of Endpoints that clients write for services without a selector (upstream: pkg/controller/endpointslicemirroring). */
import { objectKey } from "../../../plugin.ts";
import { bound } from "../../../core/bound.ts";
import type { Reconciler } from "../world/reconciler.ts";
import type { World } from "../world/world.ts";
import { followAll } from "../workloads/owner-keys.ts";
import { managerLabel, serviceLabel, slicesBy, type WantedSlice, writeSlices } from "./slices.ts";

type Endpoints = NonNullable<ReturnType<World["endpoints"]["at"]>>;
type Subset = NonNullable<Endpoints["subsets"]>[number];

/** Addresses of one subset that are mirrored. */
const addressesMax = bound(1_000);

const manager = "endpointslicemirroring-controller.k8s.io", skipLabel = "endpointslice.kubernetes.io/skip-mirror";
/** Endpoints with this annotation are the lock of an election. */
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
/** Annotations that slices do not take over. */
const ownAnnotations: readonly string[] = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
];

/** Keeps slices of Endpoints whose service selects no pods. */
export const mirrorReconciler: Reconciler = {
  name: "endpointslicemirroring",
  follow(world, add) {
    followAll(world.endpoints, add);
    followAll(world.services, add);
    // What somebody else changed or deleted is put right.
    world.endpointSlices.listen((next, before) => {
      const { namespace = "", labels = {} } = (next ?? before)!.metadata;
      if (labels[managerLabel] === manager) add(objectKey({ metadata: { namespace, name: labels[serviceLabel] ?? "" } }));
    });
  },
  async reconcile(world, key) {
    const endpoints = world.endpoints.at(key), service = world.services.at(key);
    const isSelecting = Object.keys(service?.spec.selector ?? {}).length > 0;
    if (endpoints === undefined || service === undefined || isSelecting || !isMirrored(endpoints)) {
      const { metadata } = endpoints ?? service ?? {};
      if (metadata === undefined) return;
      for (const slice of slicesBy(world, manager, metadata.namespace ?? "", metadata.name ?? "")) await world.endpointSlices.delete(slice);
      return;
    }
    if (endpoints.metadata.deletionTimestamp !== undefined) return;
    const { labels = {}, annotations = {} } = endpoints.metadata;
    const kept = Object.fromEntries(Object.entries(annotations).filter(([name]) => !ownAnnotations.includes(name)));
    await writeSlices(world, { owner: endpoints, manager, labels, annotations: kept }, slicesOf(endpoints));
  },
};

function isMirrored({ metadata: { labels = {}, annotations = {} } }: Endpoints): boolean {
  return labels[skipLabel] !== "true" && annotations[leaderAnnotation] === undefined;
}

/** One slice for each set of ports and family, so that an address has one place among them. */
function slicesOf({ subsets = [] }: Endpoints): readonly WantedSlice[] {
  const groups = new Map<
    string,
    { readonly addressType: string; readonly ports: readonly object[]; readonly endpoints: Map<string, object> }
  >();
  for (const subset of subsets) {
    const ports = portsOf(subset), { addresses = [], notReadyAddresses = [] } = subset;
    const all = [...addresses.map((each) => [each, true] as const), ...notReadyAddresses.map((each) => [each, false] as const)];
    for (const [{ ip, hostname, nodeName, targetRef }, ready] of all.slice(0, addressesMax)) {
      const addressType = ip.includes(":") ? "IPv6" : "IPv4",
        key = `${addressType} ${ports.map((each) => Object.values(each).join(" ")).join()}`;
      const group = groups.get(key) ?? { addressType, ports, endpoints: new Map<string, object>() };
      groups.set(key, group);
      const endpoint = {
        addresses: [ip],
        conditions: { ready },
        ...((hostname ?? "") === "" ? {} : { hostname }),
        ...((nodeName ?? "") === "" ? {} : { nodeName }),
        ...(targetRef === undefined || targetRef === null ? {} : { targetRef }),
      };
      if (!group.endpoints.has(ip) && group.endpoints.size < addressesMax) group.endpoints.set(ip, endpoint);
    }
  }
  return [...groups.values()].map(({ addressType, ports, endpoints }) => ({ addressType, ports, endpoints: [...endpoints.values()] }));
}

function portsOf({ ports = [] }: Subset): readonly Readonly<Record<string, string | number>>[] {
  return ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => ({
    name,
    protocol,
    port,
    ...(appProtocol === undefined || appProtocol === null ? {} : { appProtocol }),
  }));
}
