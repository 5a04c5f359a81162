/** Defaults of pods that templates do not have. */
import type { Quantity } from "../../toolbox.ts";
import type { Container } from "../shared/pod/container.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import { aggregate } from "../shared/pod/validate-pod-resources.ts";
import { isHugePages } from "../shared/resource-names.ts";
import type { ResourceRequirements } from "../shared/volumes/mod.ts";

/** Requests default to limits, links to services are on, and on the host's network the ports of the host are those of the containers. */
export function podDefaults<P extends { readonly spec: PodSpec }>(pod: P): P {
  const spec = withContainerDefaults(pod.spec);
  return { ...pod, spec: spec.resources === undefined ? spec : { ...spec, resources: resourcesOfPod(spec, spec.resources) } };
}

function withContainerDefaults(spec: PodSpec): PodSpec {
  const complete = (container: Container) => withHostPorts(withRequests(container), spec.hostNetwork === true);
  return {
    ...spec,
    ...(spec.containers === undefined || spec.containers === null ? {} : { containers: spec.containers.map(complete) }),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(complete) }),
    enableServiceLinks: spec.enableServiceLinks ?? true,
    // Templates keep a negative time.
    ...(Number(spec.terminationGracePeriodSeconds ?? 0) < 0 ? { terminationGracePeriodSeconds: 1 } : {}),
  };
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
  if (limits === undefined) return container;
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } as Record<string, Quantity> } };
}

function withHostPorts(container: Container, onHost: boolean): Container {
  if (!onHost || container.ports === undefined) return container;
  return {
    ...container,
    ports: container.ports.map((port) => (port.hostPort ?? 0) === 0 ? { ...port, hostPort: port.containerPort } : port),
  };
}
