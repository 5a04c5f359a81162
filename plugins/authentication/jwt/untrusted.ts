/** Reads a token before its verification. The results must not be trusted. */
import { headerOf, type IsCertificate, objectOf, segmentsOf, type TokenHeader } from "../signed-token.ts";
import { bound } from "../../../core/bound.ts";

/** UTF-16 units of a token of an issuer. */
export const jwtLengthMax = bound(128 * 1024);

/** The issuer in a compact JWT; undefined for other text. */
export function untrustedIssuer(token: string): string | undefined {
  const payload = token.length > jwtLengthMax ? undefined : segmentsOf(token)?.[1];
  const issuer = payload === undefined ? undefined : objectOf(payload)?.["iss"];
  return typeof issuer === "string" ? wholeIssuer(issuer) : undefined;
}

/** The header of a compact JWT; undefined for one that is not accepted. */
export function untrustedHeader(token: string, isCertificate: IsCertificate): TokenHeader | undefined {
  const header = token.length > jwtLengthMax ? undefined : segmentsOf(token)?.[0];
  return header === undefined ? undefined : headerOf(header, isCertificate);
}

/** Google omits the scheme in some tokens (OpenID Connect Core 1.0, section 15.6.2). */
export function wholeIssuer(issuer: string): string {
  return issuer === "accounts.google.com" ? `https://${issuer}` : issuer;
}
