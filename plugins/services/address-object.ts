/** The IPAddress of an address that a service has. */
import { type Names, spell } from "../../toolbox.ts";
import { familyOf, type IPFamily } from "../shared/addresses.ts";

/** The value of the label that says who has made an IPAddress. */
export const allocatorName = "ipallocator.k8s.io";

export function addressLabels(names: Names, family: IPFamily): Readonly<Record<string, string>> {
  return {
    [spell(names, "ipaddress.{platform}.io/ip-family")]: family,
    [spell(names, "ipaddress.{platform}.io/managed-by")]: allocatorName,
  };
}

/** The object to create. `address` is canonical. */
export function addressObject(
  names: Names,
  address: string,
  { namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string },
): object {
  return {
    metadata: { name: address, labels: addressLabels(names, familyOf(address)!) }, // it is an address
    spec: { parentRef: { group: "", resource: "services", namespace, name } },
  };
}
