/** Who is it: the first way of telling that knows the request's credentials. */
import { StatusError } from "../../core/status-error.ts";
import type { Exchange } from "../exchange.ts";
import { anonymousUser, systemGroups, type UserInfo } from "./user-info.ts";

/** One way of telling: the user, `undefined` where the request carries nothing of its kind, or `"refused"` for
 *  credentials of its kind that are not good. */
export interface Authenticator {
  readonly name: string;
  authenticate(exchange: Exchange): Promise<UserInfo | undefined | "refused">;
}
export type Authenticate = (exchange: Exchange) => Promise<UserInfo>;

/**
 * Asks each in order. Credentials that nobody takes are 401, also where strangers are let in; a request without any is
 * `system:anonymous` where that is allowed. `told` counts the outcome.
 */
export function authenticateInOrder(
  authenticators: readonly Authenticator[],
  anonymous: boolean,
  told: (result: "success" | "failure", user: UserInfo | undefined) => void,
): Authenticate {
  return async (exchange) => {
    let refused = false;
    for (const authenticator of authenticators) {
      const user = await authenticator.authenticate(exchange);
      if (user === "refused") refused = true;
      else if (user !== undefined) {
        told("success", user);
        return { ...user, groups: [...new Set([...user.groups, systemGroups.authenticated])] };
      }
    }
    if (!refused && anonymous && exchange.headers["authorization"] === undefined) return anonymousUser;
    told("failure", undefined);
    throw new StatusError("Unauthorized", "Unauthorized");
  };
}
