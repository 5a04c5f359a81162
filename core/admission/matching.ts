/** Decides which requests a policy, a binding or a webhook covers, as upstream's matchers of rules, namespaces and objects do. */
import { type LabelSelector, selectsLabels } from "../meta/label-selector.ts";
import type { AdmissionOperation, ResourceForm, VersionedResource } from "./request.ts";

/** Operations and resources, like `RuleWithOperations` of admissionregistration/v1. */
export interface MatchRule {
  /** Operations: `CREATE`, `UPDATE`, `DELETE`, `CONNECT`, or `*` for all. If absent or empty, the rule matches nothing. */
  readonly operations?: readonly string[];
  /** API groups, or `*` for all; "" is the core group. If absent or empty, the rule matches nothing. */
  readonly apiGroups?: readonly string[];
  /** Versions such as `v1`, or `*` for all. If absent or empty, the rule matches nothing. */
  readonly apiVersions?: readonly string[];
  /**
   * Plurals, also with a subresource (`pods/log`), and patterns. A `*` stands for all resources without their subresources; as one side of
   * the slash it stands for each resource or each subresource, and on both sides for everything. Absent or empty: the rule matches nothing.
   */
  readonly resources?: readonly string[];
  /** The scope of the resources: `Cluster`, `Namespaced` or `*`. Default: `*`. */
  readonly scope?: string;
  /** Names of objects. If absent or empty, objects with any name match. */
  readonly resourceNames?: readonly string[];
}
/** A description of requests, like `MatchResources` of admissionregistration/v1. */
export interface MatchResources {
  /** Rules of which at least one must match. If absent or empty, every request matches. */
  readonly resourceRules?: readonly MatchRule[];
  /** Rules of which none may match. They take precedence over `resourceRules`. */
  readonly excludeResourceRules?: readonly MatchRule[];
  /** `Equivalent`: rules also cover requests in other versions of the resource. Default: `Exact`. */
  readonly matchPolicy?: string;
  /**
   * Selects requests by the labels of their namespace. It does not restrict requests for cluster-scoped resources, except for Namespaces.
   * Absent: all.
   */
  readonly namespaceSelector?: LabelSelector;
  /**
   * Selects requests by the labels of the new or the old object. It is enough if one of the two matches. If absent, all requests are
   * selected.
   */
  readonly objectSelector?: LabelSelector;
}

/** The labels of an object. */
export type ObjectLabels = Readonly<Record<string, string>>;

/** The attributes of a request that rules match. An absent part is "". */
export interface RequestAttributes {
  /** The operation of the request. */
  readonly operation: AdmissionOperation;
  /** The resource of the request, in its version. */
  readonly form: ResourceForm;
  /** The subresource in the URL. */
  readonly subresource: string;
  /** The namespace of the request. For a Namespace it is its own name. */
  readonly namespace: string;
  /** The name of the object, even if the server has generated it. "" for the deletion of a collection. */
  readonly name: string;
  /** Returns the same resource in other groups and versions that are served. */
  readonly equivalents: () => readonly ResourceForm[];
  /** Labels of the new object; undefined if there is no new object. */
  readonly labels: ObjectLabels | undefined;
  /** Labels of the stored object; undefined for a creation. */
  readonly oldLabels: ObjectLabels | undefined;
  /** Returns the labels of a namespace. Rejects with 404 if it does not exist. */
  readonly namespaceLabels: (name: string) => ObjectLabels | Promise<ObjectLabels>;
}

/**
 * Returns the form of the resource by which the request is covered; undefined if it is not covered. Rejects if the namespace of the request
 * does not exist.
 */
export async function coveredForm(match: MatchResources, request: RequestAttributes): Promise<ResourceForm | undefined> {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy, objectSelector, namespaceSelector } = match;
  const isExact = matchPolicy !== "Equivalent";
  if (formByRules(excludeResourceRules, isExact, request) !== undefined) return undefined;
  // A binding without rules covers what its policy covers.
  const form = resourceRules.length === 0 ? request.form : formByRules(resourceRules, isExact, request);
  if (form === undefined || !selectsObject(objectSelector, request)) return undefined;
  return await selectsNamespace(namespaceSelector, request) ? form : undefined;
}

/** Returns the form of the resource that a rule describes. The request's own form comes first. */
function formByRules(rules: readonly MatchRule[], isExact: boolean, request: RequestAttributes): ResourceForm | undefined {
  const describes = (rule: MatchRule, form: ResourceForm): boolean =>
    ruleDescribes(rule, form, request) && ((rule.resourceNames ?? []).length === 0 || rule.resourceNames!.includes(request.name));
  if (rules.some((rule) => describes(rule, request.form))) return request.form;
  if (isExact || rules.length === 0) return undefined;
  const others = request.equivalents();
  for (const rule of rules) {
    const form = others.find((each) => describes(rule, each));
    if (form !== undefined) return form;
  }
  return undefined;
}

/** Whether a rule describes the request, if its resource had this form. */
export function ruleDescribes(rule: MatchRule, form: VersionedResource, request: RequestAttributes): boolean {
  return ruleNames(rule, request.operation, form, request.subresource) && hasScope(rule.scope, form, request.namespace);
}

/** Whether a rule names an operation and a resource in this version. The scope and the names of objects are not compared. */
export function ruleNames(rule: MatchRule, operation: AdmissionOperation, form: VersionedResource, subresource: string): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  return includes(operations, operation) && includes(apiGroups, form.group) && includes(apiVersions, form.version) &&
    resources.some((each) => names(each, form.resource, subresource));
}

function includes(words: readonly string[], word: string): boolean {
  return words.includes(word) || words.includes("*");
}

function names(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const first = slash < 0 ? pattern : pattern.slice(0, slash), second = slash < 0 ? "" : pattern.slice(slash + 1);
  return (first === "*" || first === resource) && (second === "*" || second === subresource);
}

/** Whether the resource has the scope. A request for a Namespace has a namespace, its own, but the resource is cluster-wide. */
function hasScope(scope: MatchRule["scope"], { group, version, resource }: VersionedResource, namespace: string): boolean {
  if (scope === undefined || scope === "*") return true;
  const isCluster = namespace === "" || group === "" && version === "v1" && resource === "namespaces";
  return scope === "Cluster" ? isCluster : scope === "Namespaced" && !isCluster;
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return matchExpressions.length === 0 && Object.keys(matchLabels).length === 0;
}

function selectsObject(selector: LabelSelector | undefined, { labels, oldLabels }: RequestAttributes): boolean {
  if (selector === undefined || isEmpty(selector)) return true;
  return [labels, oldLabels].some((each) => each !== undefined && selectsLabels(selector, each));
}

async function selectsNamespace(selector: LabelSelector | undefined, request: RequestAttributes): Promise<boolean> {
  const { namespace, form: { resource }, subresource, operation, labels = {} } = request;
  const isNamespace = resource === "namespaces";
  if (selector === undefined || isEmpty(selector) || namespace === "" && !isNamespace) return true;
  // These are the labels that the namespace will have after the write. A deletion does not change them.
  const isWritten = isNamespace && subresource === "" && (operation === "CREATE" || operation === "UPDATE");
  return selectsLabels(selector, isWritten ? labels : await request.namespaceLabels(namespace));
}
