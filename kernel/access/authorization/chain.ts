/**
 * A chain of authorizers: the first that allows or denies decides. Members of system:masters are allowed before any authorizer is called,
 * as in kube-apiserver.
 */
import type { Access, AuthorizationAttributes, AuthorizationDecision, Authorizer, UserRules, Waiting } from "../../../core/access.ts";
import { systemGroups, type UserInfo } from "../../../core/user-info.ts";

/** The decision of a chain. Synchronous if no authorizer has to wait. */
export type Decide = (
  user: UserInfo,
  attributes: AuthorizationAttributes,
  waiting?: Waiting,
) => AuthorizationDecision | Promise<AuthorizationDecision>;

/** An authorizer of a chain, with its type and name in configuration and metrics. */
export interface ChainedAuthorizer {
  readonly type: string;
  readonly name: string;
  readonly authorizer: Authorizer;
}

/** The functions of a chain. */
export interface Chain {
  readonly decide: Decide;
  /** The rules of every authorizer, or of those of one type, in order. */
  readonly rules: Access["rules"];
}

/** `decided` is called for each `allow` and `deny` of an authorizer. An authorizer that throws ends the chain with its error. */
export function chainOf(
  authorizers: readonly ChainedAuthorizer[],
  decided: (by: ChainedAuthorizer, decision: "allowed" | "denied") => void = () => {},
): Chain {
  async function decide(
    user: UserInfo,
    attributes: AuthorizationAttributes,
    waiting: Waiting | undefined,
  ): Promise<AuthorizationDecision> {
    let opinions: readonly AuthorizationDecision[] = [];
    for (const by of authorizers) {
      const answer = await by.authorizer.authorize(user, attributes, waiting);
      if (isFinal(by, answer)) return answer;
      opinions = withOpinion(opinions, answer);
    }
    return opinions.length === 0 ? noOpinion : summaryOf(opinions);
  }
  function isFinal(by: ChainedAuthorizer, { verdict }: AuthorizationDecision): boolean {
    if (verdict !== "allow" && verdict !== "deny") return false;
    decided(by, verdict === "allow" ? "allowed" : "denied");
    return true;
  }
  return {
    decide: (user, attributes, waiting) => user.groups.includes(systemGroups.masters) ? allowed : decide(user, attributes, waiting),
    rules: (user, namespace, only) =>
      rulesOf(authorizers.filter(({ type }) => only === undefined || type === only).map(({ authorizer }) => authorizer), user, namespace),
  };
}

const allowed: AuthorizationDecision = Object.freeze({ verdict: "allow", reason: "" });
const noOpinion: AuthorizationDecision = Object.freeze({ verdict: "noOpinion", reason: "" });

/** Drops opinions without a reason or error. */
function withOpinion(opinions: readonly AuthorizationDecision[], next: AuthorizationDecision): readonly AuthorizationDecision[] {
  return next.reason === "" && next.error === undefined ? opinions : [...opinions, next];
}

function summaryOf(opinions: readonly AuthorizationDecision[]): AuthorizationDecision {
  const reason = opinions.map(({ reason }) => reason).filter((text) => text !== "").join("\n");
  const error = joinErrors(opinions.flatMap(({ error }) => error === undefined ? [] : [error]));
  return { verdict: "noOpinion", reason, ...(error === "" ? {} : { error }) };
}

/** Several errors in upstream's format: without duplicates, in brackets if there is more than one. */
function joinErrors(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length > 1 ? `[${texts.join(", ")}]` : texts.join();
}

async function rulesOf(authorizers: readonly Authorizer[], user: UserInfo, namespace: string): Promise<UserRules> {
  const found: UserRules[] = [];
  for (const authorizer of authorizers) {
    const rules = await authorizer.rules?.(user, namespace);
    if (rules !== undefined) found.push(rules);
  }
  return {
    resourceRules: found.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: found.flatMap(({ nonResourceRules }) => nonResourceRules),
    incomplete: found.some(({ incomplete }) => incomplete),
    evaluationError: joinErrors(found.map(({ evaluationError }) => evaluationError).filter((text) => text !== "")),
  };
}
