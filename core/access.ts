/** What hooks and authorizers share: the attributes of a request, decisions, rules, and the questions that a hook may ask. */
import type { ApiObject } from "./meta/object-meta.ts";
import type { FieldRequirement } from "./selectors/field.ts";
import type { LabelRequirement } from "./selectors/label.ts";
import type { Caller } from "./user-info.ts";

/** What a user wants to do, as kube-apiserver's authorizer attributes. "" where a member does not apply. */
export interface AuthorizationAttributes {
  /** False for /livez, /version and every other path outside of resources. */
  readonly isResourceRequest: boolean;
  readonly path: string;
  /** get, list, watch, create, ...; the method in lower case outside of resources. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The requirements of the field selector of a list, watch or deletion of a collection. Absent: everything. */
  readonly fieldSelector?: readonly FieldRequirement[];
  readonly labelSelector?: readonly LabelRequirement[];
}

/** The answer of an authorizer, or of a chain of authorizers. */
export interface AuthorizationDecision {
  /** `deny` ends the chain. A request that has only `noOpinion` is refused. */
  readonly verdict: "allow" | "deny" | "noOpinion";
  /** Shown to the client; may be empty. */
  readonly reason: string;
  /** What went wrong while the decision was made. Logged, and shown in access reviews; never an `allow` by itself. */
  readonly error?: string;
}

/** A rule about resources, as SelfSubjectRulesReview lists them. `*` stands for everything. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: every name. */
  readonly resourceNames: readonly string[];
}
/** A rule about paths outside of resources, as SelfSubjectRulesReview lists them. A path may end with `*`. */
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}
/** Everything that rules give a user in a namespace. */
export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** True where an authorizer of the chain cannot list its rules. */
  readonly incomplete: boolean;
  /** Errors met on the way, one after another. */
  readonly evaluationError: string;
}

/** Who waits for an answer: the signal aborts when they do no longer, and is made at its first use. */
export interface Waiting {
  readonly signal: AbortSignal;
}

/** Decides what users may do. */
export interface Authorizer {
  /** `RBAC`, as --authorization-mode names it. */
  readonly name: string;
  /**
   * Must not throw: a failure is `noOpinion` or `deny` with an `error`. Where `waiting` leaves before there is a decision, it is `deny`:
   * a later authorizer must not allow what this one may deny.
   */
  authorize(
    user: Caller,
    attributes: AuthorizationAttributes,
    waiting?: Waiting,
  ): Promise<AuthorizationDecision> | AuthorizationDecision;
  /** The rules of a user in a namespace ("": cluster scope only). Absent: this authorizer cannot list them. */
  rules?(user: Caller, namespace: string): Promise<UserRules> | UserRules;
}

/** What a token says about its bearer. */
export interface TokenUser {
  readonly user: Caller;
  /** The audiences of the question that the token is for. Empty where the authenticator knows no audiences. */
  readonly audiences: readonly string[];
}

/** A token of a service account that is to be issued. */
export interface TokenToIssue {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  /** An object with whose deletion the token ends. */
  readonly bound: { readonly kind: "secret" | "pod" | "node"; readonly name: string; readonly uid: string } | undefined;
  /** Empty: those of the server. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}
/** A token of a service account that was issued. It must not be logged. */
export interface IssuedToken {
  readonly token: string;
  readonly audiences: readonly string[];
  /** At most what was asked for: --service-account-max-token-expiration. */
  readonly expirationSeconds: number;
  /** When it was issued, in milliseconds since the epoch, whole seconds. */
  readonly issued: number;
  /** The `jti` of the token. */
  readonly id: string;
}

/** What a hook may ask about users. */
export interface Access {
  /** The decision of the whole chain. Hooks leave `waiting` out: it is the request. */
  authorize(user: Caller, attributes: AuthorizationAttributes, waiting?: Waiting): Promise<AuthorizationDecision>;
  /** The rules of the chain, or of one authorizer of it. */
  rules(user: Caller, namespace: string, authorizer?: string): Promise<UserRules>;
  /**
   * The user of a bearer token; undefined for a token that no authenticator accepts. `audiences`: at least one must be the token's; empty
   * means those of the server. Rejects where an authenticator failed, or says why it refuses the token, and no other accepts it; the
   * message is the error that a TokenReview shows.
   */
  authenticateToken(token: string, audiences: readonly string[]): Promise<TokenUser | undefined>;
  /** A new token of a service account, signed by the server. The caller must have checked that the account exists. */
  issueToken(request: TokenToIssue): Promise<IssuedToken>;
}

/** Objects of kinds that are served, in the version asked for. */
export interface Reader {
  get(groupVersion: string, resource: string, namespace: string, name: string): Promise<ApiObject | undefined>;
  list(groupVersion: string, resource: string, namespace: string): Promise<readonly ApiObject[]>;
}
