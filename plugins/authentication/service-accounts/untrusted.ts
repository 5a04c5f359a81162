/** Reads a token (RFC 7515, 7.1) before its verification. The results must not be trusted. */
import { headerOf, type IsCertificate, objectOf, segmentsOf, type TokenHeader } from "../signed-token.ts";
import { bound } from "../../../core/bound.ts";

/** UTF-16 units of a service account token. Longer text is not treated as a token. */
export const tokenLengthMax = bound(128 * 1024);
/** UTF-16 units of the header of a service account token. Text with a longer one is not treated as a token. */
export const tokenHeaderLengthMax = bound(4096);

/** Whether text starts like every token with a JSON header: `{"` in base64url. */
export function mayBeToken(text: string): boolean {
  return text.startsWith("eyJ");
}

/** The issuer in a token; undefined for other text, and for text above the bound. */
export function untrustedIssuer(token: string): string | undefined {
  const payload = boundedSegments(token)?.[1];
  const issuer = payload === undefined ? undefined : objectOf(payload)?.["iss"];
  return typeof issuer === "string" ? issuer : undefined;
}

/** The header of a token, with the key id, "" if absent. Undefined for a malformed one: the text is then not a token. */
export function untrustedHeader(token: string, isCertificate: IsCertificate): TokenHeader | undefined {
  const header = boundedSegments(token)?.[0];
  return header === undefined || header.length > tokenHeaderLengthMax ? undefined : headerOf(header, isCertificate);
}

function boundedSegments(token: string): ReturnType<typeof segmentsOf> {
  return token.length > tokenLengthMax ? undefined : segmentsOf(token, "any");
}
