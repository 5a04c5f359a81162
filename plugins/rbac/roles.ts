import { defineResource, type Resource } from "../../plugin.ts";
import { metaRulesOf, pathSegmentName, type Strategy, validateObjectMetaUpdate } from "../../toolbox.ts";
import { authorizeBinding, authorizeClusterRole, authorizeRole } from "./escalation.ts";
import { bindingColumns } from "./columns.ts";
import { type Binding, ClusterRole, ClusterRoleBinding, groupVersion, Role, RoleBinding } from "./schema.ts";
import { validateBinding, validateBindingUpdate, validateClusterRole, validateRole } from "./validate.ts";
import { withGroups } from "./defaults.ts";

/** The strategy of the four kinds: a name may be any segment of a path, such as `system:node`, and a PUT may create an object. */
const strategy: Strategy = Object.freeze<Strategy>({ createOnUpdate: true, coreFinalizers: true, nameRule: pathSegmentName });

export const roles: Resource<Role> = defineResource({
  kind: "Role",
  scope: "Namespaced",
  summary: "Rules that bindings give to users in one namespace.",
  storedAs: groupVersion,
  storedUnder: "roles",
  served: { [groupVersion]: { schema: Role, introduced: "1.8" } },
  strategy,
  authorizeWrite: authorizeRole,
  create: validateRole,
  update: (next, prior, { names }) => [
    ...validateRole(next),
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(roles, names)),
  ],
});

export const clusterRoles: Resource<ClusterRole> = defineResource({
  kind: "ClusterRole",
  scope: "Cluster",
  summary: "Rules that bindings give to users in the cluster or in one namespace.",
  storedAs: groupVersion,
  storedUnder: "clusterroles",
  served: { [groupVersion]: { schema: ClusterRole, introduced: "1.8" } },
  strategy,
  authorizeWrite: authorizeClusterRole,
  create: (next) => validateClusterRole(next),
  update: (next, prior, { names }) => [
    ...validateClusterRole(next, prior),
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(clusterRoles, names)),
  ],
});

const namespacedKinds = Object.freeze(["Role", "ClusterRole"]), clusterKinds = Object.freeze(["ClusterRole"]);

export const roleBindings: Resource<Binding> = defineResource({
  kind: "RoleBinding",
  scope: "Namespaced",
  summary: "Gives a role to users in one namespace.",
  storedAs: groupVersion,
  storedUnder: "rolebindings",
  served: { [groupVersion]: { schema: RoleBinding, introduced: "1.8", columns: bindingColumns, applyDefaults: withGroups } },
  strategy,
  rules: "compared",
  authorizeWrite: authorizeBinding,
  create: (next, context) => validateBinding(next, namespacedKinds, context),
  update: (next, prior, context) => validateBindingUpdate(next, prior, namespacedKinds, metaRulesOf(roleBindings, context.names), context),
});

export const clusterRoleBindings: Resource<Binding> = defineResource({
  kind: "ClusterRoleBinding",
  scope: "Cluster",
  summary: "Gives a role to users in the whole cluster.",
  storedAs: groupVersion,
  storedUnder: "clusterrolebindings",
  served: {
    [groupVersion]: {
      schema: ClusterRoleBinding,
      introduced: "1.8",
      columns: bindingColumns,
      applyDefaults: withGroups,
    },
  },
  strategy,
  rules: "compared",
  authorizeWrite: authorizeBinding,
  create: (next, context) => validateBinding(next, clusterKinds, context),
  update: (next, prior, context) =>
    validateBindingUpdate(next, prior, clusterKinds, metaRulesOf(clusterRoleBindings, context.names), context),
});
