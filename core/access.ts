/** Types shared by hooks and authorizers: attributes of requests, decisions, rules, and access reviews. */
import type { ServerClock } from "./async.ts";
import type { WebhookAddress } from "./conversion.ts";
import type { JsonObject } from "./json.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import type { FieldRequirement } from "./selectors/field.ts";
import type { LabelRequirement } from "./selectors/label.ts";
import type { Caller } from "./user-info.ts";
import type { GroupVersion } from "./versions.ts";
import { bound } from "./bound.ts";

/** Milliseconds for one read or write of an admission step, and for the wait until a quota is charged. */
export const admissionCallMs = bound(10_000);

/** The attributes of a request, as kube-apiserver's authorizers get them. An absent member is "". */
export interface AuthorizationAttributes {
  /** Whether the request is for a resource; false for /livez, /version and all other non-resource paths. */
  readonly isResourceRequest: boolean;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** The verb, such as get, list, watch or create. For a non-resource path it is the method in lower case. */
  readonly verb: string;
  /** The API group; "" for the core group, and for non-resource paths. */
  readonly group: string;
  /** The version in the URL, such as `v1`. */
  readonly version: string;
  /** The plural of the resource in the URL, such as `pods`. */
  readonly resource: string;
  /** The part of the object, such as `status` or `scale`. */
  readonly subresource: string;
  /** The namespace in the URL. */
  readonly namespace: string;
  /** The name in the URL. A create has none, because the name is in the body. */
  readonly name: string;
  /** The requirements of the field selector of a list, watch or deletion of a collection. If absent, all objects are meant. */
  readonly fieldSelector?: readonly FieldRequirement[];
  /** The requirements of the label selector, for the same verbs. If absent, all objects are meant. */
  readonly labelSelector?: readonly LabelRequirement[];
}

/** The decision of an authorizer, or of a chain of authorizers. */
export interface AuthorizationDecision {
  /** What the authorizer decides. `deny` ends the chain. A request for which all authorizers have `noOpinion` is rejected. */
  readonly verdict: "allow" | "deny" | "noOpinion";
  /** The reason, which the client gets. It may be empty. */
  readonly reason: string;
  /** An error of the decision. It is logged and returned in access reviews; it is never an `allow`. */
  readonly error?: string;
}

/** A rule about resources, in the form of SelfSubjectRulesReview. `*` matches all. */
export interface ResourceRule {
  /** Lower-case verbs, such as `get` and `create`. */
  readonly verbs: readonly string[];
  /** API groups; "" is the core group. */
  readonly apiGroups: readonly string[];
  /** Plurals, or `plural/subresource`, such as `pods/log`. */
  readonly resources: readonly string[];
  /** The names of the objects. If empty, the rule is for every name. */
  readonly resourceNames: readonly string[];
}
/** A rule about non-resource paths, in the form of SelfSubjectRulesReview. A path may end with `*`. */
export interface NonResourceRule {
  /** HTTP methods in lower case. */
  readonly verbs: readonly string[];
  /** Paths, such as `/metrics` and `/healthz/*`. */
  readonly nonResourceURLs: readonly string[];
}
/** All rights that rules grant to a user in a namespace. */
export interface UserRules {
  /** The rules about resources, in no order. Rules may overlap. */
  readonly resourceRules: readonly ResourceRule[];
  /** The rules about non-resource paths, in no order. */
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Whether the list is incomplete, because an authorizer of the chain cannot list its rules. */
  readonly incomplete: boolean;
  /** The errors of the evaluation, joined to one text. */
  readonly evaluationError: string;
}

/** A wait for an answer. Its signal is created when it is first used. */
export interface Waiting {
  /** Aborts when the client disconnects or the request reaches its timeout. */
  readonly signal: AbortSignal;
}

