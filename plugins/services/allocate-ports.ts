/** Allocates ports on nodes, and the port of health checks of load balancers. */
import { invalid, type RequestHookContext } from "../../plugin.ts";
import { chanceOf, internalError } from "../../toolbox.ts";
import { refuse } from "./allocate-families.ts";
import { changePorts, type PortUse, releasePorts, storedServices } from "./port-record.ts";
import { hasHealthCheck, nodePortsOf, takesNodePorts, wantsNodePorts, withSpec } from "./service-facts.ts";
import type { Service, ServicePort } from "./service-schema.ts";

/** Allocates the ports of a service, and registers what is given back. */
export async function withNodePorts(next: Service, prior: Service | undefined, context: RequestHookContext): Promise<Service> {
  const before = prior === undefined ? [] : nodePortsOf(prior);
  const isConcerned = takesNodePorts(next) && needsSome(next, prior);
  const allocated = isConcerned
    ? await changePorts(
      context.allocation,
      () => storedServices(context),
      (use) => assigned(next, prior, use),
      context.isDryRun,
      randomFor(next, context),
    )
    : next;
  if (context.isDryRun) return allocated;
  const after = nodePortsOf(allocated);
  const taken = after.filter((port) => !before.includes(port)), freed = before.filter((port) => !after.includes(port));
  if (taken.length > 0) context.ifNotStored(() => releasePorts(taken, context));
  // Ports that the type no longer takes are dropped later, when the object is prepared.
  const left = takesNodePorts(allocated) ? freed : before;
  if (left.length > 0) context.ifStored(() => releasePorts(left, context));
  return allocated;
}

/** Whether the service has a port to allocate: most updates have none. */
function needsSome(next: Service, prior: Service | undefined): boolean {
  const before = prior === undefined ? [] : nodePortsOf(prior);
  const ports = next.spec.ports ?? [], { healthCheckNodePort = 0 } = next.spec;
  return ports.some(({ nodePort = 0 }) => nodePort === 0 ? wantsNodePorts(next) : !before.includes(nodePort)) ||
    (hasHealthCheck(next) && (prior === undefined || !hasHealthCheck(prior)) && !before.includes(healthCheckNodePort));
}

function randomFor({ metadata: { namespace = "", name = "" } }: Service, { server: { clock } }: RequestHookContext): () => number {
  return () => chanceOf(clock).number(`ports of ${namespace}/${name}`);
}

function assigned(next: Service, prior: Service | undefined, use: PortUse): Service {
  const ports = prior === undefined ? newPorts(next, use) : changedPorts(next, prior, use);
  const kept = next.spec.ports === undefined ? next : withSpec(next, { ports });
  return hasHealthCheck(next) && (prior === undefined || !hasHealthCheck(prior)) ? withHealthCheck(kept, use) : kept;
}

function takeWanted(service: Service, port: number, i: number, use: PortUse): void {
  const why = use.take(port);
  if (why !== undefined) refuse(service, [invalid(`spec.ports[${i}].nodePort`, port, why)]);
}
function takeAny(use: PortUse): number {
  const port = use.takeFree();
  if (port === undefined) throw internalError("failed to allocate a nodePort: range is full");
  return port;
}

/** Ports with the same number, of several protocols, share the port on nodes. */
function newPorts(service: Service, use: PortUse): readonly ServicePort[] {
  const chosen = new Map<number, number>(), ports = service.spec.ports ?? [];
  return ports.map((given, i) => {
    const { port, nodePort = 0 } = given, known = chosen.get(port);
    if (nodePort === 0 && !wantsNodePorts(service)) return given;
    if (known === undefined) {
      const wanted = ports.find((each) => each.port === port && (each.nodePort ?? 0) !== 0)?.nodePort;
      if (wanted !== undefined) takeWanted(service, wanted, i, use);
      const found = wanted ?? takeAny(use);
      chosen.set(port, found);
      return { ...given, nodePort: found };
    }
    if (nodePort === 0) return { ...given, nodePort: known };
    if (nodePort !== known) takeWanted(service, nodePort, i, use);
    return given;
  });
}

function changedPorts(service: Service, prior: Service, use: PortUse): readonly ServicePort[] {
  const before = new Set(nodePortsOf(prior)), taken = new Set<number>();
  return (service.spec.ports ?? []).map((given, i) => {
    const { nodePort = 0 } = given;
    if (nodePort === 0) return wantsNodePorts(service) ? { ...given, nodePort: takeAny(use) } : given;
    if (!before.has(nodePort) && !taken.has(nodePort)) {
      takeWanted(service, nodePort, i, use);
      taken.add(nodePort);
    }
    return given;
  });
}

function withHealthCheck(service: Service, use: PortUse): Service {
  const { healthCheckNodePort: wanted = 0 } = service.spec;
  if (wanted === 0) {
    const port = use.takeFree();
    if (port === undefined) throw internalError("failed to allocate a HealthCheck NodePort 0: range is full");
    return withSpec(service, { healthCheckNodePort: port });
  }
  const why = use.take(wanted);
  if (why !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${why}`);
  return service;
}
