/**
 * Allocates cluster addresses. The record is the IPAddress object with the name of the address: the server whose create succeeds has the
 * address, so two servers never give it away twice.
 *
 *     chosen address ──> create IPAddress ──> created: the service has it
 *                   ^──── exists already ─────┘ (of a wanted address: rejected)
 */
import { invalid, type RequestHookContext, StatusError } from "../../plugin.ts";
import { chanceOf, internalError } from "../../toolbox.ts";
import { canonicalAddress, familyOf } from "../shared/addresses.ts";
import { addressObject } from "./address-object.ts";
import { refuse } from "./allocate-families.ts";
import { addressNumber, bytesOf, type ClusterRange, isIn, openRanges } from "./cluster-ranges.ts";
import { freeNumber, lowNumbers } from "./free-number.ts";
import type { IPAddress, ServiceCIDR } from "./ranges-schema.ts";
import { addressesOf, familiesOf, type Family, isName, none, withSpec } from "./service-facts.ts";
import { staysPreferring } from "./allocate-families.ts";
import type { Service } from "./service-schema.ts";
import { addressTriesMax } from "./bounds.ts";
import { clusterRangeSetting } from "./settings.ts";

const v1 = "networking.{domain}/v1";

/** Allocates the addresses of a new service, or those that an update adds, and registers what is given back. */
export async function withAddresses(next: Service, prior: Service | undefined, context: RequestHookContext): Promise<Service> {
  if (prior === undefined || (isName(prior) && !isName(next))) return await allocateAll(next, context);
  if (staysPreferring(next, prior) || addressesOf(prior)[0] === none) return next;
  if (isName(next)) {
    if (!isName(prior)) giveBack(addressesOf(prior), context);
    return next;
  }
  const before = familiesOf(prior).length, after = familiesOf(next).length;
  if (before === 1 && after === 2) {
    const [first = "", second = ""] = addressesOf(next);
    return withSpec(next, { clusterIPs: [first, await allocate(next, familiesOf(next)[1]!, second, context)] });
  }
  if (before === 2 && after === 1) giveBack(addressesOf(prior).slice(1), context);
  return next;
}

async function allocateAll(next: Service, context: RequestHookContext): Promise<Service> {
  if (isName(next) || addressesOf(next)[0] === none) return next;
  const addresses = [...addressesOf(next)];
  for (const [i, family] of familiesOf(next).entries()) addresses[i] = await allocate(next, family, addresses[i] ?? "", context);
  return withSpec(next, { clusterIP: addresses[0], clusterIPs: addresses });
}

/** The address of the service in a family: the wanted one, or a free one if it wants none. */
async function allocate(service: Service, family: Family, wanted: string, context: RequestHookContext): Promise<string> {
  const { server, allocation: { setting } } = context;
  const objects = await server.recent(v1, "servicecidrs", "") as readonly ServiceCIDR[]; // the type of the resource; the same holds below
  const ranges = openRanges(setting(clusterRangeSetting), objects).filter((each) => each.family === family);
  if (wanted !== "") {
    const number = addressNumber(wanted)!; // it was checked
    const why = !ranges.some((range) => isIn(range, number))
      ? "the provided network does not match the current range"
      : await take(service, canonicalAddress(wanted)!, context)
      ? undefined
      : "provided IP is already allocated";
    if (why !== undefined) refuse(service, [invalid("spec.clusterIPs", shown(service, wanted), `failed to allocate IP ${wanted}: ${why}`)]);
    return wanted;
  }
  const taken = new Set((await server.recent(v1, "ipaddresses", "") as readonly IPAddress[]).map(({ metadata }) => metadata.name ?? ""));
  for (const range of ranges) {
    const address = await takeFree(service, range, taken, context);
    if (address !== undefined) return address;
  }
  throw internalError(`failed to allocate a serviceIP for Service "${service.metadata.name ?? ""}": range is full`);
}
/** The list of addresses as upstream's error shows it. */
const shown = (service: Service, wanted: string) => addressesOf(service).length > 0 ? addressesOf(service) : [wanted];

/** Takes a free address of a range. Addresses that others take meanwhile are skipped. Undefined if the range is full. */
async function takeFree(
  service: Service,
  range: ClusterRange,
  taken: Set<string>,
  context: RequestHookContext,
): Promise<string | undefined> {
  const { family, first, size } = range;
  const { namespace = "", name = "" } = service.metadata, chance = chanceOf(context.server.clock);
  const random = () => chance.number(`addresses of ${namespace}/${name}`);
  const textOf = (number: bigint) => canonicalAddress(bytesOf(first + number, family))!;
  for (let tries = 0; tries < addressTriesMax; tries++) {
    const number = freeNumber(size, lowNumbers(size, 16n, 256n), (each) => !taken.has(textOf(each)), random);
    if (number === undefined) return undefined;
    const address = textOf(number);
    if (await take(service, address, context)) return address;
    taken.add(address);
  }
  return undefined;
}

/** Creates the object of an address. False if it exists. As upstream's, a dry run does not look. */
async function take({ metadata }: Service, address: string, context: RequestHookContext): Promise<boolean> {
  const { isDryRun, names, allocation: { api } } = context;
  if (isDryRun) return true;
  try {
    await api.create(v1, "ipaddresses", "", addressObject(names, address, metadata));
  } catch (error) {
    if (error instanceof StatusError && error.reason === "AlreadyExists") return false;
    throw error;
  }
  context.ifNotStored(() => releaseAddresses([address], context));
  return true;
}

function giveBack(addresses: readonly string[], context: RequestHookContext): void {
  if (!context.isDryRun) context.ifStored(() => releaseAddresses(addresses, context));
}

/** Deletes the objects of addresses. Never rejects: an address that cannot be given back is logged, and stays in use. */
export async function releaseAddresses(addresses: readonly string[], { allocation: { api }, server }: RequestHookContext): Promise<void> {
  for (const address of addresses) {
    const name = familyOf(address) === undefined ? undefined : canonicalAddress(address);
    if (name === undefined) continue; // "None"
    try {
      await api.delete(v1, "ipaddresses", "", name);
    } catch (error) {
      if (!(error instanceof StatusError && error.reason === "NotFound")) server.failed(`release of the address ${name}`, error);
    }
  }
}
