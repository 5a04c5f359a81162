/** The user of a request that acts as another one. `server/impersonation` decides which users may do so. */
import type { Names } from "../../core/names.ts";
import type { UserInfo } from "../../core/user-info.ts";
import type { Exchange } from "../request/exchange.ts";
import type { RequestInfo } from "../request/request-info.ts";

/** The impersonated user, and the request without impersonation headers. */
export interface Impersonation {
  readonly user: UserInfo;
  readonly exchange: Exchange;
  /** The verb of the constrained impersonation that was allowed; absent for the legacy one. */
  readonly constraint?: string;
}

/**
 * Resolves with undefined for a request without impersonation. Rejects with 400 for headers without a user, and with 403 for what `user` may not
 * impersonate.
 */
export type Impersonate = (exchange: Exchange, user: UserInfo, names: Names, info: RequestInfo) => Promise<Impersonation | undefined>;