/** Decides whether users may make requests. */
export interface Authorizer {
  /** The name in --authorization-mode, such as `RBAC`. */
  readonly name: string;
  /**
   * Decides about a request. It must not throw: a failure is `noOpinion` or `deny` with an `error`. If `waiting` aborts before the
   * decision, the verdict is `deny`, because a later authorizer must not allow a request that this one might deny.
   */
  authorize(
    user: Caller,
    attributes: AuthorizationAttributes,
    waiting?: Waiting,
  ): Promise<AuthorizationDecision> | AuthorizationDecision;
  /** Returns the rules of a user in a namespace; "" stands for those of cluster scope only. Absent if this authorizer cannot list rules. */
  rules?(user: Caller, namespace: string): Promise<UserRules> | UserRules;
}

/** The user of a token. */
export interface TokenUser {
  /** The user that the authenticator has read from the token. */
  readonly user: Caller;
  /** The requested audiences that the token is for. Empty if the authenticator does not support audiences. */
  readonly audiences: readonly string[];
}

/** A request for a new service account token. */
export interface TokenToIssue {
  /** The namespace of the service account. */
  readonly namespace: string;
  /** The name and the UID of the service account. A token is invalid when the account is deleted or has another UID. */
  readonly account: { readonly name: string; readonly uid: string };
  /** The object that the token is bound to. Its deletion makes the token invalid. */
  readonly bound: { readonly kind: "secret" | "pod" | "node"; readonly name: string; readonly uid: string } | undefined;
  /** The audiences of the token. If empty, it gets those of the server. */
  readonly audiences: readonly string[];
  /** The requested validity in seconds. */
  readonly expirationSeconds: number;
}
/** A new service account token. It must not be logged. */
export interface IssuedToken {
  /** The signed JSON Web Token. */
  readonly token: string;
  /** The audiences that the token is for, never empty. */
  readonly audiences: readonly string[];
  /** The validity in seconds: at most the requested value and --service-account-max-token-expiration. */
  readonly expirationSeconds: number;
  /** The time of issue in milliseconds since 1970, in whole seconds. */
  readonly issued: number;
  /** The `jti` of the token. */
  readonly id: string;
}

/** Reviews access and issues tokens, for hooks. */
export interface Access {
  /** Returns the decision of the whole chain. Hooks omit `waiting`; the wait then ends with their request. */
  authorize(user: Caller, attributes: AuthorizationAttributes, waiting?: Waiting): Promise<AuthorizationDecision>;
  /** Returns the rules of the chain, or of one of its authorizers. */
  rules(user: Caller, namespace: string, authorizer?: string): Promise<UserRules>;
  /**
   * Returns the user of a bearer token; undefined for a token that no authenticator accepts. The token must be for at least one of
   * `audiences`; an empty list means those of the server. Rejects if no authenticator accepts the token and one of them has failed or
   * states a reason. The message is the error in a TokenReview.
   */
  authenticateToken(token: string, audiences: readonly string[]): Promise<TokenUser | undefined>;
  /** Issues a token of a service account, signed by the server. The caller must have checked that the account exists. */
  issueToken(request: TokenToIssue): Promise<IssuedToken>;
}

/** Reads objects of served kinds in the requested version. */
export interface Reader {
  /**
   * Resolves with an object, which may be out of date by the delay of the watch cache. Undefined if it does not exist or the kind is not
   * served. `namespace` is "" for cluster-scoped kinds.
   */
  get(groupVersion: string, resource: string, namespace: string, name: string): Promise<ApiObject | undefined>;
  /** Resolves with the objects of a namespace, or of all namespaces for "". Empty if the kind is not served. */
  list(groupVersion: string, resource: string, namespace: string): Promise<readonly ApiObject[]>;
}

/** A resource in all namespaces. */
export interface NamedCollection {
  /** The group version, which may contain `{domain}`. */
  readonly groupVersion: GroupVersion;
  /** The plural of the resource, such as `configmaps`. */
  readonly resource: string;
}

/** The outcome of a call of a webhook. */
export type WebhookOutcome =
  | { readonly tag: "answered"; readonly body: string }
  /**
   * The call has no response, or an error response. `code` is that of the error response, else 503. `isRequestOver`: the client has
   * disconnected, or the request has reached its timeout.
   */
  | { readonly tag: "failed"; readonly message: string; readonly code: number; readonly isRequestOver: boolean }
  /** The call was not made, because too many calls wait for this webhook. */
  | { readonly tag: "busy" };

