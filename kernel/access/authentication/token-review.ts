/** Bearer tokens that another server reviews: a webhook, or the kube-apiserver in front. */
import type { TokenUser } from "../../../core/access.ts";
import type { Clock } from "../../../core/async.ts";
import type { UserInfo } from "../../../core/user-info.ts";
import { messageOf, type RemoteClient } from "../../../protocols/remote/remote-client.ts";
import { withRetries } from "../../../protocols/remote/retry.ts";
import { type TokenAuthenticator, TokenRefusal } from "./token-authenticator.ts";
import { ownAudiences } from "./token-chain.ts";
import { withoutToken } from "./without-token.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds for the review of a token by another server, with all attempts (kube-apiserver's value). */
const tokenReviewMs = bound(30_000);
/** UTF-16 units of the error in the answer of a token review. */
export const tokenReviewErrorLengthMax = bound(1024);

export interface TokenReviewOptions {
  /** `webhook` */
  readonly name: string;
  readonly client: Pick<RemoteClient, "send">;
  /** Path of the reviews below the server's URL; "" for the URL itself. */
  readonly path: string;
  /** `authentication.k8s.io/v1` */
  readonly apiVersion: string;
  /** The audiences of this server, for reviewers that do not support audiences. */
  readonly audiences: () => readonly string[];
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

interface Status {
  readonly authenticated: boolean;
  readonly user: UserInfo | undefined;
  readonly audiences: readonly string[];
  readonly error: string;
}

/** Authenticates tokens by TokenReviews. A failed review is retried, within `tokenReviewMs` in total. */
export function tokenReviewer(options: TokenReviewOptions): TokenAuthenticator {
  const { name, client, path, apiVersion, audiences: own, clock, random, signal } = options;
  async function reviewed(token: string, asked: readonly string[]): Promise<Status> {
    const body = { kind: "TokenReview", apiVersion, spec: { token, ...(asked.length === 0 ? {} : { audiences: asked }) } };
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(tokenReviewMs)]);
    const answer = await withRetries(() => client.send({ method: "POST", path, body, signal: bounded }), {
      clock,
      random,
      signal: bounded,
    });
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(shown(messageOf(answer.body) ?? `the review of a token was answered with status ${answer.status}`, token));
    }
    return statusOf(answer.body);
  }
  return {
    name,
    async authenticateToken(token, asked): Promise<TokenUser | undefined> {
      const { authenticated, user, audiences, error } = await reviewed(token, asked);
      const shared = audiences.length === 0 ? ownAudiences(own(), asked) : asked.filter((audience) => audiences.includes(audience));
      if (shared === undefined || (asked.length > 0 && shared.length === 0)) return undefined;
      if (authenticated && user !== undefined) return { user, audiences: shared };
      if (error !== "") throw new TokenRefusal(shown(error, token));
      return undefined;
    },
  };
}

/** A text of another server, shortened and without the token. */
function shown(text: string, token: string): string {
  return withoutToken(text, token).slice(0, tokenReviewErrorLengthMax);
}

type Members = Readonly<Record<string, unknown>>;

/** Throws for a body that is not a TokenReview. */
function statusOf(body: unknown): Status {
  const { kind, status } = membersOf(body);
  const { authenticated = false, user, audiences, error = "" } = membersOf(status);
  if (kind !== "TokenReview" || typeof authenticated !== "boolean" || typeof error !== "string") throw noReview();
  return { authenticated, user: authenticated ? userOf(membersOf(user)) : undefined, audiences: textsOf(audiences), error };
}

function userOf({ username, uid = "", groups, extra }: Members): UserInfo {
  if (typeof username !== "string" || username === "" || typeof uid !== "string") throw noReview();
  const values = Object.entries(membersOf(extra)).map(([key, each]) => [key, textsOf(each)] as const);
  return {
    name: username,
    ...(uid === "" ? {} : { uid }),
    groups: textsOf(groups),
    // Defines its properties: a key may be called `__proto__`.
    ...(values.length === 0 ? {} : { extra: Object.fromEntries(values) }),
  };
}

function membersOf(value: unknown): Members {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw noReview();
  return value as Members; // Checked above.
}

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) throw noReview();
  return value;
}

function noReview(): Error {
  return new Error("the review of a token was answered with something else than a TokenReview");
}
