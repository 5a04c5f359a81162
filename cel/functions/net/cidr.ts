/** Networks: `cidr("10.0.0.0/8")`, upstream's library `kubernetes.net.cidr`. */
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { exactly, plus, scale, traversalFactor } from "../../cost/range.ts";
import type { Overload, Range } from "../../declarations.ts";
import { boolType, intType, opaqueType, stringType } from "../../types.ts";
import { traversal } from "../../value/size.ts";
import { CelError, OpaqueValue, type Value } from "../../values.ts";
import { type Costs, declare, fixed, reading, sizeOf } from "../costs.ts";
import type { Library } from "../library.ts";
import { isMapped, mask, parsePrefix, type Prefix, prefixText, sameNetwork } from "../../../core/net/address.ts";
import { ipCosts, ipOf, ipType, IpValue } from "./ip.ts";

export const cidrType = opaqueType("net.CIDR");

/** A network: an address and the length of its prefix. */
export class CidrValue extends OpaqueValue {
  readonly type = "net.CIDR";
  readonly prefix: Prefix;
  constructor(prefix: Prefix) {
    super();
    this.prefix = prefix;
  }
  override get text(): string {
    return prefixText(this.prefix);
  }
  override get size(): number {
    return Math.ceil(this.prefix.bits / 8);
  }
  equals(other: Value): boolean | CelError {
    return other instanceof CidrValue ? other.text === this.text : new CelError("no such overload");
  }
}

/** Parses a network. Rejects mapped IPv4 addresses. Like upstream's, the messages repeat their beginning. */
function cidrOf(text: string): CidrValue | CelError {
  const context = "network address parse error during conversion from string: ";
  const prefix = parsePrefix(text);
  if (prefix instanceof Unreadable) return new CelError(`${context}${context}${prefix.error}`);
  if (isMapped(prefix.address)) return new CelError(`${context}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new CidrValue(prefix);
}

/** Whether the network contains an address. As in upstream, `other` may be the error of its conversion, which becomes another error. */
function containsIp(cidr: CidrValue, other: Value): Value {
  if (!(other instanceof IpValue)) return new CelError("no such overload");
  return sameNetwork(cidr.prefix.address, other.address, cidr.prefix.bits);
}
function containsCidr(cidr: CidrValue, other: CidrValue | CelError): Value {
  if (other instanceof CelError) return other;
  return cidr.prefix.bits <= other.prefix.bits && sameNetwork(cidr.prefix.address, other.prefix.address, cidr.prefix.bits);
}

/** Number of bytes of an address: 4 or 16. */
const addressBytes: Range = { min: 4n, max: 16n };
const readTwice = scale(plus(addressBytes, addressBytes), traversalFactor);
const readThrice = plus(plus(readTwice, scale(addressBytes, traversalFactor)), exactly(1n));

/** Returns the costs of a comparison of addresses. The overload that takes a string also has those of parsing it. */
function comparison(parsing: string, run: (size: number) => number, base: Range): Costs {
  return {
    cost: (id, args) => run(sizeOf(args[0])) + (id === parsing ? traversal(sizeOf(args[1])) : 0),
    estimate: ({ overload, args }, estimator) => {
      if (args[0] === undefined) return undefined;
      return { cost: overload === parsing ? plus(base, scale(estimator.sizeOf(args[0]), traversalFactor)) : base };
    },
  };
}

function contains(id: string, arg: Overload["args"][number], call: (cidr: CidrValue, other: Value) => Value): Overload {
  return { id, member: true, args: [cidrType, arg], result: boolType, call: (cidr, other) => call(cidr as CidrValue, other!) };
}

export const cidrLibrary: Library = {
  name: "kubernetes.net.cidr",
  since: 30,
  typeNames: new Map([["net.CIDR", cidrType]]),
  functions: [
    declare("cidr", reading(1), {
      id: "string_to_cidr",
      member: false,
      args: [stringType],
      result: cidrType,
      call: (text) => cidrOf(text as string),
    }),
    declare("isCIDR", reading(1), {
      id: "is_cidr",
      member: false,
      args: [stringType],
      result: boolType,
      call: (text) => !(cidrOf(text as string) instanceof CelError),
    }),
    declare(
      "containsIP",
      comparison("cidr_contains_ip_string", (size) => traversal(2 * size), readTwice),
      contains("cidr_contains_ip_string", stringType, (cidr, text) => containsIp(cidr, ipOf(text as string))),
      contains("cidr_contains_ip_ip", ipType, containsIp),
    ),
    declare(
      "containsCIDR",
      comparison("cidr_contains_cidr_string", (size) => traversal(2 * size) + traversal(size) + 1, readThrice),
      contains("cidr_contains_cidr_string", stringType, (cidr, text) => containsCidr(cidr, cidrOf(text as string))),
      contains("cidr_contains_cidr", cidrType, (cidr, other) => containsCidr(cidr, other as CidrValue)),
    ),
    declare("ip", ipCosts, {
      id: "cidr_ip",
      member: true,
      args: [cidrType],
      result: ipType,
      call: (cidr) => new IpValue((cidr as CidrValue).prefix.address),
    }),
    declare("prefixLength", fixed(1), {
      id: "cidr_prefix_length",
      member: true,
      args: [cidrType],
      result: intType,
      call: (cidr) => BigInt((cidr as CidrValue).prefix.bits),
    }),
    declare("masked", fixed(1), {
      id: "cidr_masked",
      member: true,
      args: [cidrType],
      result: cidrType,
      call: (cidr) => new CidrValue(mask((cidr as CidrValue).prefix)),
    }),
    declare("string", {}, {
      id: "cidr_to_string",
      member: false,
      args: [cidrType],
      result: stringType,
      call: (cidr) => (cidr as CidrValue).text,
    }),
  ],
};
