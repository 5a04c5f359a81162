/** How quotas count resource claims: by their number, and by the devices of each class that they may get (KEP-4381). */
import type { ApiObject } from "../../plugin.ts";
import { spell } from "../../toolbox.ts";
import type { Amounts } from "./amounts.ts";
import { countName, type Usage, type UsageSettings } from "./counting.ts";

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

export function deviceUsage({ names }: UsageSettings): Usage {
  const byClass = spell(names, `.deviceclass.${ofDevices}/devices`), count = countName(spell(names, ofDevices), "resourceclaims");
  return {
    matching: (given) => given.filter((name) => name === count || name.endsWith(byClass)),
    charges: (_isCreate, subresource) => subresource === "",
    of(object): Amounts {
      const { devices: { requests = [] } = {} } = (object as Claim).spec; // the object is of this resource
      const sums = new Map<string, bigint>();
      for (const { exactly, firstAvailable = [] } of requests) {
        const most = firstAvailable.length > 0 || exactly === undefined
          ? mostOf(firstAvailable)
          : new Map([[exactly.deviceClassName ?? "", devicesOf(exactly)]]);
        for (const [name, devices] of most) sums.set(name, (sums.get(name) ?? 0n) + devices);
      }
      return { [count]: "1", ...Object.fromEntries([...sums].map(([name, devices]) => [`${name}${byClass}`, `${devices}`])) };
    },
    isIn: () => false,
    isCount: false,
  };
}
