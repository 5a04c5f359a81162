import { type Names, spell } from "../../toolbox.ts";
import type { Binding } from "./schema.ts";

/**
 * Sets the default API groups of a binding: the role and subjects of the kinds User and Group get the group of roles. Other subjects keep
 * "".
 */
export function withGroups(binding: Binding, names: Names): Binding {
  const { roleRef, subjects } = binding, apiGroup = spell(names, "rbac.authorization.{domain}");
  const lacks = ({ kind, apiGroup: own = "" }: NonNullable<typeof subjects>[number]) => own === "" && (kind === "User" || kind === "Group");
  const isWhole = (subjects ?? []).every((subject) => !lacks(subject));
  if (roleRef.apiGroup !== "" && isWhole) return binding;
  return {
    ...binding,
    ...(subjects === undefined ? {} : { subjects: subjects.map((subject) => lacks(subject) ? { ...subject, apiGroup } : subject) }),
    roleRef: roleRef.apiGroup === "" ? { ...roleRef, apiGroup } : roleRef,
  };
}
