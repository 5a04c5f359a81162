/** The addresses of services: EndpointSlices, and Endpoints for clients of the first API (upstream: pkg/controller/endpointslice and endpoint). */
import { objectKey } from "../../../plugin.ts";
import { sameValue } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import type { Reconciler } from "../world/reconciler.ts";
import type { Pod, World } from "../world/world.ts";
import { followAll } from "../workloads/owner-keys.ts";
import { isReady } from "../workloads/pod-state.ts";
import { endpointsManager, endpointsManagerLabel, managerLabel, serviceLabel, writeSlices } from "./slices.ts";

type Service = NonNullable<ReturnType<World["services"]["at"]>>;
type Endpoints = NonNullable<ReturnType<World["endpoints"]["at"]>>;
type ServicePort = NonNullable<Service["spec"]["ports"]>[number];

/** Endpoints of one slice. */
const endpointsInSliceMax = bound(100);
/** Addresses of an Endpoints object. */
const addressesMax = bound(1_000);

const sliceManager = "endpointslice-controller.k8s.io";
const headlessLabel = "service.kubernetes.io/headless";

/** Keeps the endpoints of services that select pods. */
export const endpointReconciler: Reconciler = {
  name: "endpointslice",
  follow(world, add) {
    followAll(world.services, add);
    world.pods.listen((next, before) => {
      if (next !== undefined && before !== undefined && hasSameAddress(next, before)) return;
      const { namespace = "" } = (next ?? before)!.metadata;
      for (const service of world.services.in(namespace)) {
        if ([next, before].some((pod) => pod !== undefined && isSelected(service, pod))) add(objectKey(service));
      }
    });
    // What somebody else deleted is made again.
    world.endpointSlices.listen((next, before) => {
      const { namespace = "", labels = {} } = (next ?? before)!.metadata;
      if (next === undefined && labels[managerLabel] === sliceManager) {
        add(objectKey({ metadata: { namespace, name: labels[serviceLabel] ?? "" } }));
      }
    });
  },
  async reconcile(world, key) {
    const service = world.services.at(key);
    const isKept = service !== undefined && service.metadata.deletionTimestamp === undefined;
    if (!isKept || Object.keys(service.spec.selector ?? {}).length === 0) return;
    if (service.spec.type === "ExternalName") return;
    const pods = [...world.pods.in(service.metadata.namespace ?? "")].filter((pod) => isSelected(service, pod) && isPlaced(pod)).sort(
      byName,
    );
    await writeServiceSlices(world, service, pods);
    await writeEndpoints(world, service, pods);
  },
};

