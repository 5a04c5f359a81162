/** Reads a token (RFC 7515, 7.1) before its verification. The results must not be trusted. */
import { limits } from "../../../core/limits.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether text starts like every token with a JSON header: `{"` in base64url. */
export function mayBeToken(text: string): boolean {
  return text.startsWith("eyJ");
}

/** The issuer in a token; undefined for other text, and for text above the bound. */
export function untrustedIssuer(token: string): string | undefined {
  const issuer = decoded(segmentsOf(token)?.[1])?.["iss"];
  return typeof issuer === "string" ? issuer : undefined;
}

/** The header of a token, with the key id, "" if absent. Undefined for a malformed one: the text is then not a token. */
export function untrustedHeader(token: string): { readonly kid: string } | undefined {
  const [text = "", , signature = ""] = segmentsOf(token) ?? [];
  if (text.length > limits.tokenHeaderLengthMax || !alphabet.test(signature)) return undefined;
  const { alg, kid = "" } = decoded(text) ?? {};
  return typeof alg === "string" && typeof kid === "string" ? { kid } : undefined;
}

/** The object in a JSON text; undefined for other text. */
export function parsedJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : undefined; // An object.
  } catch {
    return undefined; // Not JSON: not a token.
  }
}

function segmentsOf(token: string): readonly [header: string, payload: string, signature: string] | undefined {
  if (token.length > limits.tokenLengthMax) return undefined;
  const first = token.indexOf("."), last = token.lastIndexOf(".");
  if (first <= 0 || last === first || token.indexOf(".", first + 1) !== last) return undefined;
  return [token.slice(0, first), token.slice(first + 1, last), token.slice(last + 1)];
}

const alphabet = /^[A-Za-z0-9_-]*$/;

/** The JSON object in a segment. */
function decoded(segment: string | undefined): Json | undefined {
  if (segment === undefined || !alphabet.test(segment)) return undefined;
  try {
    const letters = atob(segment.replaceAll("-", "+").replaceAll("_", "/")), bytes = new Uint8Array(letters.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
    return parsedJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined; // Not base64, or not text: not a token.
  }
}
