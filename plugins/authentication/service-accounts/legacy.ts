/** Checks whether a legacy token, which a Secret contains, is valid now. Messages are upstream's. */
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { dns1123Label, dns1123Subdomain } from "../../../core/meta/names.ts";
import { type Names, spell } from "../../../core/names.ts";
import { bytesOf } from "../../../core/scalars/base64.ts";
import { TokenRefusal } from "../../../core/token-authenticator.ts";
import { accountName, type LegacyClaims } from "./claims.ts";
import type { LookUpObject } from "../../../core/authentication.ts";
import { accountOf } from "./validate.ts";

interface Secret extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The kinds of use of a legacy token. */
export type LegacyUse = "automatic" | "manual" | "invalid";

export interface LegacyNeeds {
  readonly lookup: LookUpObject;
  readonly names: () => Names;
  /** False: neither the Secret nor the account is looked up (--service-account-lookup). */
  readonly looksUp: () => boolean;
  /** Called for each use of a token with an existing Secret. `lastUsed`: the label with the day of the last use. */
  readonly used: (use: LegacyUse, secret: SecretUse) => void;
}
export interface SecretUse {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** `2026-11-23`, from the label of the Secret; "" if absent. */
  readonly lastUsed: string;
}

/** Labels of Secrets with legacy tokens. */
export const legacyLabels = Object.freeze({
  lastUsed: "{platform}.io/legacy-token-last-used",
  invalidSince: "{platform}.io/legacy-token-invalid-since",
});

/** Rejects a token that is not in its Secret, or whose account was deleted or created again. */
export async function checkLegacy(token: string, claims: LegacyClaims, needs: LegacyNeeds): Promise<void> {
  checkClaims(claims);
  if (!needs.looksUp()) return;
  const { lookup, used } = needs, names = needs.names();
  const { namespace, account, secretName } = claims;
  const secret = await lookup<Secret>("secrets", namespace, secretName);
  if (secret === undefined || (secret.object.metadata.deletionTimestamp ?? null) !== null) {
    throw new TokenRefusal("Token has been invalidated");
  }
  const { metadata, data = {} } = secret.object;
  if (!holds(data, token)) throw new TokenRefusal("Token does not match server's copy");
  const found = (await accountOf(lookup, namespace, account.name)).object;
  if ((found.metadata.deletionTimestamp ?? null) !== null) {
    throw new TokenRefusal(`ServiceAccount ${namespace}/${account.name} has been deleted`);
  }
  const { uid = "" } = found.metadata;
  if (uid !== account.uid) throw new TokenRefusal(`ServiceAccount UID (${uid}) does not match claim (${account.uid})`);
  const label = (name: string): string => {
    const key = spell(names, name), { labels = {} } = metadata;
    return Object.hasOwn(labels, key) ? labels[key]! : "";
  };
  const use = { namespace, name: secretName, uid: metadata.uid ?? "", lastUsed: label(legacyLabels.lastUsed) };
  if (label(legacyLabels.invalidSince) !== "") {
    used("invalid", use);
    throw new TokenRefusal(
      `the token in secret ${namespace}/${secretName} for service account ${namespace}/${account.name} has been marked invalid. ` +
        "Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the " +
        `'${spell(names, legacyLabels.invalidSince)}' label from the secret to temporarily allow use of this token`,
    );
  }
  used((found.secrets ?? []).some(({ name }) => name === secretName) ? "automatic" : "manual", use);
}

function checkClaims({ subject, namespace, account, secretName }: LegacyClaims): void {
  const missing = [["sub", subject], ["namespace", namespace], ["secretName", secretName], ["serviceAccountName", account.name], [
    "serviceAccountUID",
    account.uid,
  ]].find(([, value]) => value === "");
  if (missing !== undefined) throw new TokenRefusal(`${missing[0]} claim is missing`);
  const isValid = dns1123Label(namespace).length === 0 && dns1123Subdomain(account.name).length === 0;
  if (!isValid || subject !== accountName(namespace, account.name)) throw new TokenRefusal("sub claim is invalid");
}

/** Whether the Secret contains this token. The duration depends on the length only. */
function holds(data: Readonly<Record<string, string>>, token: string): boolean {
  const held = Object.hasOwn(data, "token") ? bytesOf(data["token"]!) : new Uint8Array();
  const given = new TextEncoder().encode(token);
  if (held.length !== given.length) return false;
  let differing = 0;
  for (let at = 0; at < held.length; at++) differing |= held[at]! ^ given[at]!;
  return differing === 0;
}
