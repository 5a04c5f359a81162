/** An authorizer that sends SubjectAccessReviews to another server: a webhook, or the kube-apiserver in front. */
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from "../../../core/access.ts";
import type { Clock } from "../../../core/async.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { UserInfo } from "../../../core/user-info.ts";
import { messageOf, type RemoteAnswer, type RemoteClient } from "../../../protocols/remote/remote-client.ts";
import { withRetries } from "../../../protocols/remote/retry.ts";
import type { MatchConditions } from "./match-conditions.ts";
import { ReviewCache, type ReviewStatus } from "./review-cache.ts";
import { reviewSelectors } from "./review-selectors.ts";
import { valueText } from "../../../core/value-text.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds for one access review, with its retries. */
const accessReviewMs = bound(60_000);
/** UTF-16 units of the attributes of a request whose review is remembered (kube-apiserver's bound). */
export const reviewAttributesLengthMax = bound(10_000);
/** UTF-16 units of the question of a remembered review, with its user. */
const reviewKeyLengthMax = bound(16_384);
/** UTF-16 units of the error of an access review. */
const reviewErrorLengthMax = bound(1_024);

/** Result of one attempt, as labelled in kube-apiserver's metrics. */
export type AttemptOutcome = "success" | "canceled" | "timeout" | "error";

export interface AccessReviewOptions {
  /** The name of the authorizer in metrics and in the log. */
  readonly name: string;
  readonly server: ReviewServer;
  /** Milliseconds for which an allowed answer is cached, and any other answer; 0 disables it. Failures are never cached. */
  readonly cached: { readonly allowedMs: number; readonly deniedMs: number };
  /** The verdict if the server fails. */
  readonly onError: "deny" | "noOpinion";
  /** Whether requests of this kind are reviewed; default: all. It throws an Error where that cannot be decided. */
  readonly matches?: MatchConditions;
  readonly reports: ReviewReports;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborts when the server stops, or when the authorizer is removed from the chain. */
  readonly signal?: AbortSignal;
}

/** The server that answers, and its API. */
export interface ReviewServer {
  readonly client: Pick<RemoteClient, "send">;
  /** Path of the reviews below the server's URL; "" for the URL itself. */
  readonly path: string;
  /** `v1` or `v1beta1`, which names the groups `group`. */
  readonly version: string;
  /** Domain of the API group of reviews. Default: k8s.io. */
  readonly domain?: string;
  /** Timeout of one attempt in milliseconds. All attempts of a decision take `accessReviewMs` at most. */
  readonly timeoutMs: number;
}

export interface ReviewReports {
  /** Receives each attempt: its status code as text, or `<error>`, and its duration. */
  readonly attempted?: (code: string, milliseconds: number, outcome: AttemptOutcome) => void;
  /** Receives a failure that is no opinion, after which a later authorizer may allow the request. */
  readonly failedOpen?: (outcome: AttemptOutcome) => void;
  readonly log: (sentence: string, error: unknown) => void;
}

/** An authorizer with its cache. It never rejects. */
export function accessReviews(options: AccessReviewOptions): Authorizer {
  const { name, server: { version, domain = "k8s.io" }, onError, matches = () => true, reports: { failedOpen, log } } = options;
  const cache = new ReviewCache({ ...options.cached, now: options.clock.now });
  return {
    name,
    async authorize(user, attributes, waiting) {
      try {
        if (!matches(user, attributes)) return { verdict: "noOpinion", reason: "" };
      } catch (error) {
        log(`the match conditions of the authorizer ${name} cannot be evaluated`, error);
        return { verdict: onError, reason: "", error: `${name}: ${reasonOf(error)}` };
      }
      const apiVersion = `authorization.${domain}/${version}`;
      const body = { kind: "SubjectAccessReview", apiVersion, metadata: {}, spec: specOf(user, attributes, version === "v1beta1") };
      // The key is the whole spec: two reviews that differ anywhere never share an answer.
      const key = valueText(body.spec);
      const mayRemember = lengthOf(attributes) < reviewAttributesLengthMax && key.length < reviewKeyLengthMax;
      const last: { outcome: AttemptOutcome } = { outcome: "error" };
      try {
        return decisionOf(await cache.get(key, mayRemember, (ended) => reviewed(body, options, last, ended), waiting));
      } catch (error) {
        // The request has ended, and another authorizer must not allow it instead.
        if (options.signal?.aborted === true || waiting?.signal.aborted === true) {
          return { verdict: "deny", reason: "", error: `${name}: the review was canceled` };
        }
        log(`the authorizer ${name} has no answer`, error);
        if (onError === "noOpinion" && last.outcome !== "canceled") failedOpen?.(last.outcome);
        return { verdict: onError, reason: "", error: `${name}: ${reasonOf(error)}` };
      }
    },
    rules: () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: "webhook authorizer does not support user rule resolution",
    }),
  };
}

