/** The attributes of a request for authorizers. */
import type { AuthorizationAttributes } from "../../../core/access.ts";
import type { RequestInfo } from "../../request/request-info.ts";

const verbsWithSelectors: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

/**
 * The attributes of a request, with the requirements of its selectors (KEP-4601). A selector that cannot be parsed is ignored: without it
 * the decision is about more objects. As upstream, requests below the old /watch/ prefix have no selectors.
 */
export function attributesOf(info: RequestInfo): AuthorizationAttributes {
  if (!info.isResourceRequest || info.watchPrefix || !verbsWithSelectors.has(info.verb)) return info;
  const { query } = info;
  if (query.first("fieldSelector") === "" && query.first("labelSelector") === "") return info;
  const fieldSelector = requirementsOf(query.fieldSelector), labelSelector = requirementsOf(query.labelSelector);
  return {
    ...info,
    ...(fieldSelector.length === 0 ? {} : { fieldSelector }),
    ...(labelSelector.length === 0 ? {} : { labelSelector }),
  };
}

function requirementsOf<R>(parsed: { readonly ok: true; readonly requirements: readonly R[] } | { readonly ok: false }): readonly R[] {
  return parsed.ok ? parsed.requirements : [];
}
