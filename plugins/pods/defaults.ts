/** Defaults of pods that templates do not have. */
import type { Quantity } from "../../toolbox.ts";
import type { Container } from "../shared/pod/container.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import { aggregate } from "../shared/pod/validate-pod-resources.ts";
import { isHugePages } from "../shared/resource-names.ts";
import type { ResourceRequirements } from "../shared/volumes/mod.ts";

/** Requests default to limits, links to services are on, and on the host's network the ports of the host are those of the containers. */
export function podDefaults<P extends { readonly spec: PodSpec }>(pod: P): P {
  const complete = withContainerDefaults(pod.spec);
  const resources = complete.resources && resourcesOfPod(complete, complete.resources);
  const spec = resources === undefined || resources === complete.resources ? complete : { ...complete, resources };
  return spec === pod.spec ? pod : { ...pod, spec };
}

function withContainerDefaults(spec: PodSpec): PodSpec {
  const complete = (container: Container) => withHostPorts(withRequests(container), spec.hostNetwork === true);
  const containers = spec.containers && mapChanged(spec.containers, complete);
  const initContainers = spec.initContainers && mapChanged(spec.initContainers, complete);
  const isNegative = Number(spec.terminationGracePeriodSeconds ?? 0) < 0;
  const isComplete = containers === spec.containers && initContainers === spec.initContainers && spec.enableServiceLinks !== undefined;
  if (isComplete && !isNegative) return spec;
  return {
    ...spec,
    ...(containers === undefined ? {} : { containers }),
    ...(initContainers === undefined ? {} : { initContainers }),
    enableServiceLinks: spec.enableServiceLinks ?? true,
    // Templates keep a negative time.
    ...(isNegative ? { terminationGracePeriodSeconds: 1 } : {}),
  };
}

/** The list itself if nothing in it changes. */
function mapChanged<T>(list: readonly T[], change: (item: T) => T): readonly T[] {
  const next = list.map(change);
  return next.every((item, index) => item === list[index]) ? list : next;
}

type Amounts = Readonly<Record<string, Quantity>>;

/**
 * Resources of the whole pod that are there in part: limits of huge pages default to those of the containers, then requests to those of the
 * containers or, where no container has any, to the limits.
 */
function resourcesOfPod(spec: PodSpec, resources: ResourceRequirements): ResourceRequirements {
  const { limits: ownLimits = {}, requests: ownRequests = {} } = resources;
  if (Object.keys(ownLimits).length === 0 && Object.keys(ownRequests).length === 0) return resources;
  const pages = [...aggregate(spec, "limits")].filter(([name]) => isHugePages(name) && !Object.hasOwn(ownRequests, name));
  const limits: Amounts = { ...Object.fromEntries(pages), ...ownLimits };
  if (Object.keys(limits).length === 0) return resources;
  const ofContainers = [...aggregate(spec, "requests")].filter(([name]) => overcommitted.includes(name));
  const ofLimits = Object.entries(limits).filter(([name]) => overcommitted.includes(name) || isHugePages(name));
  return { ...resources, limits, requests: { ...Object.fromEntries([...ofLimits, ...ofContainers]), ...ownRequests } };
}
/** The resources of a whole pod that may be requested without a limit. */
const overcommitted = ["cpu", "memory"];

function withRequests(container: Container): Container {
  const { limits, requests = {} } = container.resources ?? {};
  if (limits === undefined || Object.keys(limits).every((name) => Object.hasOwn(requests, name))) return container;
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } as Record<string, Quantity> } };
}

function withHostPorts(container: Container, onHost: boolean): Container {
  if (!onHost || container.ports === undefined) return container;
  const ports = mapChanged(container.ports, (port) => (port.hostPort ?? 0) === 0 ? { ...port, hostPort: port.containerPort } : port);
  return ports === container.ports ? container : { ...container, ports };
}
