/** Defines authenticators of plugins: the request that they see, and their answers. */
import type { IssuedToken, TokenToIssue } from "./access.ts";
import type { Api } from "./api.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import type { FollowedFiles, PartChecks, PartContext } from "./part.ts";
import type { Caller } from "./user-info.ts";

/** The certificate of a client, which the server has verified. */
export interface ClientCertificate {
  /** The common name of the subject, the name of the user. It may be empty. */
  readonly commonName: string;
  /** The organizations of the subject, the groups of the user. */
  readonly organizations: readonly string[];
  /** UIDs of the user in the subject. If there are several, or an empty one, the issuer has made an error. */
  readonly uids: readonly string[];
  /** SHA-256 hash of the certificate, in hexadecimal. */
  readonly fingerprint: string;
  /** The end of the certificate's validity (not-after), in milliseconds since 1970. */
  readonly expires: number;
}

/** The parts of a request that an authenticator may read. The body is not among them. */
export interface RequestToAuthenticate {
  /** The method as the client has sent it, such as `GET`. */
  readonly method: string;
  /** Path and query as the client has sent them. */
  readonly url: string;
  /** The headers by lower-case names. The values of a repeated header are a list, or one text with commas. Clients can send any value. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The verified certificate of the client; absent if it has sent none. */
  readonly certificate: ClientCertificate | undefined;
  /** Why the certificate that the client has sent is not trusted. `certificate` is absent then. */
  readonly certificateRefused?: string | undefined;
  /** The certificate of the client if a CA of front proxies has issued it, whether or not a CA of clients has. */
  readonly frontProxy?: ClientCertificate | undefined;
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
  /** The audiences of which the token must have at least one. If empty, audiences are not checked. */
  readonly audiences: readonly string[];
  /** The time in milliseconds since the epoch. */
  readonly now: number;
  /** Adds the text of a Warning header to the response of a request. Absent for a TokenReview. */
  readonly warn?: ((text: string) => void) | undefined;
}

/**
 * The answer of an authenticator for a token: its user; a refusal of a token of its kind; or undefined (no opinion) for any other token. `audiences`: those
 * that the token is for; the server compares them with those that are asked for. Default: those of the server. A TokenReview shows
 * the reason of a refusal. `expires`: the time in milliseconds since the epoch from which a cache must not have the answer.
 */
export type TokenAnswer =
  | { readonly user: Caller; readonly audiences?: readonly string[]; readonly expires?: number }
  | { readonly refused: string }
  | undefined;

/** An object that the server has found for an authenticator. */
export interface FoundObject<T extends ApiObject = ApiObject> {
  /** The revision of the object's last write. */
  readonly revision: number;
  /** Whether this text occurs in the object's JSON. The object is not decoded for this. */
  mentions(text: string): boolean;
  /** The object, which is decoded when it is first used. */
  readonly object: T;
}

/**
 * An object of the core group in its stored version, from the watch cache, so that it costs less than a request. A write or deletion by this server has effect at
 * once, one by another server when its event has arrived. An object that is not in the cache is read from the store. Undefined if there is none. Rejects
 * until the store is open.
 */
export type LookUpObject = <T extends ApiObject>(resource: string, namespace: string, name: string) => Promise<FoundObject<T> | undefined>;

/** What an authenticator of a plugin gets. It is valid while the authenticator runs. */
export interface AuthenticatorContext extends PartContext {
  /**
   * The API in process, as a member of system:masters, so that it never waits for an authenticator. Its methods reject until the server has started, so `open` must
   * not wait for them.
   */
  readonly api: Api;
  /** Reads single objects. It is fast enough to be called for each request. */
  readonly lookUp: LookUpObject;
  /** Returns the audiences of the server. If empty, audiences of tokens are not checked. */
  readonly audiences: () => readonly string[];
  /** Returns the URL of the server; "" before it listens. */
  readonly address: () => string;
}

/** How long the server may keep answers about tokens, in milliseconds; 0 means never. Failures are never kept. */
export interface TokenCaching {
  /** How long answers with a user are kept. */
  readonly acceptedMs: number;
  /** How long refusals are kept, and answers about tokens on which the authenticator has no opinion. */
  readonly refusedMs: number;
  /** Returns a value that identifies the present state. All kept answers are dropped when it changes. */
  readonly generation?: () => unknown;
}

