/** Repairs the record of ports on nodes: it has the ports of all services, and no others. */
import type { ControllerContext } from "../../plugin.ts";
import { changePorts, hasRecord, type PortUse } from "./port-record.ts";
import { nodePortsOf } from "./service-facts.ts";
import type { Service } from "./service-schema.ts";

/** Rounds in which a port must be without a service before it is free: the service may be stored after its port. */
const leakRounds = 3;

interface Finding {
  readonly service: Service;
  readonly reason: string;
  readonly note: string;
}

/** `leaks`: ports without a service, with the rounds that are left until they are free. It is changed. */
export async function repairPorts(world: ControllerContext, services: readonly Service[], leaks: Map<number, number>): Promise<void> {
  const { records, setting, events } = world, concerned = services.filter((each) => nodePortsOf(each).length > 0);
  const isKept = await hasRecord(records);
  if (concerned.length === 0 && !isKept) return;
  const { findings, left } = await changePorts(
    { records, setting },
    // The record of another range is made again.
    () => Promise.resolve(isKept ? concerned : []),
    (use) => ({ findings: addMissing(concerned, use), left: removeLeaks(concerned, use, leaks) }),
  );
  leaks.clear();
  for (const [port, rounds] of left) leaks.set(port, rounds);
  const news = { type: "Warning", action: "PortAllocation", controller: "portallocator-repair-controller" } as const;
  for (const { service, reason, note } of findings) events.record(service, { ...news, reason, note });
}

function addMissing(services: readonly Service[], use: PortUse): readonly Finding[] {
  const seen = new Set<number>(), { first, last } = use.range;
  return services.flatMap((service) =>
    // Ports of several protocols share a number.
    [...new Set(nodePortsOf(service))].flatMap((port): readonly Finding[] => {
      const found = (reason: string, what: string) => [{ service, reason, note: `Port ${port} ${what}` }];
      if (port < first || port > last) {
        return found("PortOutOfRange", `is not within the port range ${first}-${last}; please recreate service`);
      }
      if (seen.has(port)) return found("PortAlreadyAllocated", "was assigned to multiple services; please recreate service");
      seen.add(port);
      return use.take(port) === undefined ? found("PortNotAllocated", "is not allocated; repairing") : [];
    })
  );
}

/** Frees ports that had no service in the last rounds. Returns the others. */
function removeLeaks(services: readonly Service[], use: PortUse, leaks: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const needed = new Set(services.flatMap(nodePortsOf)), left = new Map<number, number>();
  for (const port of [...use.used].filter((each) => !needed.has(each))) {
    const rounds = leaks.get(port) ?? leakRounds - 1;
    if (rounds > 0) left.set(port, rounds - 1);
    else use.giveBack([port]);
  }
  return left;
}
