import { ageColumn, type Column, nameColumn } from "../../plugin.ts";
import type { Binding } from "./schema.ts";

/** The names of a binding's subjects of a kind, ServiceAccounts with their namespaces. */
function names({ subjects = [] }: Binding, kind: string): string {
  return subjects.filter((subject) => subject.kind === kind)
    .map(({ name, namespace = "" }) => kind === "ServiceAccount" ? `${namespace}/${name}` : name)
    .join(", ");
}

/** Columns of both kinds of binding. */
export function bindingColumns(kind: "RoleBinding" | "ClusterRoleBinding"): readonly Column<Binding>[] {
  const subjects = (name: string, word: string, of: string): Column<Binding> => ({
    name,
    type: "string",
    description: `${word} in the ${kind === "RoleBinding" ? "roleBinding" : "clusterRoleBinding"}`,
    priority: 1,
    cell: (binding) => names(binding, of),
  });
  return [
    nameColumn,
    {
      name: "Role",
      type: "string",
      description: `RoleRef can ${
        kind === "RoleBinding"
          ? "reference a Role in the current namespace or a ClusterRole in the global namespace"
          : "only reference a ClusterRole in the global namespace"
      }. If the RoleRef cannot be resolved, the Authorizer must return an error.`,
      cell: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`,
    },
    ageColumn,
    subjects("Users", "Users", "User"),
    subjects("Groups", "Groups", "Group"),
    subjects("ServiceAccounts", "ServiceAccounts", "ServiceAccount"),
  ];
}
