/**
 * An authorizer that asks another server by SubjectAccessReviews: a webhook, or the kube-apiserver in front. Answers are cached.
 * Source: apiserver 1.35, plugin/pkg/authorizer/webhook.
 */
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from "../../../core/access.ts";
import type { Clock } from "../../../core/async.ts";
import { limits } from "../../../core/limits.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { LabelRequirement } from "../../../core/selectors/label.ts";
import type { UserInfo } from "../../../core/user-info.ts";
import { messageOf, type RemoteAnswer, type RemoteClient } from "../remote/remote-client.ts";
import { withRetries } from "../remote/retry.ts";

export interface AccessReviewOptions {
  /** Its name in metrics and logs. */
  readonly name: string;
  readonly client: RemoteClient;
  /** The path that takes reviews: "" for the URL of a webhook itself. */
  readonly path: string;
  /** `v1` or `v1beta1`. */
  readonly version: string;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Milliseconds for which an answer counts; 0 caches none. */
  readonly allowedMs: number;
  readonly deniedMs: number;
  /** Milliseconds for one decision, with all attempts. */
  readonly timeoutMs: number;
  /** The verdict where no answer comes. */
  readonly onError: "deny" | "noOpinion";
  /** Whether requests of this kind are asked about; all by default. */
  readonly matches?: (user: UserInfo, attributes: AuthorizationAttributes) => boolean;
  /** Each attempt: its status code as text, or `<error>`, and how long it took. */
  readonly attempted?: (code: string, milliseconds: number, outcome: AttemptOutcome) => void;
  /** Every attempt failed, and the request goes on to the next authorizer. */
  readonly failedOpen?: (outcome: AttemptOutcome) => void;
  readonly log: (sentence: string, error: unknown) => void;
}
/** As the metrics of kube-apiserver name it. */
export type AttemptOutcome = "success" | "canceled" | "timeout" | "error";

