/** IP addresses as upstream parses them: leading zeros in IPv4 and IPv4-mapped IPv6 addresses are accepted. */
import { type Address as AddressBytes, addressText, isMapped, parseAddress } from "../../core/net/address.ts";
import { Unreadable } from "../../toolbox.ts";

/** A parsed address. */
export interface Address {
  /** The canonical form. */
  readonly text: string;
  /** Whether it has leading zeros or is IPv4-mapped. Other programs parse such addresses differently or reject them. */
  readonly ambiguous: boolean;
}

/** Parses an IPv4 or IPv6 address. Undefined if the text is not an address. */
export function readAddress(text: string): Address | undefined {
  const address = readBytes(text);
  if (address === undefined) return undefined;
  const isIPv4 = isMapped(address), ambiguous = isIPv4 || withoutZeros(text) !== text;
  return { text: addressText(isIPv4 ? { bytes: address.bytes.slice(12), zone: "" } : address), ambiguous };
}

/** The bytes of an address. Undefined if the text is not an address. */
export function readBytes(text: string): AddressBytes | undefined {
  const address = parseAddress(withoutZeros(text));
  return address instanceof Unreadable || address.zone !== "" ? undefined : address;
}

/** The text without leading zeros of its IPv4 numbers, which may follow an IPv6 part. */
function withoutZeros(text: string): string {
  const from = text.lastIndexOf(":") + 1, numbers = text.slice(from).split(".");
  if (numbers.length !== 4) return text;
  return text.slice(0, from) + numbers.map((each) => /^[0-9]+$/.test(each) ? String(Number(each)) : each).join(".");
}

/** The warning for an address that is not canonical. */
export function warnOfAddress(text: string, path: string): readonly string[] {
  const read = readAddress(text);
  if (read === undefined || read.text === text) return [];
  return [
    read.ambiguous
      ? `${path}: non-standard IP address "${text}" is invalid: use "${read.text}"`
      : `${path}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${read.text}")`,
  ];
}
