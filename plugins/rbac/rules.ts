/** Decides what rules allow, and which rules include others (upstream: component-helpers/auth/rbac/validation). */
import { type AuthorizationAttributes, goQuote, valueText } from "../../toolbox.ts";
import type { PolicyRule } from "./schema.ts";

const has = (list: readonly string[] | undefined, wanted: string): boolean => list !== undefined && list.includes(wanted);
const hasOrAll = (list: readonly string[] | undefined, wanted: string): boolean =>
  list !== undefined && (list.includes(wanted) || list.includes("*"));

/** Whether a rule allows a request. */
export function ruleAllows(rule: PolicyRule, attributes: AuthorizationAttributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest) return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, attributes.path));
  const { group, resource, subresource, name } = attributes;
  if (!hasOrAll(rule.apiGroups, group)) return false;
  const { resources, resourceNames = [] } = rule;
  const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
  if (!hasOrAll(resources, wanted) && (subresource === "" || !has(resources, `*/${subresource}`))) return false;
  return resourceNames.length === 0 || resourceNames.includes(name);
}

/** A final `*` in a path matches every suffix. */
function coversPath(owned: string, path: string): boolean {
  if (owned === path || owned === "*") return true;
  if (!owned.endsWith("*")) return false;
  let end = owned.length;
  while (end > 0 && owned[end - 1] === "*") end--;
  return path.startsWith(owned.slice(0, end));
}

/** Returns the number of values in a rule. It bounds the comparisons of a request or a right with the rule. */
export function sizeOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  return 1 + (verbs?.length ?? 0) + (apiGroups?.length ?? 0) + (resources?.length ?? 0) + (resourceNames?.length ?? 0) +
    (nonResourceURLs?.length ?? 0);
}

/** A right that cannot be divided: one verb on one resource or path. */
export interface Right {
  readonly verb: string;
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly resourceName?: string;
  readonly nonResourceURL?: string;
}

/** Yields the rights of a rule, one by one. */
export function* rightsOf(
  { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule,
): Generator<Right> {
  for (const apiGroup of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs ?? []) {
        if (resourceNames.length === 0) yield { verb, apiGroup, resource };
        for (const resourceName of resourceNames) yield { verb, apiGroup, resource, resourceName };
      }
    }
  }
  for (const nonResourceURL of nonResourceURLs) for (const verb of verbs ?? []) yield { verb, nonResourceURL };
}

/** Whether a rule includes a right. */
export function covers(rule: PolicyRule, { verb, apiGroup, resource, resourceName, nonResourceURL }: Right): boolean {
  if (!hasOrAll(rule.verbs, verb)) return false;
  if (nonResourceURL !== undefined) return (rule.nonResourceURLs ?? []).some((owned) => coversPath(owned, nonResourceURL));
  if (apiGroup === undefined || resource === undefined || !hasOrAll(rule.apiGroups, apiGroup)) return false;
  const slash = resource.indexOf("/"), { resources, resourceNames = [] } = rule;
  if (!hasOrAll(resources, resource) && (slash < 0 || !has(resources, `*${resource.slice(slash)}`))) return false;
  return resourceNames.length === 0 || (resourceName !== undefined && resourceNames.includes(resourceName));
}

/** Describes rights for messages, sorted and without duplicates. Rights that differ only in the verb are joined. */
export function describeRights(rights: readonly Right[]): readonly string[] {
  const merged = new Map<string, { readonly right: Right; readonly verbs: string[] }>();
  for (const right of rights) {
    const { verb, ...rest } = right;
    const key = valueText(right.nonResourceURL === undefined ? rest : right);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, { right, verbs: [verb] });
    else if (right.nonResourceURL === undefined) known.verbs.push(verb);
  }
  const texts = [...merged.values()].map(({ right, verbs }) => {
    const parts = [
      ["APIGroups", right.apiGroup],
      ["Resources", right.resource],
      ["NonResourceURLs", right.nonResourceURL],
      ["ResourceNames", right.resourceName],
    ].flatMap(([word, value]) => value === undefined ? [] : [`${word}:${quoteTexts([value])}`]);
    return `{${[...parts, `Verbs:${quoteTexts(verbs)}`].join(", ")}}`;
  });
  return [...new Set(texts)].toSorted();
}

/** Writes a list in Go's format %q. */
export function quoteTexts(texts: readonly string[]): string {
  return `[${texts.map((text) => goQuote(text)).join(" ")}]`;
}
