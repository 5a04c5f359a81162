/** Impersonation by the headers Impersonate-User, -Group, -Uid and -Extra-*. */
import type { AuthorizationAttributes } from "../../core/access.ts";
import { type Names, spell } from "../../core/names.ts";
import { anonymousUser, systemGroups, type UserInfo } from "../../core/user-info.ts";
import { type Decide, forbiddenFor } from "../../kernel/access/authorization/mod.ts";
import type { Impersonate } from "../../kernel/access/impersonation.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { hasImpersonation, type Requested, requestedOf, withoutImpersonation } from "./requested-user.ts";

/** Impersonation by the verb `impersonate`: each part of the user needs a right. Rejects with 403 for the first part without it. */
export function impersonateBy(decide: Decide): Impersonate {
  return async (exchange, user, names) => {
    if (!hasImpersonation(exchange.headers)) return undefined;
    const requested = requestedOf(exchange.headers, names);
    if (requested.length === 0) return undefined;
    for (const each of requested) {
      const attributes = attributesOf(each, names);
      const { verdict, reason } = await decide(user, attributes, exchange);
      if (verdict !== "allow") throw forbiddenFor(user, attributes, reason);
    }
    return { user: userOf(requested), exchange: impersonated(exchange) };
  };
}

/** The same exchange without the headers of impersonation. Lazy members of the listener stay lazy. */
export function impersonated(exchange: Exchange): Exchange {
  const { method, url, remote, protocol, connection, offersWebSocket = false, offersUpgrade = false } = exchange;
  const headers = withoutImpersonation(exchange.headers);
  // A member that is added to exchanges does not compile until it is here.
  const members = {
    ...{ method, url, headers, remote, protocol, connection, offersWebSocket, offersUpgrade },
    body: (limit: number) => exchange.body(limit),
    stream: () => exchange.stream?.(),
    get peer() {
      return exchange.peer;
    },
    get peerRefused() {
      return exchange.peerRefused;
    },
    get frontProxy() {
      return exchange.frontProxy;
    },
    get signal() {
      return exchange.signal;
    },
  } satisfies Record<Exclude<keyof Exchange, "watchScope">, unknown>;
  return exchange.watchScope === undefined
    ? members
    : Object.defineProperty(members, "watchScope", { value: exchange.watchScope, enumerable: true });
}

function attributesOf(requested: Requested, names: Names): AuthorizationAttributes {
  const { kind, name } = requested;
  const isIdentity = kind === "UserExtra" || kind === "UID";
  return {
    isResourceRequest: true,
    path: "",
    verb: "impersonate",
    group: isIdentity ? spell(names, "authentication.{domain}") : "",
    version: isIdentity ? "v1" : "",
    resource: resources[kind],
    subresource: kind === "UserExtra" ? requested.key : "",
    namespace: kind === "ServiceAccount" ? requested.namespace : "",
    name,
  };
}
const resources: Readonly<Record<Requested["kind"], string>> = Object.freeze({
  User: "users",
  ServiceAccount: "serviceaccounts",
  Group: "groups",
  UserExtra: "userextras",
  UID: "uids",
});

function userOf(requested: readonly Requested[]): UserInfo {
  let name = "", uid: string | undefined;
  const groups: string[] = [], extra = new Map<string, string[]>();
  for (const each of requested) {
    if (each.kind === "User") name = each.name;
    else if (each.kind === "ServiceAccount") {
      name = `system:serviceaccount:${each.namespace}:${each.name}`;
      if (requested.every(({ kind }) => kind !== "Group")) {
        groups.push(systemGroups.serviceAccounts, `${systemGroups.serviceAccounts}:${each.namespace}`);
      }
    } else if (each.kind === "Group") groups.push(each.name);
    else if (each.kind === "UID") uid = each.name;
    else extra.set(each.key, [...extra.get(each.key) ?? [], each.name]);
  }
  return {
    name,
    ...(uid === undefined ? {} : { uid }),
    groups: withSystemGroup(name, groups),
    // Defines its properties: a key may be called `__proto__`.
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** The anonymous user is unauthenticated; others are authenticated, unless their groups contain the opposite. */
export function withSystemGroup(name: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(systemGroups.unauthenticated)) return groups;
  if (name === anonymousUser.name) return [...groups, systemGroups.unauthenticated];
  return groups.includes(systemGroups.authenticated) ? groups : [...groups, systemGroups.authenticated];
}
