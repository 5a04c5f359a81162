/** Mistakes in the settings of service account tokens. */
import { type PartInspection, settingsOf } from "../../../core/part.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";

const flags = Object.freeze({
  "service-account-issuer": "list",
  "service-account-jwks-uri": "string",
  "service-account-max-token-expiration": "duration",
});

const hourMs = 3_600_000;

/** Returns the mistakes in the settings of service account tokens, with upstream's messages. */
export function tokenMistakes({ setting }: Pick<PartInspection, "setting">): readonly string[] {
  const values = settingsOf(setting, flags), issuers = values["service-account-issuer"];
  const expirationMs = values["service-account-max-token-expiration"];
  const isBounded = expirationMs === 0 || (expirationMs >= hourMs && expirationMs <= 2 ** 32 * 1000);
  return [
    ...issuers.flatMap((issuer, index) => {
      if (issuer.includes(":") && !isUrl(issuer)) {
        return [`service-account-issuer ${goQuote(issuer)} contained a ':' but was not a valid URL`];
      }
      return issuers.indexOf(issuer) === index ? [] : [`service-account-issuer ${goQuote(issuer)} is already specified`];
    }),
    ...keySetMistakes(values["service-account-jwks-uri"]),
    ...(isBounded ? [] : ["the service-account-max-token-expiration must be between 1 hour and 2^32 seconds"]),
  ];
}

function keySetMistakes(uri: string): readonly string[] {
  if (uri === "") return [];
  if (!URL.canParse(uri)) return ["service-account-jwks-uri must be a valid URL"];
  return new URL(uri).protocol === "https:" ? [] : [`service-account-jwks-uri requires https scheme, parsed as: ${uri}`];
}

/**
 * As Go's url.Parse for text with a colon: it needs a scheme, no control characters, and two hexadecimal digits after each percent sign.
 */
function isUrl(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && !/%(?![0-9A-Fa-f]{2})/.test(text) && !/[\0-\x20\x7f]/.test(text);
}
