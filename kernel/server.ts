/** The running server, for its requests: the active catalog and the shared state. */
import type { Access, AuthorizationDecision, Waiting } from "../core/access.ts";
import type { ApiCollection } from "../core/api.ts";
import type { GroupVersion } from "../core/versions.ts";
import type { Place } from "../core/flow-control.ts";
import type { UserInfo } from "../core/user-info.ts";
import type { Impersonate } from "./access/impersonation.ts";
import type { Audit } from "./access/audit/mod.ts";
import type { Backend } from "./request-context.ts";
import type { Catalog, Endpoint } from "./catalog/catalog.ts";
import type { Exchange, Reply } from "./request/exchange.ts";
import type { HeavyWork } from "./request/hand-over.ts";
import type { MayGet, RefusedPage } from "./nonresource/status-page.ts";
import type { Observation } from "./observe/observe.ts";
import type { RequestInfo } from "./request/request-info.ts";

export interface Server {
  /** The active catalog: replaced as a whole, and read once per request. */
  readonly catalog: Catalog;
  /** Resolves when another catalog is active, `others` have changed, or the signal aborts. */
  catalogChanged(signal: AbortSignal): Promise<void>;
  /** Whether the resources of all sources are served. Until then an unknown group may become known. */
  readonly isComplete: () => boolean;
  readonly backend: Backend;
  /** The present trouble of the store that keeps requests waiting: the store, since when, and the cause. */
  readonly storeTrouble: () => string | undefined;
  readonly requestTimeoutMs: number;
  /** Runs requests with large bodies or objects; undefined if they run in this thread. */
  readonly heavy: HeavyWork | undefined;
  observe(exchange: Exchange, info: RequestInfo, catalog: Catalog, auditId: string): Observation;
  /** Throws 401 for invalid credentials; `warn` is called for ignored credentials. */
  authenticate(exchange: Exchange, warn: (text: string) => void): Promise<UserInfo>;
  /** Logs why the credentials of a request were not accepted. */
  unauthenticated(auditId: string, reason: string): void;
  /** The user to impersonate, if the headers request one; throws 400 and 403 if that is invalid or forbidden. */
  readonly impersonate: Impersonate;
  /** Throws 403 unless an authorizer allows the request. `decided` is called with the decision, `waiting` is the request. */
  authorize(
    user: UserInfo,
    info: RequestInfo,
    decided?: ((decision: AuthorizationDecision) => void) | undefined,
    waiting?: Waiting,
  ): Promise<void>;
  /** Undefined without an audit. */
  readonly audit: Audit | undefined;
  /** The access of hooks to users and rights. */
  readonly access: Access;
  /** Whether the response is sent with GOAWAY: for a random share of requests, and over HTTP/2 for unauthenticated clients. */
  sendsGoaway(exchange: Exchange, user: UserInfo | undefined, catalog: Catalog): boolean;
  /** A place among the running requests, released by its disposal; a promise if the request has to wait. A place without room has a refusal. */
  admit(exchange: Exchange, info: RequestInfo, user: UserInfo): Place | Promise<Place>;
  /** Non-resource paths: health, metrics, version, discovery, OpenAPI. `mayGet`: whether the user may get another path. */
  nonresource(exchange: Exchange, info: RequestInfo, catalog: Catalog, mayGet: MayGet): Promise<Reply>;
  /** The reply of the server that has the group version of an authorized request; undefined if this one has it. Absent without such servers. */
  elsewhere?(user: UserInfo, exchange: Exchange, info: RequestInfo, auditId: string): Promise<Reply> | undefined;
  /** Whether another server has the group version of a path. Absent without such servers. */
  isElsewhere?(path: string): boolean;
  /** What other servers have; `unknown` are group versions whose server does not answer. */
  readonly others?: { collections(verb: string): readonly ApiCollection[]; unknown(): readonly GroupVersion[] };
  /** The reply to a browser that may not see the page at `/`. */
  readonly refusedPage: RefusedPage;
  /** Counts a request of the server's own background work. */
  countOwnRequest(method: string, info: RequestInfo): void;
  /** Counts the use of a deprecated version. */
  deprecated(endpoint: Endpoint, subresource: string, removedRelease: string): void;
  /** Logs a bug, or a failure behind the API, with the reference id in the response. */
  readonly report: (error: unknown, reference: string) => void;
}