/** Issues tokens of service accounts. */
export interface TokenIssuer {
  /** Issues a token that expires. */
  issue(request: TokenToIssue): Promise<IssuedToken>;
  /** Issues a token that does not expire. It is accepted while the Secret contains it. */
  issueLegacy(namespace: string, account: { readonly name: string; readonly uid: string }, secretName: string): Promise<string>;
}

/** A document that the server publishes. */
export interface PublicDocument {
  /** The value of its Content-Type header. */
  readonly mediaType: string;
  /** The text of the document. */
  readonly body: string;
  /** Seconds for which clients and proxies may cache it. */
  readonly cacheSeconds: number;
}
/** Documents that everybody with the right to get their paths may read, such as the keys that verify tokens. */
export interface PublicDocuments {
  /** Returns the paths of the documents; empty if there are none now. */
  paths(): readonly string[];
  /** Resolves with the document of one of the paths. */
  read(path: string): Promise<PublicDocument>;
}

/** The CAs of which the server asks clients for certificates, as PEM. "" means none. */
export interface ClientTrust {
  /** The CAs of client certificates. */
  readonly clientCa: string;
  /** The CAs of the certificates of front proxies. */
  readonly frontProxyCa: string;
}
/** CAs that change, and that do not come from flags. */
export interface ClientTrustSource {
  /** Returns the CAs that are active now. */
  current(): ClientTrust;
  /** Calls `changed` with each new trust until the part ends; a trust for which `changed` throws must not be activated. */
  follow(changed: (trust: ClientTrust) => void): void;
}

/** The rule for requests without credentials. */
export interface AnonymousRule {
  /** Whether such requests are allowed. */
  readonly enabled: boolean;
  /** The paths for which they are allowed. If empty, they are allowed for all. */
  readonly conditions?: readonly { readonly path?: string }[];
}

/**
 * A running authenticator of a plugin, for requests, for bearer tokens, or for both. If a method throws, or has no answer in time, the error
 * is logged with the name of the authenticator, and the request is 401 unless another authenticator accepts it.
 */
export interface OpenedAuthenticator {
  /** Decides about one request. */
  authenticate?(request: RequestToAuthenticate): Promise<AuthenticationAnswer> | AuthenticationAnswer;
  /** Decides about a bearer token, of a request or of a TokenReview. */
  authenticateToken?(token: TokenToAuthenticate): Promise<TokenAnswer> | TokenAnswer;
  /** How long answers about tokens are cached. Default: they are not cached. */
  readonly caching?: TokenCaching;
  /** The files that it uses. */
  readonly followed?: readonly FollowedFiles[];
  /** Signs new tokens, if it authenticates those of service accounts. */
  readonly issuer?: TokenIssuer;
  /** Documents about its credentials for other programs. */
  readonly documents?: PublicDocuments;
  /** CAs that it brings. */
  readonly trust?: ClientTrustSource;
  /** The rule for requests without credentials. It replaces --anonymous-auth. */
  readonly anonymous?: AnonymousRule;
  /** Resolves when it is ready for the first request; the server does not wait for it. Never rejects. */
  ready?(): Promise<void>;
  /** Resolves when its work in the background has ended, after the signal has aborted. Never rejects. */
  ended?(): Promise<void>;
}

/**
 * An authenticator of a plugin. It runs while the plugin is served. The first authenticator that has a user decides; all are asked until then, in the
 * order of their plugins.
 */
export interface AuthenticatorDefinition {
  /** The name: lower-case letters, digits and dashes, such as `signed-header`. Reasons of refusals begin with it. */
  readonly name: string;
  /** One sentence for reference pages. */
  readonly summary: string;
  /** Whether the authenticator runs before those of other plugins that do not set this. */
  readonly runsFirst?: true;
  /** Whether it decides about requests before bearer tokens are checked. Default: after them, unless it runs first. */
  readonly beforeTokens?: true;
  /** Whether reasons of refusals and errors are complete without the name of the authenticator. */
  readonly plainReasons?: true;
  /** Milliseconds for one request or token. Default: `authenticatorMsMax`. */
  readonly answerMs?: number;
  /**
   * Whether the server refuses to start if `open` fails. Default: the error is logged, and the server runs without the authenticator until
   * the next reload.
   */
  readonly required?: true;
  /** Checks of the settings, which return what is wrong in them. */
  readonly checks?: PartChecks;
  /** Starts the authenticator. Returns undefined if the settings do not ask for it. */
  open(context: AuthenticatorContext): OpenedAuthenticator | undefined | Promise<OpenedAuthenticator | undefined>;
}
