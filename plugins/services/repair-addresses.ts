/** Repairs the IPAddress objects of services: each address of a service has one, and each one made by a server has a service. */
import { type ControllerContext, StatusError } from "../../plugin.ts";
import { type EventNews, spell, valueText } from "../../toolbox.ts";
import { canonicalAddress, familyOf } from "../shared/addresses.ts";
import { addressLabels, addressObject, allocatorName } from "./address-object.ts";
import { addressNumber, type ClusterRange, isIn, rangeOf, settingRanges } from "./cluster-ranges.ts";
import type { IPAddress, ServiceCIDR } from "./ranges-schema.ts";
import { addressesOf, isHeadless, isName } from "./service-facts.ts";
import type { Service } from "./service-schema.ts";
import { clusterRangeSetting } from "./settings.ts";

const v1 = "networking.{domain}/v1";

/** Milliseconds for which an address without a service may belong to a request that is not finished, and for which one may be taken back. */
const requestMs = 60_000, takenBackMs = 5_000;

interface State {
  readonly world: ControllerContext;
  readonly services: ReadonlyMap<string, Service>;
  readonly addresses: ReadonlyMap<string, IPAddress>;
  readonly ranges: readonly ClusterRange[];
  readonly now: number;
}

/** `now`: the time in milliseconds. */
export async function repairAddresses(world: ControllerContext, services: readonly Service[], now: number): Promise<void> {
  const { api, setting } = world;
  const list = async () => (await api.list(v1, "ipaddresses", "")).items as unknown as readonly IPAddress[]; // the types of the resources
  const cidrs = (await api.list(v1, "servicecidrs", "")).items as unknown as readonly ServiceCIDR[];
  const texts = cidrs.length > 0 ? cidrs.flatMap(({ spec }) => spec.cidrs ?? []) : settingRanges(setting(clusterRangeSetting));
  const state: State = {
    world,
    services: new Map(services.map((each) => [keyOf(each.metadata), each])),
    addresses: new Map((await list()).map((each) => [each.metadata.name ?? "", each])),
    ranges: texts.flatMap((each) => rangeOf(each) ?? []),
    now,
  };
  for (const service of services) {
    if (isName(service) || isHeadless(service)) continue;
    for (const address of addressesOf(service)) await repairService(service, address, state);
  }
  for (const address of await list()) await repairAddress(address, state);
}

const keyOf = ({ namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string }): string => `${namespace}/${name}`;

/** Makes the object of an address of a service, or makes it again if it is of something else. */
async function repairService(service: Service, text: string, state: State): Promise<void> {
  const { world, ranges, addresses, services } = state, address = canonicalAddress(text), { namespace = "", name = "" } = service.metadata;
  if (address === undefined) {
    return tell(
      world,
      service,
      "ClusterIPNotValid",
      `Cluster IP ${text} is not a valid IP; please recreate Service`,
      "ClusterIPValidation",
    );
  }
  const family = familyOf(address)!, what = `[${family}]: ${address}`, number = addressNumber(address)!; // it is an address
  const report = (reason: string, note: string) => tell(world, service, reason, note, "ClusterIPAllocation");
  if (!ranges.some((range) => range.family === family && isIn(range, number))) {
    return report("ClusterIPOutOfRange", `Cluster IP ${what} is not within any configured Service CIDR; please recreate service`);
  }
  const object = addresses.get(address), wrong = `the ClusterIP ${what} for Service ${namespace}/${name} has a wrong reference; repairing`;
  if (object === undefined) {
    report("ClusterIPNotAllocated", `Cluster IP ${what} is not allocated; repairing`);
    return await make(service, address, state);
  }
  const parent = object.spec.parentRef, other = parent === undefined ? undefined : services.get(keyOf(parent));
  if (!isOfService(object) || (keyOf(parent!) !== keyOf(service.metadata) && other === undefined)) {
    report("ClusterIPNotAllocated", wrong);
    return await makeAgain(service, object, state);
  }
  if (other !== undefined && other !== service && hasAddress(other, address)) {
    return report("ClusterIPAlreadyAllocated", `Cluster IP ${what} was assigned to multiple services; please recreate service`);
  }
  const wanted = addressLabels(world.names, family), labels = object.metadata.labels ?? {};
  if (Object.entries(wanted).some(([key, value]) => labels[key] !== value)) await makeAgain(service, object, state);
}

function isOfService({ spec: { parentRef } }: IPAddress): boolean {
  return (parentRef?.group ?? "") === "" && parentRef?.resource === "services";
}

function hasAddress(service: Service, address: string): boolean {
  return addressesOf(service).some((each) => canonicalAddress(each) === address);
}

/** Removes the object of an address that belongs to no service. */
async function repairAddress(object: IPAddress, { world, services, now }: State): Promise<void> {
  const { name = "", labels = {}, creationTimestamp } = object.metadata, { parentRef } = object.spec;
  if (labels[spell(world.names, "ipaddress.{platform}.io/managed-by")] !== allocatorName) return;
  const remove = async (reason: string, note: string) => {
    tell(world, object, reason, note, "IPAddressAllocation");
    await removed(object, world);
  };
  if (!isOfService(object)) {
    const text = valueText(parentRef ?? null);
    return await remove(
      "IPAddressNotAllocated",
      `IPAddress ${name} appears to have been modified, not referencing a Service ${text}: cleaning up`,
    );
  }
  const service = services.get(keyOf(parentRef!)), ageMs = now - Date.parse(creationTimestamp ?? ""); // it refers to a service
  const of = `IPAddress: ${name} for Service ${keyOf(parentRef!)}`;
  if (service === undefined) {
    if (ageMs > requestMs) await remove("IPAddressNotAllocated", `${of} appears to have leaked: cleaning up`);
    return;
  }
  if (hasAddress(service, name) || ageMs < (isName(service) ? requestMs : takenBackMs)) return;
  await remove("IPAddressWrongReference", `${of} has a wrong reference; cleaning up`);
}

function tell({ events }: ControllerContext, object: Service | IPAddress, reason: string, note: string, action: string): void {
  const news: EventNews = { type: "Warning", reason, action, note, controller: "ipallocator-repair-controller" };
  events.record(object, news);
}

/** The object of an address that other servers make at the same time is theirs. */
async function make(service: Service, address: string, { world: { api, names } }: State): Promise<void> {
  try {
    await api.create(v1, "ipaddresses", "", addressObject(names, address, service.metadata));
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === "AlreadyExists")) throw error;
  }
}

async function makeAgain(service: Service, object: IPAddress, state: State): Promise<void> {
  await removed(object, state.world);
  await make(service, object.metadata.name!, state); // it is stored
}

/** Removes this object. One that was made in its place stays. */
async function removed({ metadata: { name = "", uid } }: IPAddress, { api }: ControllerContext): Promise<void> {
  try {
    await api.delete(v1, "ipaddresses", "", name, { preconditions: { uid } });
  } catch (error) {
    if (!(error instanceof StatusError && (error.reason === "NotFound" || error.reason === "Conflict"))) throw error;
  }
}
