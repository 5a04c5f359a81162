/** What text says that may be a token (RFC 7515, 7.1), before anything of it is verified. Nothing here may be trusted. */
import { limits } from "../../../core/limits.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether text begins as every token with a JSON header does: `{"` in base64url. */
export function mayBeToken(text: string): boolean {
  return text.startsWith("eyJ");
}

/** The issuer that a token names; undefined for text that is no token, and for text that is too long to be looked at. */
export function untrustedIssuer(token: string): string | undefined {
  const issuer = decoded(segmentsOf(token)?.[1])?.["iss"];
  return typeof issuer === "string" ? issuer : undefined;
}

/** The header of a token, with the id of its key, "" where it has none. Undefined for a malformed one, which makes the text no token. */
export function untrustedHeader(token: string): { readonly kid: string } | undefined {
  const [text = "", , signature = ""] = segmentsOf(token) ?? [];
  if (text.length > limits.tokenHeaderLengthMax || !alphabet.test(signature)) return undefined;
  const { alg, kid = "" } = decoded(text) ?? {};
  return typeof alg === "string" && typeof kid === "string" ? { kid } : undefined;
}

/** The object in JSON text; undefined for other text. */
export function parsedJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : undefined; // an object
  } catch {
    return undefined; // no JSON: not a token
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
    return undefined; // no base64, or no text: not a token
  }
}
