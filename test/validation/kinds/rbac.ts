import { type Case, type Change, type KindRules, type Rule, rule } from "../rule.ts";

const both = "create+update", group = "rbac.authorization.k8s.io";
const allowed = { verbs: ["get"], apiGroups: [""], resources: ["secrets"] };

function inRule(at: string, reason: Case["reason"], broken: Change): Case {
  return { at: `rules[0].${at}`, reason, broken: { rules: [{ ...allowed, ...broken }] }, held: { rules: [allowed] } };
}
const roleRules: readonly Rule[] = [
  rule(["rules[i].verbs", both, "Required", "non-empty"], inRule("verbs", "Required", { verbs: [] })),
  rule(["rules[i].apiGroups", both, "Required", "non-empty for resource rules"], inRule("apiGroups", "Required", { apiGroups: [] })),
  rule(["rules[i].resources", both, "Required", "non-empty for resource rules"], inRule("resources", "Required", { resources: [] })),
  rule(
    ["rules[i].nonResourceURLs", both, "Invalid", "not mixed with apiGroups, resources, resourceNames"],
    inRule("nonResourceURLs", "Invalid", { nonResourceURLs: ["/metrics"] }),
  ),
];

export const role: KindRules = {
  kind: `${group}/v1/Role`,
  path: `/apis/${group}/v1/namespaces/default/roles`,
  valid: { rules: [allowed] },
  rules: [
    ...roleRules,
    rule(["rules[i].nonResourceURLs", both, "Invalid", "not allowed"], {
      at: "rules[0].nonResourceURLs",
      reason: "Invalid",
      broken: { rules: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }] },
    }),
  ],
};

const selectors = "aggregationRule.clusterRoleSelectors";
const aggregating = (...clusterRoleSelectors: readonly Change[]): Change => ({ aggregationRule: { clusterRoleSelectors } });

export const clusterRole: KindRules = {
  kind: `${group}/v1/ClusterRole`,
  path: `/apis/${group}/v1/clusterroles`,
  valid: { rules: [allowed] },
  rules: [
    ...roleRules,
    rule([selectors, both, "Required", "non-empty when aggregationRule set"], {
      at: selectors,
      reason: "Required",
      broken: aggregating(),
      held: aggregating({ matchLabels: { a: "b" } }),
    }),
    rule([`${selectors}[i]`, both, "Invalid", "valid label selector"], {
      at: `${selectors}[0]`,
      reason: "Invalid",
      broken: aggregating({ matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] }),
      held: aggregating({ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }),
    }),
  ],
};

const roleRef = { apiGroup: group, kind: "ClusterRole", name: "view" };
const user = { kind: "User", apiGroup: group, name: "ann" }, account = { kind: "ServiceAccount", name: "a", namespace: "default" };

function inRef(at: string, reason: Case["reason"], broken: Change): Case {
  // A roleRef is immutable, so the update starts with the invalid one.
  return { at: `roleRef.${at}`, reason, broken: { roleRef: { ...roleRef, ...broken } }, held: { roleRef } };
}
function inSubject(at: string, reason: Case["reason"], broken: Change, held: Change = user): Case {
  return { at: `subjects[0].${at}`, reason, broken: { subjects: [{ ...held, ...broken }] }, held: { subjects: [held] } };
}
const bindingRules = (kinds: string): readonly Rule[] => [
  rule(["roleRef.apiGroup", both, "NotSupported", group], inRef("apiGroup", "NotSupported", { apiGroup: "example.com" })),
  rule(["roleRef.kind", both, "NotSupported", kinds], inRef("kind", "NotSupported", { kind: "Group" })),
  rule(["roleRef.name", both, "Required", "non-empty"], inRef("name", "Required", { name: "" })),
  rule(["roleRef.name", both, "Invalid", "pathSegmentName"], inRef("name", "Invalid", { name: "a/b" })),
  rule(["subjects[i].name", both, "Required", "non-empty"], inSubject("name", "Required", { name: "" })),
  rule(
    ["subjects[i].name", both, "Invalid", "ServiceAccount: dns1123Subdomain"],
    inSubject("name", "Invalid", { name: "A_b" }, account),
  ),
  rule(
    ["subjects[i].apiGroup", both, "NotSupported", "ServiceAccount: empty"],
    inSubject("apiGroup", "NotSupported", { apiGroup: group }, account),
  ),
  rule(
    ["subjects[i].apiGroup", both, "NotSupported", `User, Group: ${group}`],
    inSubject("apiGroup", "NotSupported", { apiGroup: "example.com" }),
  ),
  rule(["subjects[i].kind", both, "NotSupported", "ServiceAccount, User, Group"], inSubject("kind", "NotSupported", { kind: "Robot" })),
  rule(["roleRef", "update", "Invalid (cannot change roleRef)", "immutable"], {
    at: "roleRef",
    reason: "Invalid",
    broken: { roleRef: { ...roleRef, name: "edit" } },
    held: { roleRef },
  }),
];

export const roleBinding: KindRules = {
  kind: `${group}/v1/RoleBinding`,
  path: `/apis/${group}/v1/namespaces/default/rolebindings`,
  valid: { roleRef, subjects: [user] },
  rules: bindingRules("Role, ClusterRole"),
};

export const clusterRoleBinding: KindRules = {
  kind: `${group}/v1/ClusterRoleBinding`,
  path: `/apis/${group}/v1/clusterrolebindings`,
  valid: { roleRef, subjects: [user] },
  rules: [
    ...bindingRules("ClusterRole"),
    rule(
      ["subjects[i].namespace", both, "Required", "ServiceAccount: non-empty"],
      inSubject("namespace", "Required", { namespace: "" }, account),
    ),
  ],
};
