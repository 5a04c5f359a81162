/** Schemas of rbac.authorization.{domain}/v1. */
import { field, type Infer, LabelSelector, list, object, string, structsOf } from "../../plugin.ts";

export const home = "rbac/v1";
export const groupVersion = "rbac.authorization.{domain}/v1";
const struct = structsOf(home);

export const PolicyRule = struct("PolicyRule", {
  verbs: field(1, list(string), "The verbs that the rule allows. `*` stands for all.", { required: true }),
  apiGroups: field(2, list(string), 'The API groups of the resources. "" is the core group, `*` stands for all.'),
  resources: field(3, list(string), "The resources that the rule applies to, such as `pods` or `pods/log`. `*` stands for all."),
  resourceNames: field(4, list(string), "The names that the rule applies to. Empty: every name."),
  nonResourceURLs: field(
    5,
    list(string),
    "Paths that are no resources, such as `/metrics`. `*` is allowed as the last segment only. Only roles of the cluster have them.",
  ),
}, { doc: "Allows verbs on resources, or on paths that are no resources." });
export type PolicyRule = Infer<typeof PolicyRule>;

const AggregationRule = struct("AggregationRule", {
  clusterRoleSelectors: field(
    1,
    list(LabelSelector),
    "Selectors of the ClusterRoles whose rules this role consists of. Any of them has to match.",
  ),
}, { doc: "Builds the rules of a ClusterRole from those of others." });

export const Role = object("Role", {
  rules: field(2, list(PolicyRule), "What the role allows.", { written: "always" }),
}, { package: home, doc: "Rules that bindings give to users in one namespace." });
export type Role = Infer<typeof Role>;

export const ClusterRole = object("ClusterRole", {
  rules: field(2, list(PolicyRule), "What the role allows.", { written: "always" }),
  aggregationRule: field(
    3,
    AggregationRule,
    "How the rules of this role are built from others. A controller sets `rules`, which overwrites changes to them.",
    { pointer: true },
  ),
}, { package: home, doc: "Rules that bindings give to users in the cluster or in one namespace." });
export type ClusterRole = Infer<typeof ClusterRole>;

const Subject = struct("Subject", {
  kind: field(1, string, "The kind of the subject: User, Group or ServiceAccount.", { required: true }),
  apiGroup: field(2, string, 'The API group of the subject: "" for a ServiceAccount, the group of roles for others, which is the default.'),
  name: field(3, string, "The name of the subject.", { required: true, mustBeSet: true }),
  namespace: field(4, string, "The namespace of a ServiceAccount. Not for other kinds."),
}, { atomic: true, doc: "Someone that a binding gives a role to." });
export type Subject = Infer<typeof Subject>;

const RoleRef = struct("RoleRef", {
  apiGroup: field(1, string, "The API group of the role.", { required: true }),
  kind: field(2, string, "The kind of the role: Role or ClusterRole.", { required: true }),
  name: field(3, string, "The name of the role.", { required: true, mustBeSet: true }),
}, { atomic: true, doc: "The role of a binding." });
export type RoleRef = Infer<typeof RoleRef>;

export const RoleBinding = object("RoleBinding", {
  subjects: field(2, list(Subject), "Who gets the role."),
  roleRef: field(3, RoleRef, "A Role of the same namespace, or a ClusterRole. Immutable.", { required: true }),
}, { package: home, doc: "Gives a role to users in one namespace." });
export type RoleBinding = Infer<typeof RoleBinding>;

export const ClusterRoleBinding = object("ClusterRoleBinding", {
  subjects: field(2, list(Subject), "Who gets the role."),
  roleRef: field(3, RoleRef, "A ClusterRole. Immutable.", { required: true }),
}, { package: home, doc: "Gives a role to users in the whole cluster." });
export type ClusterRoleBinding = Infer<typeof ClusterRoleBinding>;
/** A RoleBinding or a ClusterRoleBinding; both have the same fields. */
export type Binding = RoleBinding;
