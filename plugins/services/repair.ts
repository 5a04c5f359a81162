/**
 * Repairs the records of addresses and ports at the start and every three minutes, as kube-apiserver's repair controllers: after a crash between the
 * record and the service, an import, or a change by hand.
 */
import type { ControllerContext, StartHook } from "../../plugin.ts";
import { pause } from "../../toolbox.ts";
import { serves } from "./bootstrap.ts";
import { repairAddresses } from "./repair-addresses.ts";
import { repairFamilies } from "./repair-families.ts";
import { repairPorts } from "./repair-ports.ts";
import type { Service } from "./service-schema.ts";

const v1 = "networking.{domain}/v1";
/** Milliseconds between two rounds (kube-apiserver's value). */
const everyMs = 180_000;

export const repairHook: StartHook = Object.freeze<StartHook>({
  name: "start-service-ip-repair-controllers",
  fieldManager: "kube-apiserver",
  run: (world) => repairAll(world, new Map()),
  async follow(world, signal) {
    const leaks = new Map<number, number>();
    for (await pause(everyMs, signal, world.clock); !signal.aborted; await pause(everyMs, signal, world.clock)) {
      try {
        await repairAll(world, leaks);
      } catch (error) {
        if (!signal.aborted) world.logError("the records of addresses and ports of services cannot be repaired", error);
      }
    }
  },
});

async function repairAll(world: ControllerContext, leaks: Map<number, number>): Promise<void> {
  const isServed = serves(world, "v1", "services") && serves(world, v1, "ipaddresses") && serves(world, v1, "servicecidrs");
  if (!isServed) return;
  // Addresses are read later than services: a service is stored after its address.
  const { items } = await world.api.list("v1", "services", ""), stored = items as unknown as readonly Service[]; // the type of the resource
  const services = await repairFamilies(world, stored);
  await repairPorts(world, services, leaks);
  await repairAddresses(world, services, world.clock.now());
}
