/** Finds parts of an audit policy that match no request: names that do not exist, and rules that are never used. */
import { nearest } from "../nearest.ts";
import { goQuote } from "../tree/go-quote.ts";
import type { Fault } from "../config/mistake.ts";
import type { GroupResources, Policy, PolicyRule } from "./policy.ts";

/** The names of the served resources and subresources, such as `pods` and `pods/log`, by group. */
export type ServedResources = ReadonlyMap<string, ReadonlySet<string>>;

/** The verbs of requests for resources, as request infos name them. */
const resourceVerbs: readonly string[] = Object.freeze([
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "proxy",
]);
const pathVerbs: readonly string[] = Object.freeze(["get", "head", "post", "put", "patch", "delete", "options", "connect", "trace"]);

/**
 * Returns warnings about a valid policy. Groups with a domain of their own are not checked: they are those of custom resources, of which
 * nothing is known.
 *
 * @param domain the domain of API groups, `k8s.io`
 */
export function policyWarnings({ rules }: Policy, served: ServedResources, domain: string): readonly Fault[] {
  const all = rules.findIndex(matchesEverything);
  return [
    ...rules.flatMap((rule, index) => ruleWarnings(rule, `rules[${index}]`, served, domain)),
    ...(all < 0 ? [] : rules.slice(all + 1).map((_, index) => {
      const path = `rules[${all + 1 + index}]`;
      return { text: `${path}: never used, because rules[${all}] matches every request`, path };
    })),
    ...(rules.some(({ level }) => level !== "None")
      ? []
      : [{ text: "rules: no request is recorded, because every level is None", path: "rules" }]),
  ];
}

function matchesEverything({ users, userGroups, verbs, resources, namespaces, nonResourceURLs }: PolicyRule): boolean {
  return [users, userGroups, verbs, resources, namespaces, nonResourceURLs].every(({ length }) => length === 0);
}

function ruleWarnings(rule: PolicyRule, at: string, served: ServedResources, domain: string): readonly Fault[] {
  const literal = (["users", "userGroups", "namespaces"] as const).flatMap((list) =>
    rule[list].flatMap((word, index) => word === "*" ? [starWarning(`${at}.${list}[${index}]`)] : [])
  );
  return [
    ...literal,
    ...verbWarnings(rule, at),
    ...rule.resources.flatMap((each, index) => resourceWarnings(each, `${at}.resources[${index}]`, served, domain)),
  ];
}

function starWarning(path: string): Fault {
  return { text: `${path}: "*" has no special meaning here and matches nothing: leave the list out to match everything`, path };
}

function verbWarnings({ verbs, resources, namespaces, nonResourceURLs }: PolicyRule, at: string): readonly Fault[] {
  const isOfResources = resources.length > 0 || namespaces.length > 0;
  const known = isOfResources ? resourceVerbs : nonResourceURLs.length > 0 ? pathVerbs : [...new Set([...resourceVerbs, ...pathVerbs])];
  const of = isOfResources ? "for resources " : nonResourceURLs.length > 0 ? "for non-resource URLs " : "";
  return verbs.flatMap((verb, index) => {
    const path = `${at}.verbs[${index}]`;
    if (verb === "*") return [starWarning(path)];
    if (known.includes(verb)) return [];
    return [{
      text: `${path}: no request ${of}has the verb ${goQuote(verb)}${suggestion(verb, known)} (there are: ${known.join(", ")})`,
      path,
    }];
  });
}

function resourceWarnings({ group, resources }: GroupResources, at: string, served: ServedResources, domain: string): readonly Fault[] {
  if (group !== "*" && !served.has(group)) {
    if (group.includes(".") && !group.endsWith(`.${domain}`)) return [];
    const path = `${at}.group`;
    return [{
      text: `${path}: this server has no API group ${goQuote(group)}${suggestion(group, [...served.keys()].filter((each) => each !== ""))}`,
      path,
    }];
  }
  if (group === "*") return []; // this includes groups of custom resources
  const names = served.get(group)!; // this was checked above
  return resources.flatMap((word, index) =>
    isServed(word, names) ? [] : [unknownResource(word, `${at}.resources[${index}]`, group, names)]
  );
}

function isServed(word: string, names: ReadonlySet<string>): boolean {
  if (word === "*" || names.has(word)) return true;
  if (word.endsWith("/*")) return names.has(word.slice(0, -"/*".length));
  return word.startsWith("*/") && [...names].some((name) => name.endsWith(word.slice(1)));
}

function unknownResource(word: string, path: string, group: string, names: ReadonlySet<string>): Fault {
  const where = group === "" ? "the core API group" : `the API group ${goQuote(group)}`;
  return { text: `${path}: ${where} of this server has no resource ${goQuote(word)}${suggestion(word, names)}`, path };
}

function suggestion(word: string, known: Iterable<string>): string {
  const near = nearest(word, known);
  return near === undefined ? "" : `: did you mean ${goQuote(near)}?`;
}