/** A call of a webhook: a POST with JSON. */
export interface WebhookCall {
  /** The address to which the request is sent, or the kubeconfig file with address and credentials. */
  readonly webhook: WebhookAddress | WebhookKubeconfig;
  /** The body of the request. */
  readonly json: string;
  /** Milliseconds after which the call has failed. */
  readonly timeoutMs: number;
  /** The name of the admission step. Its configuration may have credentials for the webhook. */
  readonly step: string;
  /**
   * Milliseconds before the second attempt; later pauses are longer. Up to five attempts are made while the webhook answers 429, 500 or 504, or with
   * `Retry-After`. Default: one attempt.
   */
  readonly retryMs?: number;
}

/** A webhook whose address is in the configuration of a step, and not in an object. */
export interface WebhookKubeconfig {
  /** The path of the file. */
  readonly kubeconfig: string;
}

/** Makes a call. Never rejects. `signal` is that of the request. */
export type CallWebhook = (call: WebhookCall, signal: AbortSignal) => Promise<WebhookOutcome>;

/**
 * What the server offers to admission steps that look at more than one request, such as quotas. Its calls do not end with the request: each
 * has a deadline of its own (`admissionCallMs`).
 */
export interface AdmissionServer {
  /** The time of the server. A test may advance it. */
  readonly clock: Pick<ServerClock, "now" | "elapsed" | "chance">;
  /**
   * Returns the objects of a collection. The result is a Promise only if they are not in memory. They may be out of date: use `newest`
   * before a rejection. Empty if the kind is not served.
   */
  recent(groupVersion: string, resource: string, namespace: string): readonly ApiObject[] | Promise<readonly ApiObject[]>;
  /**
   * Returns a value made from whole collections, such as an index of policies. It is kept, and made again when one of the collections or
   * the served versions have changed. An object that has not changed is the same value as before. The result is a Promise only if the
   * collections are not in memory.
   *
   * @param key the owner of the value; each has one
   * @param make makes the value of the objects of each collection, in the order of `collections`; empty for a kind that is not served
   */
  derived<T>(
    key: object,
    collections: readonly NamedCollection[],
    make: (lists: readonly (readonly ApiObject[])[]) => T,
  ): T | Promise<T>;
  /** Returns one object, from memory if it is there. It may be out of date. Undefined if it does not exist or the kind is not served. */
  recentObject(groupVersion: string, resource: string, namespace: string, name: string): Promise<ApiObject | undefined>;
  /** Returns the resource whose objects have this kind; undefined if none is served. */
  resourceOfKind(groupVersion: string, kind: string): { readonly resource: string; readonly namespaced: boolean } | undefined;
  /** Returns the JSON of an object of a resource, as a client gets it. */
  json(groupVersion: string, resource: string, object: ApiObject): JsonObject;
  /** Resolves with the newest objects of a collection. Empty if the kind is not served. */
  newest(groupVersion: GroupVersion, resource: string, namespace: string): Promise<readonly ApiObject[]>;
  /**
   * Writes the status of an object as the server itself, with the field manager `kube-apiserver`, and resolves with the stored object.
   * Rejects with Conflict unless `metadata.resourceVersion` is the newest one.
   */
  updateStatus(groupVersion: GroupVersion, resource: string, object: ApiObject): Promise<ApiObject>;
  /**
   * Calls a webhook. Never rejects. Unlike the other calls it ends with the request. The number of calls to one webhook
   * is bounded (`webhookCallsMax`).
   */
  callWebhook(call: WebhookCall): Promise<WebhookOutcome>;
  /** Returns the state that belongs to `key`, such as a step. It is made at the first use, and kept as long as the server runs. */
  stateOf<S>(key: object, make: () => S): S;
  /** Logs an error that does not reject the request. `name` says where in the step it occurred, such as `ValidatingAdmissionPolicy a`. */
  failed(name: string, error: unknown): void;
}
