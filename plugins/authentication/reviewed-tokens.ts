/** Bearer tokens that another server reviews: a webhook, or the kube-apiserver in front. */
import type { TokenUser } from "../../core/access.ts";
import type { AuthenticatorDefinition } from "../../core/authentication.ts";
import { type PartClient, settingsOf } from "../../core/part.ts";
import type { Caller } from "../../core/user-info.ts";
import { ownAudiences, type TokenAuthenticator, TokenRefusal } from "../../core/token-authenticator.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { withoutToken } from "../../core/without-token.ts";
import { answersOf } from "./answers.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds for the review of a token by another server, with all attempts (kube-apiserver's value). */
const tokenReviewMs = bound(30_000);
/** UTF-16 units of the error in the answer of a token review. */
export const tokenReviewErrorLengthMax = bound(1024);

export interface TokenReviewOptions {
  /** `webhook` */
  readonly name: string;
  readonly client: Pick<PartClient, "send">;
  /** Path of the reviews below the server's URL; "" for the URL itself. */
  readonly path: string;
  /** `authentication.k8s.io/v1` */
  readonly apiVersion: string;
  /** The audiences of this server, for reviewers that do not support audiences. */
  readonly audiences: () => readonly string[];
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

interface Status {
  readonly authenticated: boolean;
  readonly user: Caller | undefined;
  readonly audiences: readonly string[];
  readonly error: string;
}

/** Authenticates tokens by TokenReviews. A failed review is retried, within `tokenReviewMs` in total. */
export function tokenReviewer(options: TokenReviewOptions): TokenAuthenticator {
  const { name, client, path, apiVersion, audiences: own, signal } = options;
  async function reviewed(token: string, asked: readonly string[]): Promise<Status> {
    const body = { kind: "TokenReview", apiVersion, spec: { token, ...(asked.length === 0 ? {} : { audiences: asked }) } };
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(tokenReviewMs)]);
    const answer = await client.send({ method: "POST", path, body, signal: bounded, retries: true });
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

function userOf({ username, uid = "", groups, extra }: Members): Caller {
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

/** The text of a Status; undefined for another body. */
export function messageOf(body: unknown): string | undefined {
  const { message } = (typeof body === "object" && body !== null ? body : {}) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? message : undefined;
}

const flags = Object.freeze({
  "authentication-token-webhook-config-file": "string",
  "authentication-token-webhook-version": "string",
  "authentication-token-webhook-cache-ttl": "duration",
});
const file = Object.freeze({ name: "authentication-token-webhook-config-file", kind: "string" });

/** The authenticator `webhook`. */
export const tokenWebhook: AuthenticatorDefinition = {
  name: "webhook",
  summary: "Bearer tokens that the webhook of --authentication-token-webhook-config-file reviews.",
  plainReasons: true,
  required: true,
  answerMs: Infinity,
  checks: {
    files: ({ setting, remotes }) => {
      const path = setting(file);
      return path === "" ? [] : [[file.name, remotes.checkKubeconfig(path)]];
    },
    mistakes({ setting }) {
      const { "authentication-token-webhook-version": version } = settingsOf(setting, flags);
      const isKnown = ["v1", "v1beta1"].includes(version);
      return isKnown ? [] : [`flag "--authentication-token-webhook-version": ${goQuote(version)} must be v1 or v1beta1`];
    },
  },
  async open({ setting, names, remotes, audiences, signal }) {
    const values = settingsOf(setting, flags), path = values["authentication-token-webhook-config-file"];
    if (path === "") return undefined;
    await remotes.checkKubeconfig(path);
    const ttl = values["authentication-token-webhook-cache-ttl"];
    const reviewer = tokenReviewer({
      name: "webhook",
      client: remotes.connect(path, { name: "Call authentication webhook", attributes: { authenticator: "webhook" } }),
      path: "",
      apiVersion: `authentication.${names.domain}/${values["authentication-token-webhook-version"]}`,
      audiences,
      signal,
    });
    return { authenticateToken: answersOf(reviewer), caching: { acceptedMs: ttl, refusedMs: ttl } };
  },
};
