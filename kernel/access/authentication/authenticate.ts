/** Authentication: the first authenticator that recognises the credentials of a request decides. */
import { StatusError } from "../../../core/status-error.ts";
import type { Exchange } from "../../request/exchange.ts";
import { anonymousUser, isAnonymous, systemGroups, type UserInfo } from "../../../core/user-info.ts";

/** One authenticator. Returns the user, `undefined` where the request carries nothing of its kind, or `"refused"` for
 *  credentials of its kind that are not good. */
export interface Authenticator {
  readonly name: string;
  authenticate(exchange: Exchange, warn: Warn): Promise<UserInfo | undefined | "refused">;
}
/** Tells the client of credentials that were passed over. */
export type Warn = (text: string) => void;
export type Authenticate = (exchange: Exchange, warn?: Warn) => Promise<UserInfo>;

/**
 * Asks each in order. Credentials that were refused and that no later way makes good are 401, also where strangers are let in; a
 * request without any is `system:anonymous` where that is allowed. A header in an unknown form counts as no credentials, as
 * upstream. `count` receives the outcome.
 */
export function authenticateInOrder(
  authenticators: readonly Authenticator[],
  anonymous: () => boolean,
  count: (result: "success" | "failure", user: UserInfo | undefined) => void,
): Authenticate {
  // The group of authenticated users is added once for each user object.
  const members = new WeakMap<UserInfo, UserInfo>();
  const authenticated = (user: UserInfo): UserInfo => {
    const known = members.get(user);
    if (known !== undefined) return known;
    const member = isAnonymous(user) ? user : { ...user, groups: [...new Set([...user.groups, systemGroups.authenticated])] };
    members.set(user, member);
    return member;
  };
  return async (exchange, warn = () => {}) => {
    let refused = false;
    for (const authenticator of authenticators) {
      const user = await authenticator.authenticate(exchange, warn);
      if (user === "refused") refused = true;
      else if (user !== undefined) {
        count("success", user);
        return authenticated(user);
      }
    }
    if (!refused && anonymous()) return anonymousUser;
    count("failure", undefined);
    throw new StatusError("Unauthorized", "Unauthorized");
  };
}
