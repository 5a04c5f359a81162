/** Reads a token before its verification. The results must not be trusted. */
import { limits } from "../../../../core/limits.ts";
import { parsed } from "./document.ts";

/** The issuer in a compact JWT; undefined for other text. */
export function untrustedIssuer(token: string): string | undefined {
  if (token.length > limits.jwtLengthMax) return undefined;
  const [, payload, signature, ...more] = token.split(".", 4);
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  const issuer = parsed(decoded(payload) ?? "")?.["iss"];
  return typeof issuer === "string" ? wholeIssuer(issuer) : undefined;
}

/** The algorithm in the header of a compact JWT. */
export function untrustedAlgorithm(token: string): string {
  const algorithm = parsed(decoded(token.slice(0, token.indexOf("."))) ?? "")?.["alg"];
  return typeof algorithm === "string" ? algorithm : "";
}

/** Google omits the scheme in some tokens (OpenID Connect Core 1.0, section 15.6.2). */
export function wholeIssuer(issuer: string): string {
  return issuer === "accounts.google.com" ? `https://${issuer}` : issuer;
}

/** Decodes base64url; undefined if malformed. */
function decoded(base64: string): string | undefined {
  if (!/^[\w-]*$/.test(base64)) return undefined;
  try {
    const bytes = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
