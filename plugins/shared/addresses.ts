/** The rules of addresses in services and endpoints, with upstream's texts. */
import { type FieldError, invalid } from "../../plugin.ts";
import { addressText, isMapped, parseAddress, sameNetwork } from "../../core/net/address.ts";
import { Unreadable } from "../../toolbox.ts";
import { readBytes } from "./address-text.ts";

/** A family of addresses. */
export type IPFamily = "IPv4" | "IPv6";

/** The family of an address. IPv4-mapped addresses are IPv4. Undefined if the text is no address. */
export function familyOf(text: string): IPFamily | undefined {
  const bytes = plainBytes(text);
  return bytes === undefined ? undefined : bytes.length === 4 ? "IPv4" : "IPv6";
}

/** The bytes of an address: 4 of an IPv4 one, also if it is mapped, and 16 of an IPv6 one. Undefined if the text is no address. */
export function plainBytes(text: string): Uint8Array | undefined {
  const address = readBytes(text);
  if (address === undefined) return undefined;
  return isMapped(address) ? address.bytes.slice(12) : address.bytes;
}

const notAnAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** Checks an address of an older field. It may have leading zeros and be IPv4-mapped, unless `strict` is set (`isStrict`). */
export function validateAddress(text: string, path: string, strict: boolean): readonly FieldError[] {
  if (readBytes(text) === undefined) return [invalid(path, text, notAnAddress)];
  return strict ? validateStrictAddress(text, path) : [];
}

function validateStrictAddress(text: string, path: string): readonly FieldError[] {
  const strict = parseAddress(text);
  if (strict instanceof Unreadable) return [invalid(path, text, "must not have leading 0s")];
  return isMapped(strict) ? [invalid(path, text, "must not be an IPv4-mapped IPv6 address")] : [];
}

/** Checks that an address is valid and canonical, as newer fields require. */
export function validateCanonicalAddress(text: string, path: string): readonly FieldError[] {
  const bytes = plainBytes(text);
  if (bytes === undefined) return [invalid(path, text, notAnAddress)];
  const wrong = validateStrictAddress(text, path);
  if (wrong.length > 0) return wrong;
  const canonical = addressText({ bytes, zone: "" });
  return canonical === text ? [] : [invalid(path, text, `must be in canonical form ("${canonical}")`)];
}

const ranges = [
  { text: "0.0.0.0", bits: 32, isUnspecified: true, name: "" },
  { text: "::", bits: 128, isUnspecified: true, name: "" },
  { text: "127.0.0.0", bits: 8, name: "loopback range (127.0.0.0/8, ::1/128)" },
  { text: "::1", bits: 128, name: "loopback range (127.0.0.0/8, ::1/128)" },
  { text: "169.254.0.0", bits: 16, name: "link-local range (169.254.0.0/16, fe80::/10)" },
  { text: "fe80::", bits: 10, name: "link-local range (169.254.0.0/16, fe80::/10)" },
  { text: "224.0.0.0", bits: 24, name: "link-local multicast range (224.0.0.0/24, ff02::/10)" },
].map((range) => ({ ...range, bytes: plainBytes(range.text)! })); // all of them are addresses

/** Link-local multicast addresses of IPv6 have 2 in the low half of their second byte. */
function isLinkLocalMulticast(bytes: Uint8Array): boolean {
  return bytes.length === 16 && bytes[0] === 0xff && (bytes[1]! & 0x0f) === 0x02;
}

/** Checks that an address can be that of an endpoint. */
export function validateEndpointAddress(text: string, path: string): readonly FieldError[] {
  const bytes = plainBytes(text);
  if (bytes === undefined) return [invalid(path, text, "must be a valid IP address")];
  const found = ranges.find((range) =>
    range.bytes.length === bytes.length && sameNetwork({ bytes, zone: "" }, { bytes: range.bytes, zone: "" }, range.bits)
  );
  if (found?.isUnspecified) return [invalid(path, text, `may not be unspecified (${text})`)];
  const name = found?.name ?? (isLinkLocalMulticast(bytes) ? "link-local multicast range (224.0.0.0/24, ff02::/10)" : undefined);
  return name === undefined ? [] : [invalid(path, text, `may not be in the ${name}`)];
}

/** The canonical text of an address, which is given as text or as its bytes. Undefined if the text is no address. */
export function canonicalAddress(address: string | Uint8Array): string | undefined {
  const bytes = typeof address === "string" ? plainBytes(address) : address;
  return bytes === undefined ? undefined : addressText({ bytes, zone: "" });
}
