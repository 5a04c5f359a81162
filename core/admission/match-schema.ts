/** Schemas of match rules, which say which requests a policy, a webhook or a step covers. */
import { LabelSelector } from "../meta/label-selector.ts";
import { field, type Infer, list, oneOf, string, structsOf } from "../schema.ts";

const struct = structsOf("admissionregistration/v1");

export const matchPolicies = Object.freeze(["Equivalent", "Exact"] as const);
export const scopes = Object.freeze(["*", "Cluster", "Namespaced"] as const);
export const operations = Object.freeze(["*", "CONNECT", "CREATE", "DELETE", "UPDATE"] as const);

export const matchPolicyDoc =
  "Equivalent: a rule for one version of a resource also covers its other groups and versions; the object is converted. Exact: only those that the rule lists.";

/** The options of a selector that selects everything if it is absent. */
export const anything = { pointer: true, unpublishedDefault: {} } as const;

const Rule = {
  apiGroups: field(1, list(string), 'API groups of the resources: "" is the core group, `*` stands for all and is then the only one.'),
  apiVersions: field(2, list(string), "API versions of the resources. `*` stands for all and is then the only one.", {
    goName: "APIVersions",
  }),
  resources: field(
    3,
    list(string),
    "Resources: `pods`, `pods/log`, `*` (all, without subresources), `pods/*` (all subresources of pods), `*/scale`, `*/*`.",
  ),
  scope: field(4, oneOf(...scopes), "Which resources by scope: Cluster, Namespaced, or `*` for both.", {
    pointer: true,
    unpublishedDefault: "*",
  }),
};
const RuleStruct = struct("Rule", Rule, { doc: "Groups, versions, resources and scope of requests." });

export const RuleWithOperations = struct("RuleWithOperations", {
  operations: field(
    1,
    list(oneOf(...operations)),
    "Operations: CREATE, UPDATE, DELETE, CONNECT, or `*`, which stands for all and is then the only one. CONNECT is a connection to a " +
      "pod, a service or a node.",
  ),
  rule: field(2, RuleStruct, "Groups, versions, resources and scope.", { inline: true }),
}, { doc: "Operations and resources of requests." });
export type RuleWithOperations = Infer<typeof RuleWithOperations>;

/** Makes the struct NamedRuleWithOperations of a version. */
export function namedRule(structs: typeof struct) {
  return structs("NamedRuleWithOperations", {
    resourceNames: field(1, list(string), "Names of the objects. Empty: all."),
    ruleWithOperations: field(2, RuleWithOperations, "Operations and resources.", { inline: true }),
  }, { atomic: true, doc: "Operations, resources and names of objects." });
}
/** Makes the struct MatchResources of a version. `publishesPolicies`: whether the values of matchPolicy are an enumeration in OpenAPI. */
export function matchResources(structs: typeof struct, rule: ReturnType<typeof namedRule>, publishesPolicies = true) {
  const policy = publishesPolicies ? oneOf(...matchPolicies) : string;
  return structs("MatchResources", {
    namespaceSelector: field(
      1,
      LabelSelector,
      "Selects namespaces by label: requests for objects in them, and for the namespaces themselves. Other cluster-wide objects are always selected.",
      anything,
    ),
    objectSelector: field(2, LabelSelector, "Selects objects by label: the new or the old object must match.", anything),
    resourceRules: field(3, list(rule), "Requests that are covered: those that any rule describes."),
    excludeResourceRules: field(4, list(rule), "Requests that are not covered, although a rule describes them."),
    matchPolicy: field(7, policy, matchPolicyDoc, { pointer: true, unpublishedDefault: "Equivalent" }),
  }, { atomic: true, doc: "Describes requests by resources, operations and labels." });
}
