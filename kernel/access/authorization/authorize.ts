/** Authorization: the first authorizer with an opinion decides; without any opinion the request is refused. */
import { StatusError } from "../../../core/status-error.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import type { UserInfo } from "../../../core/user-info.ts";

/** Attributes of a request, from its request info. */
export interface AuthorizationAttributes {
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}
export interface Decision {
  readonly verdict: "allow" | "deny" | "noOpinion";
  /** Shown to the client behind what it may not do; may be empty. */
  readonly reason: string;
}
export interface Authorizer {
  readonly name: string;
  authorize(user: UserInfo, attributes: AuthorizationAttributes): Promise<Decision> | Decision;
}

/** Passes, or throws 403 with the reasons of all that were asked. */
export function authorizeInOrder(
  authorizers: readonly Authorizer[],
): (user: UserInfo, attributes: AuthorizationAttributes) => Promise<void> {
  return async (user, attributes) => {
    const reasons: string[] = [];
    for (const authorizer of authorizers) {
      const { verdict, reason } = await authorizer.authorize(user, attributes);
      if (verdict === "allow") return;
      if (reason !== "") reasons.push(reason);
      if (verdict === "deny") break;
    }
    throw forbiddenFor(user, attributes, reasons.join("\n"));
  };
}

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