/** `ended` aborts when no request waits for the answer. */
async function reviewed(
  body: unknown,
  options: AccessReviewOptions,
  last: { outcome: AttemptOutcome },
  ended: AbortSignal,
): Promise<ReviewStatus> {
  const { server: { client, path, timeoutMs }, reports: { attempted }, clock, random, signal } = options;
  const bound = AbortSignal.timeout(accessReviewMs);
  const whole = AbortSignal.any(signal === undefined ? [ended, bound] : [ended, signal, bound]);
  const send = async (): Promise<RemoteAnswer> => {
    const begun = clock.now(), attempt = AbortSignal.timeout(timeoutMs);
    const report = (code: string, outcome: AttemptOutcome) => attempted?.(code, clock.now() - begun, last.outcome = outcome);
    try {
      const answer = await client.send({ method: "POST", path, body, signal: AbortSignal.any([whole, attempt]) });
      const outcome = isSuccess(answer) && isReview(answer.body) ? "success" : answer.status === 504 ? "timeout" : "error";
      report(String(answer.status), outcome);
      return answer;
    } catch (error) {
      report("<error>", whole.aborted ? "canceled" : attempt.aborted ? "timeout" : "error");
      throw error;
    }
  };
  const answer = await withRetries(send, { clock, random, signal: whole, isRetried });
  if (isSuccess(answer)) return statusOf(answer.body);
  throw new Error((messageOf(answer.body) ?? `status ${answer.status}`).slice(0, reviewErrorLengthMax));
}

function isSuccess({ status }: RemoteAnswer): boolean {
  return status >= 200 && status < 300;
}

function isReview(body: unknown): boolean {
  try {
    statusOf(body);
    return true;
  } catch {
    return false;
  }
}

/** The statuses after which kube-apiserver retries. */
function isRetried({ status, retryAfter }: RemoteAnswer): boolean {
  return status === 429 || status === 500 || status === 504 || retryAfter !== undefined;
}

function decisionOf({ allowed, denied, reason }: ReviewStatus): AuthorizationDecision {
  if (denied && allowed) return { verdict: "deny", reason, error: "webhook subject access review returned both allow and deny response" };
  return { verdict: denied ? "deny" : allowed ? "allow" : "noOpinion", reason };
}

/** Throws for a body that is not a SubjectAccessReview with a decision. As upstream, the kind may be absent. */
function statusOf(body: unknown): ReviewStatus {
  const { kind = "SubjectAccessReview", status } = membersOf(body);
  const decision = membersOf(status);
  const { allowed = false, denied = false, reason = "" } = decision;
  if (decision["allowed"] === undefined && decision["denied"] === undefined) throw noReview();
  if (kind !== "SubjectAccessReview" || typeof allowed !== "boolean" || typeof denied !== "boolean" || typeof reason !== "string") {
    throw noReview();
  }
  return { allowed, denied, reason };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw noReview();
  return value as Readonly<Record<string, unknown>>; // Checked above.
}

function noReview(): Error {
  return new Error("the answer is no SubjectAccessReview");
}

/** The spec of a review, without empty members. */
function specOf({ name, uid, groups, extra }: UserInfo, attributes: AuthorizationAttributes, isBeta: boolean): object {
  const { verb, path, group, version, resource, subresource, namespace } = attributes;
  return present({
    ...(attributes.isResourceRequest
      ? {
        resourceAttributes: {
          ...present({ namespace, verb, group, version, resource, subresource, name: attributes.name }),
          ...reviewSelectors(attributes),
        },
      }
      : { nonResourceAttributes: present({ path, verb }) }),
    user: name,
    [isBeta ? "group" : "groups"]: groups,
    extra,
    uid,
  });
}

function present(members: Readonly<Record<string, unknown>>): object {
  const isEmpty = (value: unknown) =>
    value === undefined || value === "" || (typeof value === "object" && Object.keys(value!).length === 0);
  return Object.fromEntries(Object.entries(members).filter(([key, value]) => key.endsWith("Attributes") || !isEmpty(value)));
}

/** UTF-16 units of the values that a client chooses. */
function lengthOf({ namespace, verb, group, version, resource, subresource, name, path }: AuthorizationAttributes): number {
  return [namespace, verb, group, version, resource, subresource, name, path].reduce((sum, text) => sum + text.length, 0);
}
