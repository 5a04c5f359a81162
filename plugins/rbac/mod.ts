import { definePlugin } from "../../plugin.ts";
import { aggregationController } from "./aggregation-controller.ts";
import { rbacAuthorizer } from "./authorizer.ts";
import { bootstrapRoles } from "./bootstrap.ts";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "./roles.ts";

export const rbacPlugin = definePlugin({
  name: "rbac",
  summary: "Roles and bindings, and the authorizer RBAC that decides by them.",
  groupPriorities: { "rbac.authorization.{domain}": 17_000 },
  resources: [roles, clusterRoles, roleBindings, clusterRoleBindings],
  authorizers: [rbacAuthorizer],
  controllers: [aggregationController],
  startHooks: [bootstrapRoles],
});
