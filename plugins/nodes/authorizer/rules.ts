/** What all kubelets may do with kinds that belong to no node. */
import type { AuthorizationAttributes } from "../../../toolbox.ts";

type Rule = readonly [verbs: readonly string[], groups: readonly string[], resources: readonly string[]];
const reads = ["get", "list", "watch"];

/** The groups are without their domain. */
const rules: readonly Rule[] = [
  [["create"], ["authentication"], ["tokenreviews"]],
  [["create"], ["authorization"], ["subjectaccessreviews", "localsubjectaccessreviews"]],
  [reads, [""], ["services"]],
  [["create", "update", "patch"], ["", "events"], ["events"]],
  [["get"], [""], ["endpoints"]],
  [["create", ...reads], ["certificates"], ["certificatesigningrequests"]],
  [reads, ["storage"], ["csidrivers"]],
  [reads, ["node"], ["runtimeclasses"]],
];

/** Whether every kubelet may make the request. `group` is that of the request without its domain. */
export function isAllowedToNodes(group: string, { verb, resource, subresource }: AuthorizationAttributes): boolean {
  return subresource === "" &&
    rules.some(([verbs, groups, resources]) => verbs.includes(verb) && groups.includes(group) && resources.includes(resource));
}
