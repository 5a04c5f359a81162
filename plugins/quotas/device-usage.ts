/** How quotas count resource claims: by their number, and by the devices of each class that they may get (KEP-4381). */
import type { ApiObject } from "../../plugin.ts";
import { spell } from "../../toolbox.ts";
import type { Amounts } from "./amounts.ts";
import { countName, type Usage, type UsageSettings } from "./counting.ts";
import { type DeviceClasses, extendedResourceGate, readDeviceClasses, requestsOf } from "./device-classes.ts";

export const ofDevices = "resource.{domain}";

/** Devices that a claim may get at most: what a request for all devices of a class counts as. */
const devicesOfAll = 32;

/** The members of a request that count. */
interface Request {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: number | bigint;
}
interface Claim extends ApiObject {
  readonly spec: {
    readonly devices?: { readonly requests?: readonly { readonly exactly?: Request; readonly firstAvailable?: readonly Request[] }[] };
  };
}

/** The number of devices of a request. A mode that is not known counts for none. */
function devicesOf({ allocationMode, count = 0 }: Request): bigint {
  if (allocationMode === "All") return BigInt(devicesOfAll);
  return allocationMode === "ExactCount" ? BigInt(count) : 0n;
}

/** What a request may use, by class. Of alternatives, the one that uses most of a class counts. */
function mostOf(requests: readonly Request[]): ReadonlyMap<string, bigint> {
  const most = new Map<string, bigint>();
  for (const request of requests) {
    const { deviceClassName = "" } = request, devices = devicesOf(request);
    if (devices > (most.get(deviceClassName) ?? 0n)) most.set(deviceClassName, devices);
  }
  return most;
}

/** `pods`: how pods are counted, whose claims for extended resources are charged with them. */
export function deviceUsage(settings: UsageSettings, pods: Usage): Usage {
  const { names, gates } = settings;
  const byClass = spell(names, `.deviceclass.${ofDevices}/devices`), count = countName(spell(names, ofDevices), "resourceclaims");
  const isOwn = (name: string) => name === count || name.endsWith(byClass);
  const isRequest = (name: string) => name.startsWith(requestsOf) && pods.matching([name]).length > 0 && name.includes("/");
  const usageWith = (classes: DeviceClasses | undefined): Usage => ({
    matching: (given) =>
      given.filter((name) => isOwn(name) || (isRequest(name) && (classes?.provides(name.slice(requestsOf.length)) ?? hasExtended))),
    charges: (_isCreate, subresource) => subresource === "",
    of(object): Amounts {
      const devices = devicesOfClaim(object as Claim); // the object is of this resource
      return {
        [count]: "1",
        ...Object.fromEntries([...devices].map(([name, number]) => [`${name}${byClass}`, `${number}`])),
        ...classes?.extendedUsage(object, devices),
      };
    },
    isIn: () => false,
    isCount: false,
  });
  const hasExtended = gates(extendedResourceGate), plain = usageWith(undefined);
  if (!hasExtended) return plain;
  return { ...plain, prepare: async (...place) => usageWith(await readDeviceClasses(place, settings, pods)) };
}

/** The devices that a claim may get, by class. */
function devicesOfClaim({ spec: { devices: { requests = [] } = {} } }: Claim): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { exactly, firstAvailable = [] } of requests) {
    const most = firstAvailable.length > 0 || exactly === undefined
      ? mostOf(firstAvailable)
      : new Map([[exactly.deviceClassName ?? "", devicesOf(exactly)]]);
    for (const [name, devices] of most) sums.set(name, (sums.get(name) ?? 0n) + devices);
  }
  return sums;
}
