/** The rights to the parts of a user: its name, UID, groups and extra values, each a check of its own. */
import type { AuthorizationAttributes } from "../../core/access.ts";
import { bound } from "../../core/bound.ts";
import { fieldErrorText } from "../../core/field-error.ts";
import { validateDomainPath } from "../../core/meta/domain-path.ts";
import { subdomainName } from "../../core/meta/names.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { systemGroups, type UserInfo } from "../../core/user-info.ts";
import { forbiddenFor } from "../../kernel/access/authorization/mod.ts";
import { withSystemGroup } from "./legacy.ts";
import { serviceAccountOf } from "./requested-user.ts";
import type { WantedUser } from "./wanted-user.ts";

/** Checks one right. Rejects with 403. */
export type Check = (user: UserInfo, attributes: AuthorizationAttributes) => Promise<void>;

export interface PartsOptions {
  /** `impersonate`, or `impersonate:MODE`. */
  readonly verb: string;
  readonly isConstrained: boolean;
  /** `authentication.k8s.io`. */
  readonly group: string;
  readonly check: Check;
}

/** Groups or extra values of one user from which on a right to all of them is asked for first, in constrained impersonation. */
export const manyPartsMin = bound(4);

/** The name of the node whose user this is; undefined for others. */
export function nodeOf(user: string): string | undefined {
  const prefix = "system:node:", name = user.slice(prefix.length);
  return user.startsWith(prefix) && subdomainName(name, false).length === 0 ? name : undefined;
}

/** The user, once `requestor` may impersonate each of its parts. Rejects with the 403 of the first that it may not. */
export async function authorizedUser(requestor: UserInfo, wanted: WantedUser, options: PartsOptions): Promise<UserInfo> {
  const { name, uid, extra } = wanted;
  const groups = await authorizedName(requestor, wanted, options);
  if (uid !== "") {
    await options.check(requestor, attributesOf(options, { group: options.group, version: "v1", resource: "uids", name: uid }));
  }
  await authorizeGroups(requestor, wanted.groups, options);
  await authorizeExtra(requestor, extra, options);
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: withSystemGroup(name, groups),
    // Defines its properties: a key may be called `__proto__`.
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

type Part = Pick<AuthorizationAttributes, "resource" | "name"> & Partial<AuthorizationAttributes>;

function attributesOf({ verb, isConstrained, group }: PartsOptions, part: Part): AuthorizationAttributes {
  const of = isConstrained ? { group, version: "v1" } : { group: "", version: "v1" };
  return { isResourceRequest: true, path: "", verb, ...of, subresource: "", namespace: "", ...part };
}

/** The groups of the user: those that are asked for, or those that a node or a service account always has. */
async function authorizedName(requestor: UserInfo, { name, groups }: WantedUser, options: PartsOptions): Promise<readonly string[]> {
  const node = options.isConstrained ? nodeOf(name) : undefined, account = serviceAccountOf(name);
  if (node !== undefined) {
    await options.check(requestor, attributesOf(options, { resource: "nodes", name: node }));
    return ["system:nodes"];
  }
  if (account === undefined) {
    await options.check(requestor, attributesOf(options, { resource: "users", name }));
    return groups;
  }
  const { namespace } = account;
  await options.check(requestor, attributesOf(options, { resource: "serviceaccounts", namespace, name: account.name }));
  return groups.length > 0 ? groups : [systemGroups.serviceAccounts, `${systemGroups.serviceAccounts}:${namespace}`];
}

async function authorizeGroups(requestor: UserInfo, groups: readonly string[], options: PartsOptions): Promise<void> {
  const { isConstrained, check } = options, of = (name: string) => attributesOf(options, { resource: "groups", name });
  if (isConstrained) {
    if (groups.includes("")) throw forbiddenFor(requestor, of(""), "impersonating the empty string group is not allowed");
    if (groups.includes(systemGroups.masters)) {
      throw forbiddenFor(requestor, of(systemGroups.masters), `impersonating the ${systemGroups.masters} group is not allowed`);
    }
    if (groups.length >= manyPartsMin && await isAllowed(check(requestor, of("*")))) return;
  }
  for (const group of groups) await check(requestor, of(group));
}

async function authorizeExtra(requestor: UserInfo, extra: WantedUser["extra"], options: PartsOptions): Promise<void> {
  const { isConstrained, group, check } = options;
  const of = (subresource: string, name: string) =>
    attributesOf(options, { group, version: "v1", resource: "userextras", subresource, name });
  if (isConstrained) {
    const wrong = extraMistake(extra);
    if (wrong !== undefined) throw forbiddenFor(requestor, of("", ""), wrong);
    const values = [...extra.values()].reduce((sum, { length }) => sum + length, 0);
    if (Math.max(extra.size, values) >= manyPartsMin && await isAllowed(check(requestor, of("*", "*")))) return;
  }
  for (const [key, values] of extra) for (const value of values) await check(requestor, of(key, value));
}

/** Why extra values cannot be impersonated in a constrained mode. */
function extraMistake(extra: WantedUser["extra"]): string | undefined {
  const start = "impersonating";
  for (const [key, values] of extra) {
    if (key === "") return `${start} the empty string key in extra is not allowed`;
    const wrong = validateDomainPath(key, "extra.key").map(fieldErrorText);
    if (wrong.length > 0) {
      return `${start} an invalid key in extra is not allowed: ${wrong.length > 1 ? `[${wrong.join(", ")}]` : wrong[0]}`;
    }
    if (key !== key.toLowerCase()) return `${start} a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    if (values.length === 0) return `${start} empty values in extra is not allowed`;
    if (values.includes("")) return `${start} the empty string value in extra is not allowed`;
  }
  return undefined;
}

function isAllowed(check: Promise<void>): Promise<boolean> {
  return check.then(() => true, () => false);
}
