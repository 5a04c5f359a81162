/** Blocks of IP addresses in CIDR notation as upstream parses them: leading zeros and IPv4-mapped IPv6 addresses are accepted. */
import { type Address, addressText, isMapped, mask, parsePrefix, type Prefix, prefixText, sameNetwork } from "../../core/net/address.ts";
import { type FieldError, invalid } from "../../plugin.ts";
import { goQuote, Unreadable } from "../../toolbox.ts";
import { readBytes } from "./address-text.ts";

/** A parsed block. */
export interface Cidr {
  /** The address as it is written. */
  readonly address: Address;
  /** The first address of the block, with the length in bits that its text has. IPv4-mapped addresses count as IPv4. */
  readonly network: Address;
  readonly networkBits: number;
  /** The length as it is written. */
  readonly bits: number;
}

const mappedBits = 96;

/** Parses a block. Undefined if the text is none. */
export function readCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const address = readBytes(text.slice(0, slash)), length = text.slice(slash + 1);
  const bits = /^[0-9]+$/.test(length) ? Number(length) : NaN;
  if (address === undefined || !(bits <= address.bytes.length * 8)) return undefined;
  const network = mask({ address, bits }).address;
  return isMapped(network)
    ? { address, network: { bytes: network.bytes.slice(12), zone: "" }, networkBits: bits - mappedBits, bits }
    : { address, network, networkBits: bits, bits };
}

/** The problems of a block of an older field. It may be in several forms of one block, unless `strict` is set (`isStrict`). */
export function invalidCidr(text: string, strict: boolean): readonly string[] {
  if (readCidr(text) === undefined) return ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
  return strict ? invalidStrictCidr(text) : [];
}

function invalidStrictCidr(text: string): readonly string[] {
  const strict = parsePrefix(text);
  if (strict instanceof Unreadable) return ["must not have leading 0s in IP or prefix length"];
  if (isMapped(strict.address)) return ["must not have an IPv4-mapped IPv6 address"];
  const isFirst = addressText(mask(strict).address) === addressText(strict.address);
  return isFirst ? [] : ["must not have bits set beyond the prefix length"];
}

/** Whether the first address of `part` is in `block`, and `part` has a longer prefix. */
export function isWithin(part: Cidr, block: Cidr): boolean {
  return part.bits > block.bits && sameNetwork(part.network, block.network, block.networkBits);
}

/** The problems of an address with the length of its network: `192.0.2.5/24`. It must be canonical. */
export function invalidInterfaceAddress(text: string): readonly string[] {
  const read = readCidr(text);
  if (read === undefined) return ["must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"];
  const { address, bits } = read, length = isMapped(address) && bits > 32 ? bits - mappedBits : bits;
  const canonical = `${plainText(address)}/${length}`;
  return text === canonical ? [] : [`must be in canonical form (${goQuote(canonical)})`];
}

const plainText = (address: Address) =>
  isMapped(address) ? addressText({ bytes: address.bytes.slice(12), zone: "" }) : addressText(address);

/** The warnings for a block that is not canonical. */
export function warnOfCidr(text: string, path: string): readonly string[] {
  const read = readCidr(text);
  if (read === undefined) return [];
  const { address, network, networkBits } = read;
  const canonical = `${addressText(network)}/${networkBits}`;
  const warnings: string[] = [];
  if (plainText(address) !== addressText(network)) {
    const single = `${plainText(address)}/${address.bytes.length * 8}`;
    warnings.push(`${path}: CIDR value "${text}" is ambiguous in this context (should be "${canonical}" or "${single}"?)`);
  }
  const strict = parsePrefix(text);
  if (strict instanceof Unreadable || isMapped(strict.address)) {
    warnings.push(`${path}: non-standard CIDR value "${text}" is invalid: use "${canonical}"`);
  } else if (warnings.length === 0 && address.bytes.length > 4 && prefixText(strict) !== text) {
    warnings.push(`${path}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${prefixText(strict)}")`);
  }
  return warnings;
}

/** Checks that a block is valid, canonical and without bits beyond its length, as newer fields require. */
export function validateCanonicalCidr(text: string, path: string): readonly FieldError[] {
  const [wrong] = invalidCidr(text, true);
  if (wrong !== undefined) return [invalid(path, text, wrong)];
  const canonical = prefixText(mask(parsePrefix(text) as Prefix)); // it was parsed above
  return canonical === text ? [] : [invalid(path, text, `must be in canonical form ("${canonical}")`)];
}
