/** Authorization: the first authorizer that allows or denies decides; a request that none allows is refused. */
import type { Access, AuthorizationAttributes, AuthorizationDecision, Authorizer, UserRules } from "../../../core/access.ts";
import { StatusError } from "../../../core/status-error.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import type { UserInfo } from "../../../core/user-info.ts";

/** The decision of a chain. Reasons and errors are those of every authorizer that was called. */
export type Decide = (user: UserInfo, attributes: AuthorizationAttributes) => Promise<AuthorizationDecision>;

/** Asks each authorizer in order until one allows or denies. */
export function decideInOrder(authorizers: readonly Authorizer[]): Decide {
  return async (user, attributes) => {
    const reasons: string[] = [], errors: string[] = [];
    for (const authorizer of authorizers) {
      const { verdict, reason, error } = await authorizer.authorize(user, attributes);
      if (reason !== "") reasons.push(reason);
      if (error !== undefined) errors.push(error);
      if (verdict !== "noOpinion") return decision(verdict, verdict === "allow" ? [reason] : reasons, errors);
    }
    return decision("noOpinion", reasons, errors);
  };
}

function decision(verdict: AuthorizationDecision["verdict"], reasons: readonly string[], errors: readonly string[]): AuthorizationDecision {
  return { verdict, reason: reasons.join("\n"), ...(errors.length === 0 ? {} : { error: errors.join(", ") }) };
}

/** Resolves where the decision is to allow; rejects with 403 otherwise. */
export function authorizeBy(decide: Decide): (user: UserInfo, attributes: AuthorizationAttributes) => Promise<void> {
  return async (user, attributes) => {
    const { verdict, reason } = await decide(user, attributes);
    if (verdict !== "allow") throw forbiddenFor(user, attributes, reason);
  };
}

/** The rules of every authorizer, or of the one that is named, in order. */
export function rulesOfChain(authorizers: readonly Authorizer[]): Access["rules"] {
  return async (user, namespace, only) => {
    const found: UserRules[] = [];
    for (const authorizer of authorizers) {
      if (only === undefined || authorizer.name === only) found.push(await authorizer.rules?.(user, namespace) ?? noRules);
    }
    return {
      resourceRules: found.flatMap(({ resourceRules }) => resourceRules),
      nonResourceRules: found.flatMap(({ nonResourceRules }) => nonResourceRules),
      incomplete: found.some(({ incomplete }) => incomplete),
      evaluationError: found.map(({ evaluationError }) => evaluationError).filter((text) => text !== "").join(", "),
    };
  };
}
const noRules: UserRules = Object.freeze({ resourceRules: [], nonResourceRules: [], incomplete: false, evaluationError: "" });

/** 403 in upstream's words. */
export function forbiddenFor(user: UserInfo, attributes: AuthorizationAttributes, reason = ""): StatusError {
  const because = reason === "" ? "" : `: ${reason}`;
  const { verb, path, group, resource, subresource, namespace, name } = attributes;
  if (!attributes.isResourceRequest) {
    return new StatusError("Forbidden", `forbidden: User ${quoted(user.name)} cannot ${verb} path ${quoted(path)}${because}`, {
      details: {},
    });
  }
  const full = group === "" ? resource : `${resource}.${group}`;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quoted(namespace)}`;
  const who = name === "" ? full : `${full} ${quoted(name)}`;
  return new StatusError(
    "Forbidden",
    `${who} is forbidden: User ${quoted(user.name)} cannot ${verb} resource ${quoted(what)} in API group ${
      quoted(group)
    } ${where}${because}`,
    { details: { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource } },
  );
}

/** Quoted, with HTML characters escaped, as upstream. */
function quoted(text: string): string {
  return goQuote(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
