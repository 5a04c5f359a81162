/** The ranges of cluster addresses: those of the setting, and those of ServiceCIDRs that are ready. */
import { plainBytes } from "../shared/addresses.ts";
import { readCidr } from "../shared/cidr.ts";
import type { ServiceCIDR } from "./ranges-schema.ts";
import type { Family } from "./service-facts.ts";

export interface ClusterRange {
  readonly family: Family;
  /** The first address that services can have. */
  readonly first: bigint;
  /** The number of addresses that services can have: not the first of the range, and of IPv4 not the last. */
  readonly size: bigint;
}

/** The ranges of the setting `service-cluster-ip-range` in canonical form, the default family first. */
export function settingRanges(value: string): readonly string[] {
  return value.split(",").map((each) => each.trim());
}

export function rangeOf(text: string): ClusterRange | undefined {
  const read = readCidr(text);
  if (read === undefined) return undefined;
  const { network: { bytes }, networkBits } = read, isIPv4 = bytes.length === 4;
  const all = 1n << BigInt(bytes.length * 8 - networkBits);
  return { family: isIPv4 ? "IPv4" : "IPv6", first: numberOf(bytes) + 1n, size: all - (isIPv4 ? 2n : 1n) };
}

/** The ranges from which addresses are allocated: those of the setting first, as long as no object says otherwise. */
export function openRanges(setting: string, objects: readonly ServiceCIDR[]): readonly ClusterRange[] {
  const texts = new Set<string>(objects.some(({ metadata }) => metadata.name === defaultRange) ? [] : settingRanges(setting));
  for (const { metadata, spec, status } of objects) {
    const ready = (status.conditions ?? []).find(({ type }) => type === "Ready");
    // Without a condition a range counts as ready: its controller may not run.
    const isOpen = metadata.deletionTimestamp === undefined && (ready === undefined || ready.status === "True");
    if (isOpen) { for (const text of spec.cidrs ?? []) texts.add(text); }
  }
  return [...texts].flatMap((text) => rangeOf(text) ?? []);
}

/** The name of the ServiceCIDR with the ranges of the setting, and of the Service of the API. */
export const defaultRange = "kubernetes";

export function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}
/** The number of an address; undefined if the text is none. */
export function addressNumber(text: string): bigint | undefined {
  const bytes = plainBytes(text);
  return bytes === undefined ? undefined : numberOf(bytes);
}
/** The bytes of the address with this number. */
export function bytesOf(number: bigint, family: Family): Uint8Array {
  const bytes = new Uint8Array(family === "IPv4" ? 4 : 16);
  for (let at = bytes.length - 1, rest = number; at >= 0; at--, rest /= 256n) bytes[at] = Number(rest % 256n);
  return bytes;
}
export const isIn = ({ first, size }: ClusterRange, number: bigint): boolean => number >= first && number < first + size;
