/** IP addresses: `ip("10.0.0.1")`, upstream's library `kubernetes.net.ip`. */
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { exactly } from "../../cost/range.ts";
import { boolType, intType, opaqueType, stringType } from "../../types.ts";
import { CelError, OpaqueValue, type Value } from "../../values.ts";
import { type Costs, declare, fixed, reading } from "../costs.ts";
import type { Library } from "../library.ts";
import { type Address, addressText, isMapped, parseAddress } from "../../../core/net/address.ts";

export const ipType = opaqueType("net.IP");

/** An IP address without a zone. */
export class IpValue extends OpaqueValue {
  readonly type = "net.IP";
  readonly address: Address;
  constructor(address: Address) {
    super();
    this.address = address;
  }
  override get text(): string {
    return addressText(this.address);
  }
  override get size(): number {
    return this.address.bytes.length;
  }
  equals(other: Value): boolean | CelError {
    if (!(other instanceof IpValue)) return new CelError("no such overload");
    return other.text === this.text;
  }
}

/** Parses an address. Rejects zones and mapped IPv4 addresses. */
export function ipOf(text: string): IpValue | CelError {
  const address = parseAddress(text);
  if (address instanceof Unreadable) {
    return new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${address.error}`);
  }
  if (address.zone !== "") return new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (isMapped(address)) return new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new IpValue(address);
}

/** Declares a property of addresses that depends on their bytes. */
function declareProperty(name: string, id: string, holds: (bytes: Uint8Array) => boolean) {
  return declare(name, fixed(1), {
    id,
    member: true,
    args: [ipType],
    result: boolType,
    call: (ip) => holds((ip as IpValue).address.bytes),
  });
}

const all = (bytes: Uint8Array, value: number) => bytes.every((byte) => byte === value);
const isUnspecified = (bytes: Uint8Array) => all(bytes, 0);
const isLoopback = (bytes: Uint8Array) => bytes.length === 4 ? bytes[0] === 127 : bytes[15] === 1 && all(bytes.subarray(0, 15), 0);
const isMulticast = (bytes: Uint8Array) => bytes.length === 4 ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff;
const isLinkLocalMulticast = (bytes: Uint8Array) =>
  bytes.length === 4 ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0 : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2;
const isLinkLocalUnicast = (bytes: Uint8Array) =>
  bytes.length === 4 ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
const isGlobalUnicast = (bytes: Uint8Array) =>
  !isUnspecified(bytes) && !(bytes.length === 4 && all(bytes, 255)) && !isLoopback(bytes) && !isMulticast(bytes) &&
  !isLinkLocalUnicast(bytes);

const parsing = reading(1);
/** The costs of `ip`, which parses an address or returns that of a network. */
export const ipCosts: Costs = {
  cost: (id, args, result) => id === "cidr_ip" ? 1 : parsing.cost!(id, args, result),
  estimate: (call, estimator) => call.overload === "cidr_ip" ? { cost: exactly(1n) } : parsing.estimate!(call, estimator),
};

export const ipLibrary: Library = {
  name: "kubernetes.net.ip",
  since: 30,
  typeNames: new Map([["net.IP", ipType]]),
  functions: [
    declare("ip", ipCosts, {
      id: "string_to_ip",
      member: false,
      args: [stringType],
      result: ipType,
      call: (text) => ipOf(text as string),
    }),
    declare("isIP", reading(1), {
      id: "is_ip",
      member: false,
      args: [stringType],
      result: boolType,
      call: (text) => !(ipOf(text as string) instanceof CelError),
    }),
    declare("ip.isCanonical", reading(2), {
      id: "ip_is_canonical",
      member: false,
      args: [stringType],
      result: boolType,
      call: (text) => {
        const ip = ipOf(text as string);
        return ip instanceof CelError ? ip : ip.text === text;
      },
    }),
    declare("family", fixed(1), {
      id: "ip_family",
      member: true,
      args: [ipType],
      result: intType,
      call: (ip) => (ip as IpValue).address.bytes.length === 4 ? 4n : 6n,
    }),
    declareProperty("isUnspecified", "ip_is_unspecified", isUnspecified),
    declareProperty("isLoopback", "ip_is_loopback", isLoopback),
    declareProperty("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
    declareProperty("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
    declareProperty("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
    declare("string", {}, {
      id: "ip_to_string",
      member: false,
      args: [ipType],
      result: stringType,
      call: (ip) => (ip as IpValue).text,
    }),
  ],
};
