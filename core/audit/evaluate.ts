/** Selects the level and the stages of a request's record, by the first rule of the policy that matches. */
import type { UserInfo } from "../user-info.ts";
import type { AuditStage, GroupResources, Policy, PolicyLevel, PolicyRule } from "./policy.ts";

/** How a request is recorded. */
export interface Recording {
  readonly level: PolicyLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitsManagedFields: boolean;
}

/** The attributes that rules match. */
export interface Audited {
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Makes a function that returns how a request is recorded under a policy. `user` is undefined before authentication. A request without a
 * matching rule is not recorded.
 */
export function evaluator({ rules, omitStages, omitManagedFields }: Policy): (user: UserInfo | undefined, request: Audited) => Recording {
  const compiled = rules.map((rule) => ({
    matches: matcher(rule),
    recording: Object.freeze<Recording>({
      level: rule.level,
      omitStages: new Set([...omitStages, ...rule.omitStages]),
      omitsManagedFields: rule.omitManagedFields ?? omitManagedFields,
    }),
  }));
  const none = Object.freeze<Recording>({ level: "None", omitStages: new Set(omitStages), omitsManagedFields: omitManagedFields });
  return (user, request) => compiled.find(({ matches }) => matches(user, request))?.recording ?? none;
}

function matcher(rule: PolicyRule): (user: UserInfo | undefined, request: Audited) => boolean {
  const users = setOf(rule.users), groups = setOf(rule.userGroups), verbs = setOf(rule.verbs), namespaces = setOf(rule.namespaces);
  const resources = rule.resources.map(resourceMatcher), urls = rule.nonResourceURLs.map(urlMatcher);
  return (user, request) => {
    if (users !== undefined && (user === undefined || !users.has(user.name))) return false;
    if (groups !== undefined && (user === undefined || !user.groups.some((group) => groups.has(group)))) return false;
    if (verbs !== undefined && !verbs.has(request.verb)) return false;
    if (namespaces !== undefined || resources.length > 0) {
      if (!request.isResourceRequest || (namespaces !== undefined && !namespaces.has(request.namespace))) return false;
      return resources.length === 0 || resources.some((matches) => matches(request));
    }
    return urls.length === 0 || (!request.isResourceRequest && urls.some((matches) => matches(request.path)));
  };
}

/** Returns the set of the texts; undefined for an empty list, which matches everything. */
function setOf(texts: readonly string[]): ReadonlySet<string> | undefined {
  return texts.length === 0 ? undefined : new Set(texts);
}

/**
 * Makes the matcher of a rule's resources. `*` matches resources and subresources, `a/*` the resource and its subresources, `*\/b` the
 * subresource b of every resource.
 */
function resourceMatcher({ group, resources, resourceNames }: GroupResources): (request: Audited) => boolean {
  const exact = new Set(resources), names = setOf(resourceNames), everything = exact.has("*");
  return (request) => {
    if (group !== "*" && group !== request.group) return false;
    if (resources.length === 0) return true;
    if (names !== undefined && !names.has(request.name)) return false;
    const { resource, subresource } = request;
    if (everything || exact.has(subresource === "" ? resource : `${resource}/${subresource}`)) return true;
    return exact.has(`${resource}/*`) || (subresource !== "" && exact.has(`*/${subresource}`));
  };
}

function urlMatcher(url: string): (path: string) => boolean {
  if (url === "*") return () => true;
  if (!url.endsWith("*")) return (path) => path === url;
  const prefix = url.slice(0, -1);
  return (path) => path.startsWith(prefix);
}
