import { ageColumn, type Column, nameColumn } from "../../plugin.ts";
import type { Binding } from "./schema.ts";

/** Returns the names of a binding's subjects of one kind. ServiceAccounts have their namespaces before their names. */
function names({ subjects = [] }: Binding, kind: string): string {
  return subjects.filter((subject) => subject.kind === kind)
    .map(({ name, namespace = "" }) => kind === "ServiceAccount" ? `${namespace}/${name}` : name)
    .join(", ");
}

function subjects(name: string, word: string, of: string): Column<Binding> {
  return { name, type: "string", description: `The ${word} that get the role.`, priority: 1, cell: (binding) => names(binding, of) };
}

/** Columns of RoleBindings and ClusterRoleBindings. */
export const bindingColumns: readonly Column<Binding>[] = [
  nameColumn,
  {
    name: "Role",
    type: "string",
    description: "Kind and name of the role that the subjects get.",
    cell: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`,
  },
  ageColumn,
  subjects("Users", "users", "User"),
  subjects("Groups", "groups", "Group"),
  subjects("ServiceAccounts", "service accounts", "ServiceAccount"),
];
