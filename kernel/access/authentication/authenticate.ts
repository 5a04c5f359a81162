/** Authentication: the first authenticator that accepts the credentials of a request determines the user. */
import { reasonOf } from "../../../core/reason-of.ts";
import { StatusError } from "../../../core/status-error.ts";
import type { Exchange } from "../../request/exchange.ts";
import { anonymousUser, isAnonymous, systemGroups, type UserInfo } from "../../../core/user-info.ts";
import { bound } from "../../../core/bound.ts";

/** UTF-16 units of the reason why credentials were not accepted. */
export const refusalLengthMax = bound(1024);

/** Credentials are invalid. `reason` is for the log and the audit, not for the client, and contains no part of a token. */
export class Refused {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** 401. `refusal`: why the credentials were not accepted; undefined for a request without credentials. */
export class Unauthenticated extends StatusError {
  readonly refusal: string | undefined;
  constructor(refusal: string | undefined) {
    super("Unauthorized", "Unauthorized");
    this.refusal = refusal;
  }
}

/** Authenticates requests with credentials of one kind. */
export interface Authenticator {
  readonly name: string;
  /** The user; `undefined` if the request has no credentials of this kind, `Refused` if they are invalid. Rejects if the check failed. */
  authenticate(exchange: Exchange, warn: Warn): Promise<UserInfo | undefined | Refused>;
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
 * Calls each of the current authenticators in order. Credentials that were rejected, or could not be checked, and that no later authenticator accepts are
 * 401 with the reasons of all, even if anonymous requests are allowed. A request without credentials is `system:anonymous` if `anonymous` allows it. As upstream,
 * an unknown form of a header counts as no credentials. `count` receives the result and its duration in milliseconds.
 */
export function authenticateInOrder(
  authenticators: () => readonly Authenticator[],
  anonymous: (exchange: Exchange) => boolean,
  count: (result: AuthenticationResult, milliseconds: number) => void,
  now: () => number = () => performance.now(),
): Authenticate {
  const authenticated = authenticatedUsers();
  return async (exchange, warn = () => {}) => {
    const begun = now();
    let result: AuthenticationResult | undefined;
    const reasons: string[] = [];
    for (const authenticator of authenticators()) {
      try {
        const user = await authenticator.authenticate(exchange, warn);
        if (user instanceof Refused) {
          reasons.push(user.reason);
          result ??= "failure";
        } else if (user !== undefined) {
          count("success", now() - begun);
          return authenticated(user);
        }
      } catch (error) {
        // The authenticator itself has reported the error.
        reasons.push(reasonOf(error));
        result = "error";
      }
    }
    if (result === undefined && anonymous(exchange)) {
      count("success", now() - begun);
      return anonymousUser;
    }
    count(result ?? "failure", now() - begun);
    throw new Unauthenticated(reasons.length === 0 ? undefined : textOf(reasons));
  };
}

/** One reason as it is, several as a list; shortened. */
function textOf(reasons: readonly string[]): string {
  const text = reasons.length === 1 ? reasons[0]! : `[${reasons.join(", ")}]`;
  return text.slice(0, refusalLengthMax);
}
