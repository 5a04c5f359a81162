/** Authentication: the first authenticator that accepts the credentials of a request determines the user. */
import { StatusError } from "../../../core/status-error.ts";
import type { Exchange } from "../../request/exchange.ts";
import { anonymousUser, isAnonymous, systemGroups, type UserInfo } from "../../../core/user-info.ts";

/** Authenticates requests with credentials of one kind. */
export interface Authenticator {
  readonly name: string;
  /** The user; `undefined` if the request has no credentials of this kind, `"refused"` if they are invalid. Rejects if the check failed. */
  authenticate(exchange: Exchange, warn: Warn): Promise<UserInfo | undefined | "refused">;
}
/** Receives warnings to the client about ignored credentials. */
export type Warn = (text: string) => void;
export type Authenticate = (exchange: Exchange, warn?: Warn) => Promise<UserInfo>;
/** `failure`: credentials were rejected, or there were none. `error`: an authenticator failed and no other accepted the request. */
export type AuthenticationResult = "success" | "failure" | "error";

/** Adds the group of authenticated users to users except the anonymous one. Each user object is extended once. */
export function authenticatedUsers(): (user: UserInfo) => UserInfo {
  const members = new WeakMap<UserInfo, UserInfo>();
  return (user) => {
    const known = members.get(user);
    if (known !== undefined) return known;
    const member = isAnonymous(user) ? user : { ...user, groups: [...new Set([...user.groups, systemGroups.authenticated])] };
    members.set(user, member);
    return member;
  };
}

/**
 * Calls each authenticator in order. Credentials that were rejected, or could not be checked, and that no later authenticator accepts are
 * 401, even if anonymous requests are allowed. A request without credentials is `system:anonymous` if `anonymous` allows it. As upstream,
 * an unknown form of a header counts as no credentials. `count` receives the result and its duration in milliseconds.
 */
export function authenticateInOrder(
  authenticators: readonly Authenticator[],
  anonymous: (exchange: Exchange) => boolean,
  count: (result: AuthenticationResult, milliseconds: number) => void,
  now: () => number = () => performance.now(),
): Authenticate {
  const authenticated = authenticatedUsers();
  return async (exchange, warn = () => {}) => {
    const begun = now();
    let result: AuthenticationResult | undefined;
    for (const authenticator of authenticators) {
      try {
        const user = await authenticator.authenticate(exchange, warn);
        if (user === "refused") result ??= "failure";
        else if (user !== undefined) {
          count("success", now() - begun);
          return authenticated(user);
        }
      } catch {
        // The authenticator itself has reported the error.
        result = "error";
      }
    }
    if (result === undefined && anonymous(exchange)) {
      count("success", now() - begun);
      return anonymousUser;
    }
    count(result ?? "failure", now() - begun);
    throw new StatusError("Unauthorized", "Unauthorized");
  };
}
