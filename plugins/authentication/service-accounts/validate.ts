/**
 * Checks the claims of a verified token at the current time: its validity, its account, and the object that it is bound to. Messages are
 * upstream's.
 */
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import type { Caller } from "../../../core/user-info.ts";
import { systemGroups } from "../../../core/user-info.ts";
import { notFoundError } from "../../../core/status-error.ts";
import { TokenRefusal } from "../../../core/token-authenticator.ts";
import { accountName, type BoundClaims, type ObjectClaim } from "./claims.ts";
import type { FoundObject, LookUpObject } from "../../../core/authentication.ts";

/** Clock tolerance in seconds. */
const leewaySeconds = 60;

/** Rejects a token outside of its validity. `now`: milliseconds since the epoch. */
export function checkTimes({ expires, notBefore, issuedAt }: BoundClaims, now: number): void {
  const at = now / 1000;
  if (notBefore !== undefined && at + leewaySeconds < notBefore) throw new TokenRefusal("service account token is not valid yet");
  if (expires !== undefined && at - leewaySeconds > expires) throw new TokenRefusal("service account token has expired");
  if (issuedAt !== undefined && at + leewaySeconds < issuedAt) throw new TokenRefusal("service account token is issued in the future");
}

/** The account of a token. Rejects a token whose account was deleted or created again. `known`: the revision that was accepted before. */
export async function checkAccount(
  { namespace, account }: BoundClaims,
  lookup: LookUpObject,
  now: number,
  known?: number,
): Promise<FoundObject> {
  const found = await accountOf(lookup, namespace, account.name);
  // A store that was restored from an older copy assigns the revision to another account.
  if (found.revision === known && found.mentions(account.uid)) return found;
  const { uid = "" } = found.object.metadata;
  if (uid !== account.uid) throw new TokenRefusal(`service account UID (${uid}) does not match claim (${account.uid})`);
  if (isDeleted(found, now)) throw new TokenRefusal(`service account ${namespace}/${account.name} has been deleted`);
  return found;
}

/** Whether the object is being deleted: then the result depends on the time. */
export function isEnding({ object: { metadata } }: FoundObject): boolean {
  return (metadata.deletionTimestamp ?? null) !== null;
}

export async function accountOf(lookup: LookUpObject, namespace: string, name: string): Promise<FoundObject<ServiceAccount>> {
  const found = await lookup<ServiceAccount>("serviceaccounts", namespace, name);
  if (found === undefined) throw new TokenRefusal(notFoundError({ group: "", name: "serviceaccounts" }, name).message);
  return found;
}
/** The used fields of an account. */
export interface ServiceAccount extends ApiObject {
  readonly secrets?: readonly { readonly name?: string }[];
}

/** Rejects a token whose Secret, pod or node was deleted or created again. */
export async function checkBound({ namespace, secret, pod, node }: BoundClaims, lookup: LookUpObject, now: number): Promise<void> {
  if (secret !== undefined) {
    await checkObject({ resource: "secrets", kind: "secret", claim: "secret", namespace, named: secret }, lookup, now);
  }
  if (pod !== undefined) return await checkObject({ resource: "pods", kind: "pod", claim: "pod", namespace, named: pod }, lookup, now);
  // The node of a pod is informational.
  if (node !== undefined) await checkObject({ resource: "nodes", kind: "node", claim: "node", namespace: "", named: node }, lookup, now);
}

interface Bound {
  readonly resource: "secrets" | "pods" | "nodes";
  readonly kind: string;
  readonly claim: string;
  readonly namespace: string;
  readonly named: ObjectClaim;
}

async function checkObject({ resource, kind, claim, namespace, named }: Bound, lookup: LookUpObject, now: number): Promise<void> {
  const found = await lookup(resource, namespace, named.name);
  if (found === undefined) throw new TokenRefusal("service account token has been invalidated");
  const { uid = "" } = found.object.metadata;
  if (uid !== named.uid) {
    throw new TokenRefusal(`${kind} UID (${uid}) does not match service account ${claim} ref claim (${named.uid})`);
  }
  if (isDeleted(found, now)) throw new TokenRefusal("service account token has been invalidated");
}

/** Whether the deletion of an object started longer ago than the clock tolerance. */
function isDeleted({ object: { metadata } }: FoundObject, now: number): boolean {
  const { deletionTimestamp = null } = metadata;
  return deletionTimestamp !== null && Date.parse(deletionTimestamp) < now - leewaySeconds * 1000;
}

// Names of extra values are upstream's, independent of the group domain.
const extraPrefix = "authentication.kubernetes.io/";

/** The user of a token. */
export function userOf({ namespace, account, id, pod, node }: BoundClaims): Caller {
  const nodeExtra = node === undefined || node.name === ""
    ? []
    : [["node-name", node.name], ...(node.uid === "" ? [] : [["node-uid", node.uid]])];
  const extra = [
    ...(pod === undefined || pod.name === "" || pod.uid === "" ? [] : [["pod-name", pod.name], ["pod-uid", pod.uid]]),
    ...(id === "" ? [] : [["credential-id", credentialOf(id)]]),
    ...nodeExtra,
  ];
  return {
    ...accountUser(namespace, account),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra.map(([key, value]) => [`${extraPrefix}${key}`, [value!]])) }),
  };
}

/** The user of an account, for any credential. */
export function accountUser(namespace: string, { name, uid }: ObjectClaim): Caller {
  const { serviceAccounts } = systemGroups;
  return { name: accountName(namespace, name), uid, groups: [serviceAccounts, `${serviceAccounts}:${namespace}`] };
}

/** The name of a credential in extra values and in audit events, from the `jti` of its token. */
export function credentialOf(id: string): string {
  return `JTI=${id}`;
}
