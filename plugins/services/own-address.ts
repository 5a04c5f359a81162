/** The address by which others reach this server. */
import type { ControllerContext } from "../../plugin.ts";
import type { Machine } from "../../toolbox.ts";
import { canonicalAddress, familyOf, type IPFamily, plainBytes, validateEndpointAddress } from "../shared/addresses.ts";
import { advertiseSetting, bindSetting } from "./settings.ts";

/**
 * The address of `--advertise-address`, else that of `--bind-address`. If that one stands for all addresses, the first one of an interface of the
 * machine that others can reach: of the family of `--bind-address`, if there is one. Undefined if others can reach none.
 */
export function ownAddress({ setting, machine }: Pick<ControllerContext, "setting" | "machine">): string | undefined {
  const address = canonicalAddress(setting(advertiseSetting) || setting(bindSetting));
  if (address === undefined) return undefined;
  if (plainBytes(address)!.every((byte) => byte === 0)) return addressOfInterface(familyOf(address)!, machine); // it was parsed
  return isReachable(address) ? address : undefined;
}

function addressOfInterface(family: IPFamily, machine: Machine): string | undefined {
  const all = machine.addresses().map((each) => canonicalAddress(each)).filter((each) => each !== undefined).filter(isReachable);
  return all.find((each) => familyOf(each) === family) ?? all[0];
}

const isReachable = (address: string): boolean => validateEndpointAddress(address, "").length === 0;
