/**
 * Reads the parts of a compact signed token (RFC 7515, 7.1) so that every reader sees the same values as a kube-apiserver, or rejects it. Two readers that
 * differ in a duplicate name, in the case of a name, or in a number beyond the range of doubles see different tokens. Nothing is verified here.
 */
import { readJson } from "../../core/tree/json.ts";
import { NumberText, type Tree, TreeObject } from "../../core/tree/tree.ts";
import { bytesOf, parseBase64 } from "../../core/scalars/base64.ts";
import { peerChainLengthMax } from "../../core/bounds.ts";
import type { PartCrypto } from "../../core/part.ts";

/** A JSON object. */
export type TokenObject = Readonly<Record<string, unknown>>;

/**
 * The segments of a token: three, in canonical base64url, without padding and unused bits. Undefined for other text.
 *
 * @param signature "any": its unused bits are not checked, for a caller that reports it as a wrong signature
 */
export function segmentsOf(
  token: string,
  signature: "canonical" | "any" = "canonical",
): readonly [header: string, payload: string, signature: string] | undefined {
  const first = token.indexOf("."), last = token.lastIndexOf(".");
  if (first <= 0 || last === first || token.indexOf(".", first + 1) !== last) return undefined;
  const segments = [token.slice(0, first), token.slice(first + 1, last), token.slice(last + 1)] as const;
  const [header, payload, signed] = segments;
  const isSigned = signature === "canonical" ? isCanonical(signed) : signed.length % 4 !== 1 && alphabet.test(signed);
  return isSigned && isCanonical(header) && isCanonical(payload) ? segments : undefined;
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const alphabet = /^[A-Za-z0-9_-]*$/;

function isCanonical(segment: string): boolean {
  const rest = segment.length % 4;
  if (rest === 1 || !alphabet.test(segment)) return false;
  // Two letters are one byte, three are two.
  const unused = rest === 2 ? 0b1111 : rest === 3 ? 0b11 : 0;
  return (letters.indexOf(segment.at(-1) ?? "A") & unused) === 0;
}

/** The object in a segment of `segmentsOf`. Undefined as for `tokenObject`. */
export function objectOf(segment: string): TokenObject | undefined {
  const text = atob(segment.replaceAll("-", "+").replaceAll("_", "/"));
  return tokenObject(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
}

/**
 * The JSON object in a header or a payload. Undefined for other text, and for an object with a duplicate name at any level, with a name that differs in case only from
 * a registered one, with a number beyond the range of doubles, or with text that is not Unicode.
 */
export function tokenObject(bytes: Uint8Array): TokenObject | undefined {
  try {
    // The byte order mark stays, and is not JSON.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const read = readJson(text);
    if (!read.ok || !(read.tree instanceof TreeObject) || !isPlain(read.tree) || read.tree.keys.some(isAlmostRegistered)) return undefined;
    const value = JSON.parse(text) as TokenObject; // An object, as the tree.
    return isUnicode(value) ? value : undefined;
  } catch {
    return undefined; // Not UTF-8.
  }
}

/** Without duplicate names and infinite numbers. */
function isPlain(tree: Tree): boolean {
  const rest: Tree[] = [tree];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (next instanceof TreeObject && new Set(next.keys).size < next.keys.length) return false;
    for (const value of next instanceof TreeObject ? next.values : Array.isArray(next) ? next : []) {
      if (value instanceof TreeObject || Array.isArray(value)) rest.push(value);
      else if (value instanceof NumberText && !Number.isFinite(Number(value.text))) return false;
    }
  }
  return true;
}

/** Lone surrogates of escapes remain in parsed text. */
function isUnicode(value: unknown): boolean {
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string") {
      if (!next.isWellFormed()) return false;
    } else if (typeof next === "object" && next !== null) {
      for (const [key, inner] of Object.entries(next)) {
        if (!key.isWellFormed()) return false;
        rest.push(inner);
      }
    }
  }
  return true;
}

/** Names that a kube-apiserver recognises in any case. */
const registered = new Set(["iss", "sub", "aud", "exp", "iat", "nbf", "nonce", "at_hash", "_claim_names", "_claim_sources"]);

function isAlmostRegistered(name: string): boolean {
  if (registered.has(name)) return false;
  // Its comparison takes the long s for an s; lower case does so with the sign of kelvin.
  return name.length <= 16 && registered.has(name.toLowerCase().replaceAll("\u017f", "s"));
}

export interface TokenHeader {
  readonly alg: string;
  /** "" if absent. */
  readonly kid: string;
  /** Whether it has extensions that a verifier must understand: there are none. */
  readonly isExtended: boolean;
}

/** A function that returns whether the bytes are an X.509 certificate. */
export type IsCertificate = PartCrypto["isCertificate"];

/**
 * The header of a token. Undefined where a kube-apiserver rejects it: without an algorithm, with values of other types, with a key of its own, and with certificates that
 * are none.
 */
export function headerOf(segment: string, isCertificate: IsCertificate): TokenHeader | undefined {
  const header = objectOf(segment);
  if (header === undefined) return undefined;
  const { alg, kid = "", nonce = "", x5c = [], jwk, crit, b64 } = header;
  if (typeof alg !== "string" || typeof kid !== "string" || typeof nonce !== "string") return undefined;
  if (jwk !== undefined || !areCertificates(x5c, isCertificate)) return undefined;
  return { alg, kid, isExtended: crit !== undefined || b64 !== undefined };
}

function areCertificates(chain: unknown, isCertificate: IsCertificate): boolean {
  return Array.isArray(chain) && chain.length <= peerChainLengthMax && chain.every((text: unknown) => {
    const parsed = typeof text === "string" ? parseBase64(text) : undefined;
    return typeof parsed === "string" && isCertificate(bytesOf(parsed));
  });
}
