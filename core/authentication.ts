/** Authenticators of plugins: the request that they see, and their answers. */
import type { Api } from "./api.ts";
import type { Names } from "./names.ts";
import type { Caller } from "./user-info.ts";
import type { MetricOf } from "../metrics/mod.ts";

/** The certificate of a client, which the server has verified. */
export interface ClientCertificate {
  /** The common name of the subject, the name of the user. It may be empty. */
  readonly commonName: string;
  /** The organizations of the subject, the groups of the user. */
  readonly organizations: readonly string[];
  /** UIDs of the user in the subject. Several, or an empty one, are an error of the issuer. */
  readonly uids: readonly string[];
  /** SHA-256 of the certificate in hexadecimal. */
  readonly fingerprint: string;
  /** Not-after, in milliseconds since the epoch. */
  readonly expires: number;
}

/** The parts of a request that an authenticator may read. The body is not among them. */
export interface RequestToAuthenticate {
  /** As written on the wire, such as `GET`. */
  readonly method: string;
  /** Path and query as written on the wire. */
  readonly url: string;
  /** By lower-case names. The values of a repeated header are a list, or one text with commas. Clients can send any value. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Absent if the client has sent none. */
  readonly certificate: ClientCertificate | undefined;
  /** The time of the request in milliseconds since the epoch. */
  readonly now: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * The answer of an authenticator: the user; a refusal, if the request has credentials of this kind that are not valid; or undefined (no opinion), if
 * it has none. Credentials that were refused are 401, unless another authenticator accepts the request. The reason goes to the log and to
 * the audit event, not to the client: it must contain no credentials.
 */
export type AuthenticationAnswer = { readonly user: Caller } | { readonly refused: string } | undefined;

/** A bearer token, of a request or of a TokenReview. It must not be logged. */
export interface TokenToAuthenticate {
  /** The token without the word `Bearer`, as the client has sent it. */
  readonly token: string;
  /** The audiences of which the token must have one. Empty: tokens are not checked for their audience. */
  readonly audiences: readonly string[];
  /** The time in milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The answer of an authenticator for a token: its user; a refusal of a token of its kind; or undefined (no opinion) for any other token. `audiences`: those
 * that the token is for; the server compares them with those that are asked for. Default: those of the server. A TokenReview shows
 * the reason of a refusal.
 */
export type TokenAnswer = { readonly user: Caller; readonly audiences?: readonly string[] } | { readonly refused: string } | undefined;

/** The context of a plugin's authenticator, valid while the server runs. */
export interface AuthenticatorContext {
  /** The names that replace `{domain}` and `{platform}`. */
  readonly names: Names;
  /** The API in process, as a member of system:masters, so that it never waits for an authenticator. */
  readonly api: Api;
  /** The recorder of a metric that the plugin declares in `metrics`. Throws for any other. */
  readonly metric: MetricOf;
  /** Logs an error: a sentence without secrets, and the error. */
  readonly logError: (sentence: string, error?: unknown) => void;
  /** Aborts when the server stops, or when the plugin is removed. */
  readonly signal: AbortSignal;
}

/**
 * A running authenticator of a plugin, for requests, for bearer tokens, or for both. If a method throws, or has no answer after `authenticatorMsMax`, the error
 * is logged with the name of the authenticator, and the request is 401 unless another authenticator accepts it.
 */
export interface OpenedAuthenticator {
  /** Decides about one request. */
  authenticate?(request: RequestToAuthenticate): Promise<AuthenticationAnswer> | AuthenticationAnswer;
  /** Decides about a bearer token, of a request or of a TokenReview. Its answers are not cached. */
  authenticateToken?(token: TokenToAuthenticate): Promise<TokenAnswer> | TokenAnswer;
}

/**
 * An authenticator of a plugin. It runs while the plugin is served. The first authenticator that has a user decides; those of the server and of
 * all plugins are asked until then.
 */
export interface AuthenticatorDefinition {
  /** Lower-case letters, digits and dashes, such as `signed-header`. It begins the reasons of refusals. */
  readonly name: string;
  /** One sentence for reference pages. */
  readonly summary: string;
  /** Runs before the authenticators of the server. Default: after them. Within both groups plugins run in their order. */
  readonly runsFirst?: true;
  /** Starts it. If it throws, the error is logged and the server runs without it until the next reload. */
  open(context: AuthenticatorContext): OpenedAuthenticator;
}
