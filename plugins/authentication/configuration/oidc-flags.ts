/** The --oidc-* flags as one issuer of the structured configuration. */
import type { IssuerConfig } from "./schema.ts";

/** The settings by name. */
export interface OidcFlags {
  readonly "oidc-issuer-url": string;
  readonly "oidc-client-id": string;
  readonly "oidc-username-claim": string;
  readonly "oidc-username-prefix": string;
  readonly "oidc-groups-claim": string;
  readonly "oidc-groups-prefix": string;
  readonly "oidc-required-claim": ReadonlyMap<string, string>;
}

/** `certificateAuthority`: the text of --oidc-ca-file. */
export function issuerOfFlags(flags: OidcFlags, certificateAuthority: string): IssuerConfig {
  const url = flags["oidc-issuer-url"], groupsClaim = flags["oidc-groups-claim"];
  return {
    issuer: { url, certificateAuthority, audiences: [flags["oidc-client-id"]] },
    claimValidationRules: [...flags["oidc-required-claim"]].map(([claim, requiredValue]) => ({ claim, requiredValue })),
    claimMappings: {
      username: { claim: flags["oidc-username-claim"], prefix: usernamePrefix(flags) },
      groups: groupsClaim === "" ? {} : { claim: groupsClaim, prefix: flags["oidc-groups-prefix"] },
      uid: {},
    },
  };
}

/** Without a prefix, names other than email addresses have the issuer as prefix; `-` disables it. */
function usernamePrefix(flags: OidcFlags): string {
  const prefix = flags["oidc-username-prefix"];
  if (prefix === "-") return "";
  return prefix === "" && flags["oidc-username-claim"] !== "email" ? `${flags["oidc-issuer-url"]}#` : prefix;
}