/** The status of a review. */
interface ReviewStatus {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

/** An authorizer with its cache. */
export function accessReviews(options: AccessReviewOptions): Authorizer {
  const { name, clock, onError, matches = () => true } = options;
  const cache = new Map<string, { readonly status: ReviewStatus; readonly until: number }>();
  /** Questions that are being asked: the same question is asked once at a time. */
  const asking = new Map<string, Promise<ReviewStatus>>();

  function cached(key: string): ReviewStatus | undefined {
    const entry = cache.get(key);
    if (entry === undefined) return undefined;
    cache.delete(key);
    if (entry.until <= clock.now()) return undefined;
    cache.set(key, entry); // as the one that was used last
    return entry.status;
  }
  function remember(key: string, status: ReviewStatus): void {
    const milliseconds = status.allowed ? options.allowedMs : options.deniedMs;
    if (milliseconds <= 0) return;
    if (cache.size >= limits.accessReviewsCachedMax) cache.delete(cache.keys().next().value!);
    cache.set(key, { status, until: clock.now() + milliseconds });
  }
  async function ask(key: string, spec: object, caches: boolean): Promise<ReviewStatus> {
    const known = caches ? cached(key) ?? asking.get(key) : undefined;
    if (known !== undefined) return await known;
    const answer = reviewed(options, spec);
    if (!caches) return await answer;
    asking.set(key, answer);
    try {
      const status = await answer;
      remember(key, status);
      return status;
    } finally {
      asking.delete(key);
    }
  }

  return {
    name,
    async authorize(user, attributes) {
      if (!matches(user, attributes)) return { verdict: "noOpinion", reason: "" };
      const spec = specOf(user, attributes);
      try {
        // The whole question is the key: two that differ anywhere never share an answer.
        return decisionOf(await ask(JSON.stringify(spec), spec, isSmall(attributes)));
      } catch (error) {
        options.log(`the authorizer ${name} has no answer`, error);
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

function decisionOf({ allowed, denied, reason }: ReviewStatus): AuthorizationDecision {
  if (denied && allowed) {
    return { verdict: "deny", reason, error: "webhook subject access review returned both allow and deny response" };
  }
  return { verdict: denied ? "deny" : allowed ? "allow" : "noOpinion", reason };
}

/** Long names and paths come from clients: their answers would fill the cache. */
function isSmall({ namespace, verb, group, version, resource, subresource, name, path }: AuthorizationAttributes): boolean {
  const parts = [namespace, verb, group, version, resource, subresource, name, path];
  return parts.reduce((sum, part) => sum + part.length, 0) < limits.accessReviewCachedCharactersMax;
}

async function reviewed(options: AccessReviewOptions, spec: object): Promise<ReviewStatus> {
  const { client, path, version, clock, random, timeoutMs, attempted, failedOpen, onError } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const body = { kind: "SubjectAccessReview", apiVersion: `authorization.k8s.io/${version}`, metadata: {}, spec: wireSpec(spec, version) };
  let outcome: AttemptOutcome = "error";
  const send = async (): Promise<RemoteAnswer> => {
    const begun = performance.now();
    try {
      const answer = await client.send({ method: "POST", path, body, signal: deadline });
      outcome = answer.status < 300 ? "success" : answer.status === 504 ? "timeout" : "error";
      attempted?.(String(answer.status), performance.now() - begun, outcome);
      return answer;
    } catch (error) {
      outcome = deadline.aborted ? "timeout" : "error";
      attempted?.("<error>", performance.now() - begun, outcome);
      throw error;
    }
  };
  try {
    const { status, body: answer } = await withRetries(send, { clock, random, signal: deadline });
    if (status >= 300) throw new Error(messageOf(answer) ?? `status ${status}`);
    return statusOf(answer);
  } catch (error) {
    if (onError === "noOpinion") failedOpen?.(outcome);
    throw error;
  }
}

/** In v1beta1 the groups are called `group`. */
function wireSpec(spec: object, version: string): object {
  const { groups, ...rest } = spec as { readonly groups?: readonly string[] };
  return version === "v1" || groups === undefined ? spec : { ...rest, group: groups };
}

function statusOf(answer: unknown): ReviewStatus {
  const { status } = (answer ?? {}) as { readonly status?: unknown };
  const { allowed, denied, reason } = (typeof status === "object" && status !== null ? status : {}) as Partial<Record<string, unknown>>;
  if (typeof allowed !== "boolean") throw new Error("the answer is no SubjectAccessReview with a status");
  return { allowed, denied: denied === true, reason: typeof reason === "string" ? reason : "" };
}

/** The spec of a review about a user and what it wants to do. */
function specOf({ name, uid = "", groups, extra = {} }: UserInfo, attributes: AuthorizationAttributes): object {
  return {
    ...(attributes.isResourceRequest
      ? { resourceAttributes: resourceOf(attributes) }
      : { nonResourceAttributes: present({ path: attributes.path, verb: attributes.verb }) }),
    user: name,
    groups,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
    ...(uid === "" ? {} : { uid }),
  };
}

function resourceOf(attributes: AuthorizationAttributes): object {
  const { namespace, verb, group, version, resource, subresource, name, fieldSelector = [], labelSelector = [] } = attributes;
  const fields = fieldSelector.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === "=" ? "In" : "NotIn",
    values: [value],
  }));
  const labels = labelSelector.flatMap((requirement) => labelRequirement(requirement) ?? []);
  return {
    ...present({ namespace, verb, group, version, resource, subresource, name }),
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}

/** Comparisons of numbers have no form in a review; leaving them out makes the question wider, never narrower. */
function labelRequirement({ key, operator, values }: LabelRequirement): object | undefined {
  switch (operator) {
    case "in":
    case "=":
    case "==":
      return { key, operator: "In", values };
    case "notin":
    case "!=":
      return { key, operator: "NotIn", values };
    case "exists":
      return { key, operator: "Exists" };
    case "!":
      return { key, operator: "DoesNotExist" };
    default:
      return undefined;
  }
}

function present(members: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ""));
}
