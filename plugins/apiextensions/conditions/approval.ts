/** The condition KubernetesAPIApprovalPolicyConformant of definitions in groups of the platform. */
import type { Names } from "../../../toolbox.ts";
import type { CustomResourceDefinition, DefinitionStatus } from "../schema.ts";
import { type Approval, approvalOf, isProtectedGroup } from "../validate/approval.ts";
import { type ConditionNews, conditionOf, isEquivalent, withCondition } from "../condition.ts";

const type = "KubernetesAPIApprovalPolicyConformant";
const reasons: Readonly<Record<Approval["state"], readonly [status: string, reason: string]>> = {
  approved: ["True", "ApprovedAnnotation"],
  bypassed: ["False", "UnapprovedAnnotation"],
  invalid: ["False", "InvalidAnnotation"],
  missing: ["False", "MissingAnnotation"],
};

/** Returns the condition of a definition; undefined for one in another group. */
export function approvalCondition(definition: CustomResourceDefinition, names: Names): ConditionNews | undefined {
  if (!isProtectedGroup(definition.spec.group, names)) return undefined;
  const { state, reason: message } = approvalOf(definition, names), [status, reason] = reasons[state];
  return { type, status, reason, message };
}

/** Returns the status with the condition; undefined if nothing changes. */
export function statusWithApproval(definition: CustomResourceDefinition, names: Names, now: string): DefinitionStatus | undefined {
  const { status } = definition, { conditions = [] } = status;
  const news = approvalCondition(definition, names);
  if (news === undefined || isEquivalent(news, conditionOf(conditions, type))) return undefined;
  return { ...status, conditions: withCondition(conditions, news, now) };
}
