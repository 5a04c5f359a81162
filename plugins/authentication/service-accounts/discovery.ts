/** The documents with which other programs verify service account tokens without a request to the API (OpenID Connect Discovery 1.0). */
import type { KeySet } from "./keys.ts";
import { valueText } from "../../../core/value-text.ts";

/** Paths of the documents. */
export const discoveryPaths = Object.freeze({ configuration: "/.well-known/openid-configuration", keys: "/openid/v1/jwks" });

/** Seconds for which clients may cache the documents: a new key should verify for this long before it signs. */
export const discoverySeconds = 3600;

/** The reason why an issuer has no documents: it is not a URL at which they could be served. */
export function issuerMistake(issuer: string): string | undefined {
  if (!URL.canParse(issuer)) return issuer.startsWith("https:") ? `issuer URL is malformed, got: ${issuer}` : notHttps(issuer);
  const { protocol } = new URL(issuer);
  if (protocol !== "https:") return notHttps(issuer);
  if (issuer.includes("?")) return `issuer URL may not include a query, got: ${issuer}`;
  return issuer.includes("#") ? `issuer URL may not include a fragment, got: ${issuer}` : undefined;
}
function notHttps(issuer: string): string {
  return `issuer URL must use https scheme, got: ${issuer}`;
}

/** The document of the issuer, as JSON. */
export function configurationDocument(issuer: string, keysUrl: string, { verifying }: KeySet): string {
  return valueText({
    issuer,
    jwks_uri: keysUrl,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(verifying.map(({ algorithm }) => algorithm))].sort(),
  });
}

/** The keys that verify tokens, as JSON. */
export function keysDocument({ verifying }: KeySet): string {
  return valueText({ keys: verifying.map(({ published }) => published) });
}