const byName = (a: Pod, b: Pod): number => (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;

function isSelected({ spec: { selector = {} } }: Service, { metadata: { labels = {} } }: Pod): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** Whether the pod has an address and has not ended. */
const isPlaced = ({ status }: Pod): boolean => (status.podIP ?? "") !== "" && status.phase !== "Succeeded" && status.phase !== "Failed";

const hasSameAddress = (next: Pod, before: Pod): boolean =>
  isReady(next) === isReady(before) && next.status.podIP === before.status.podIP && isPlaced(next) === isPlaced(before) &&
  next.metadata.deletionTimestamp === before.metadata.deletionTimestamp &&
  sameValue(next.metadata.labels ?? {}, before.metadata.labels ?? {});

/** The number of a service's port on a pod; undefined if the pod has no port of that name. */
function portOf({ targetPort, port, protocol = "TCP" }: ServicePort, { spec }: Pod): number | undefined {
  if (targetPort === undefined || targetPort === null || targetPort === 0 || targetPort === "") return port;
  if (typeof targetPort === "number") return targetPort;
  return spec.containers.flatMap(({ ports = [] }) => ports).find((each) =>
    each.name === targetPort && (each.protocol ?? "TCP") === protocol
  )?.containerPort;
}

/** The ports of a pod for a service. */
function portsOf({ spec }: Service, pod: Pod) {
  return (spec.ports ?? []).flatMap((each) => {
    const port = portOf(each, pod), { name = "", protocol = "TCP", appProtocol } = each;
    return port === undefined
      ? []
      : [{ name, protocol, port, ...(appProtocol === undefined || appProtocol === null ? {} : { appProtocol }) }];
  });
}

const isIPv6 = (address: string): boolean => address.includes(":");

function addressesOf({ status }: Pod, family: string): readonly string[] {
  const all = (status.podIPs ?? []).map(({ ip }) => ip), known = all.length > 0 ? all : [status.podIP ?? ""];
  return known.filter((address) => address !== "" && isIPv6(address) === (family === "IPv6"));
}

function targetOf({ metadata: { name = "", namespace = "", uid = "" } }: Pod) {
  return { kind: "Pod", namespace, name, uid };
}

function hostnameOf({ metadata }: Service, { spec }: Pod): object {
  return (spec.hostname ?? "") !== "" && spec.subdomain === metadata.name ? { hostname: spec.hostname } : {};
}

function endpointOf(world: World, service: Service, pod: Pod, addresses: readonly string[]) {
  const isTerminating = pod.metadata.deletionTimestamp !== undefined, serving = isReady(pod);
  const nodeName = pod.spec.nodeName ?? "", zone = world.nodes.get("", nodeName)?.metadata.labels?.["topology.kubernetes.io/zone"];
  return {
    addresses: addresses.slice(0, 1),
    conditions: {
      ready: service.spec.publishNotReadyAddresses === true || (serving && !isTerminating),
      serving,
      terminating: isTerminating,
    },
    ...hostnameOf(service, pod),
    targetRef: targetOf(pod),
    ...(nodeName === "" ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
  };
}

/** Writes the slices of a service. */
async function writeServiceSlices(world: World, service: Service, pods: readonly Pod[]): Promise<void> {
  const wanted = (service.spec.ipFamilies ?? ["IPv4"]).flatMap((family) => slicesOf(world, service, pods, family));
  const labels = { ...service.metadata.labels, ...(service.spec.clusterIP === "None" ? { [headlessLabel]: "" } : {}) };
  await writeSlices(world, { owner: service, manager: sliceManager, labels }, wanted);
}

function slicesOf(world: World, service: Service, pods: readonly Pod[], addressType: string) {
  const groups = new Map<string, { readonly ports: ReturnType<typeof portsOf>; readonly endpoints: ReturnType<typeof endpointOf>[] }>();
  for (const pod of pods) {
    const addresses = addressesOf(pod, addressType), ports = portsOf(service, pod);
    if (addresses.length === 0) continue;
    const key = ports.map(({ name, protocol, port }) => `${name} ${protocol} ${port}`).join(","),
      group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpointOf(world, service, pod, addresses));
    groups.set(key, group);
  }
  const slices = [...groups.values()].flatMap(({ ports, endpoints }) =>
    Array.from({ length: Math.ceil(endpoints.length / endpointsInSliceMax) }, (_, at) => ({
      addressType,
      ports,
      endpoints: endpoints.slice(at * endpointsInSliceMax, (at + 1) * endpointsInSliceMax),
    }))
  );
  return slices.length > 0 ? slices : [{ addressType, ports: [], endpoints: [] }];
}

async function writeEndpoints(world: World, service: Service, pods: readonly Pod[]): Promise<void> {
  const { name = "", namespace = "" } = service.metadata, family = service.spec.ipFamilies?.[0] ?? "IPv4";
  const groups = new Map<string, { ports: ReturnType<typeof portsOf>; addresses: object[]; notReadyAddresses: object[] }>();
  for (const pod of pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).slice(0, addressesMax)) {
    const [ip] = addressesOf(pod, family), ports = portsOf(service, pod);
    if (ip === undefined) continue;
    const key = ports.map((each) => `${each.name} ${each.protocol} ${each.port}`).join(",");
    const group = groups.get(key) ?? { ports, addresses: [], notReadyAddresses: [] };
    const isThere = service.spec.publishNotReadyAddresses === true || isReady(pod);
    const address = { ip, ...hostnameOf(service, pod), nodeName: pod.spec.nodeName, targetRef: targetOf(pod) };
    (isThere ? group.addresses : group.notReadyAddresses).push(address);
    groups.set(key, group);
  }
  const subsets = [...groups.values()].map(({ ports, addresses, notReadyAddresses }) => ({
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports }),
  }));
  const labels = {
    ...service.metadata.labels,
    [endpointsManagerLabel]: endpointsManager,
    ...(service.spec.clusterIP === "None" ? { [headlessLabel]: "" } : {}),
  };
  const known = world.endpoints.get(namespace, name);
  if (known === undefined) {
    await world.endpoints.create(namespace, { metadata: { name, namespace, labels }, subsets } as unknown as Endpoints);
  } else if (!sameValue(known.subsets ?? [], subsets) || !sameValue(known.metadata.labels ?? {}, labels)) {
    await world.endpoints.update({ ...known, metadata: { ...known.metadata, labels }, subsets } as unknown as Endpoints);
  }
}

/** Deletes the Endpoints of services that are gone. Slices have an owner, which removes them. */
export const endpointCleaner: Reconciler = {
  name: "endpoints",
  follow(world, add) {
    world.services.listen((next, before) => {
      if (next === undefined && before !== undefined) add(objectKey(before));
    });
    for (const each of world.endpoints.all()) add(objectKey(each));
  },
  async reconcile(world, key) {
    const endpoints = world.endpoints.at(key);
    const isOwn = endpoints?.metadata.labels?.[endpointsManagerLabel] === endpointsManager;
    if (endpoints !== undefined && isOwn && world.services.at(key) === undefined) await world.endpoints.delete(endpoints);
  },
};
