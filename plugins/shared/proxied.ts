/** Names of proxied objects, and addresses that may be proxied to. */
import { parseAddress, Unreadable } from "../../toolbox.ts";

/** `scheme:name:port`, of which only the name is required. */
export interface ProxiedName {
  readonly scheme: "" | "http" | "https";
  readonly name: string;
  readonly port: string;
}

/** Reads a name of a proxied object; undefined if it is none. */
export function proxiedName(text: string): ProxiedName | undefined {
  const parts = text.split(":");
  if (parts.length > 3) return undefined;
  const [scheme = "", name = "", port = ""] = parts.length < 3 ? ["", ...parts] : parts;
  if (name === "" || (scheme !== "" && scheme !== "http" && scheme !== "https")) return undefined;
  return { scheme, name, port };
}

/**
 * Whether requests may be proxied to an address. Loopback, link-local, multicast and unspecified addresses are refused. Otherwise
 * a user with the right to write pods could connect to programs on the machine of this server.
 */
export function isProxiedAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address instanceof Unreadable || address.zone !== "") return false;
  const { bytes } = address,
    mapped = bytes.length === 16 && bytes.subarray(0, 10).every((byte: number) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return isGlobalUnicast(mapped ? bytes.subarray(12) : bytes);
}

/** As Go's `IP.IsGlobalUnicast`. */
function isGlobalUnicast(bytes: Uint8Array): boolean {
  const [a = 0, b = 0] = bytes;
  if (bytes.length === 4) {
    const isBroadcast = bytes.every((byte: number) => byte === 255);
    return !isBroadcast && !bytes.every((byte: number) => byte === 0) && a !== 127 && !(a === 169 && b === 254) && !(a >= 224 && a < 240);
  }
  const isLow = bytes.subarray(0, 15).every((byte: number) => byte === 0) && bytes[15]! <= 1;
  return !isLow && a !== 0xff && !(a === 0xfe && (b & 0xc0) === 0x80);
}
