/** The authorization of a request: the decision of the chain, or the error for the client. */
import type { AuthorizationAttributes, AuthorizationDecision, Waiting } from "../../../core/access.ts";
import { StatusError } from "../../../core/status-error.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { systemGroups, type UserInfo } from "../../../core/user-info.ts";
import type { RequestInfo } from "../../request/request-info.ts";
import { attributesOf } from "./attributes.ts";
import type { Decide } from "./chain.ts";

/** Authorization failed: no authorizer allowed or denied the request, and at least one had an error. */
export class AuthorizationFailure extends StatusError {
  /** The error of the authorizers. */
  readonly failure: string;
  constructor(failure: string) {
    super("InternalError", `Internal error occurred: ${failure}`, { details: { causes: [{ message: failure }] } });
    this.failure = failure;
  }
}

/** The decision about a request. The attributes are computed only if an authorizer needs them. */
export function decideRequests(decide: Decide): (user: UserInfo, info: RequestInfo, waiting?: Waiting) => ReturnType<Decide> {
  return (user, info, waiting) => decide(user, user.groups.includes(systemGroups.masters) ? info : attributesOf(info), waiting);
}

/** Undefined if a request is allowed, else the error for the client. */
export function refusalOf(
  user: UserInfo,
  attributes: AuthorizationAttributes,
  { verdict, reason, error }: AuthorizationDecision,
): StatusError | undefined {
  if (verdict === "allow") return undefined;
  return error === undefined ? forbiddenFor(user, attributes, reason) : new AuthorizationFailure(error);
}

/** The 403 with upstream's message. */
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
  // As upstream, a path without a resource is not named.
  const who = resource === "" ? "" : name === "" ? `${full} is ` : `${full} ${quoted(name)} is `;
  return new StatusError(
    "Forbidden",
    `${who}forbidden: User ${quoted(user.name)} cannot ${verb} resource ${quoted(what)} in API group ${quoted(group)} ${where}${because}`,
    { details: { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource } },
  );
}

/** Quoted, with HTML characters escaped, as upstream. */
function quoted(text: string): string {
  return goQuote(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
