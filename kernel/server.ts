/** The running server as its requests see it: the catalog in force and what all of them share. */
import type { Access, AuthorizationDecision, Waiting } from "../core/access.ts";
import type { UserInfo } from "../core/user-info.ts";
import type { Impersonate } from "./access/impersonation/mod.ts";
import type { Audit } from "./access/audit/mod.ts";
import type { Backend } from "./request-context.ts";
import type { Catalog, Endpoint } from "./catalog/catalog.ts";
import type { Exchange, Reply } from "./request/exchange.ts";
import type { HeavyWork } from "./request/hand-over.ts";
import type { Observation } from "./observe/observe.ts";
import type { RequestInfo } from "./request/request-info.ts";

export interface Server {
  /** The one in force: swapped whole, and read once by a request. */
  readonly catalog: Catalog;
  /** Resolves when another catalog is in force, or the signal aborts. */
  catalogChanged(signal: AbortSignal): Promise<void>;
  readonly backend: Backend;
  readonly requestTimeoutMs: number;
  /** Where requests with large bodies or objects run; undefined where they run here. */
  readonly heavy: HeavyWork | undefined;
  observe(exchange: Exchange, info: RequestInfo, catalog: Catalog, auditId: string): Observation;
  /** 401 for bad credentials; `warn` is called for ignored credentials. */
  authenticate(exchange: Exchange, warn: (text: string) => void): Promise<UserInfo>;
  /** The user that a request acts as instead of `user`, where its headers ask for one; 400 and 403 where that may not be. */
  readonly impersonate: Impersonate;
  /** 403 unless an authorizer allows it. `decided` is called with the decision, `waiting` is the request. */
  authorize(
    user: UserInfo,
    info: RequestInfo,
    decided?: ((decision: AuthorizationDecision) => void) | undefined,
    waiting?: Waiting,
  ): Promise<void>;
  /** Undefined where nothing is audited. */
  readonly audit: Audit | undefined;
  /** What hooks may ask about users. */
  readonly access: Access;
  /** Whether the answer comes with GOAWAY: for a random share of requests, and over HTTP/2 for unauthenticated clients. */
  sendsGoaway(exchange: Exchange, user: UserInfo | undefined, catalog: Catalog): boolean;
  /** A place among the requests in flight, given back when it is disposed; 429 when there is none. */
  admit(info: RequestInfo): Disposable;
  /** Paths that are no resources: health, metrics, version, discovery, OpenAPI. */
  nonresource(exchange: Exchange, info: RequestInfo, catalog: Catalog): Promise<Reply>;
  /** Counts a request of the server's own background work. */
  countOwnRequest(method: string, info: RequestInfo): void;
  /** Counts the use of a deprecated version. */
  deprecated(endpoint: Endpoint, subresource: string, removedRelease: string): void;
  /** A bug, or a failure behind the API: for the log, with the id that the client was shown. */
  readonly report: (error: unknown, reference: string) => void;
}
