/** The policies of a job about failures of its pods and about its success. */
import { field, type Infer, int32, list, oneOf, setOf, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";

const struct = structsOf("batch/v1");

/** The actions of a rule, in the order in which errors list them. */
export const failureActions = ["Count", "FailIndex", "FailJob", "Ignore"] as const;

const PodFailurePolicyOnPodConditionsPattern = struct("PodFailurePolicyOnPodConditionsPattern", {
  type: field(1, named("v1.PodConditionType", string), "The type of the condition of the pod.", { required: true }),
  status: field(2, named("v1.ConditionStatus", string), "The status of the condition. Default True.", {
    written: "always",
    unpublishedDefault: "True",
    zeroIsAbsent: true,
  }),
}, { doc: "A condition of a failed pod." });

const PodFailurePolicyOnExitCodesRequirement = struct("PodFailurePolicyOnExitCodesRequirement", {
  containerName: field(1, string, "The container whose exit code counts. Absent: each container.", { pointer: true }),
  operator: field(
    2,
    named("v1.PodFailurePolicyOnExitCodesOperator", oneOf("In", "NotIn")),
    "Whether the exit code must be one of the values (In) or none of them (NotIn).",
    { required: true },
  ),
  values: field(3, setOf(int32), "The exit codes in ascending order, each once. With In, 0 is not allowed.", { required: true }),
}, { doc: "The exit codes of a failed pod." });
export type ExitCodes = Infer<typeof PodFailurePolicyOnExitCodesRequirement>;

const PodFailurePolicyRule = struct("PodFailurePolicyRule", {
  action: field(
    1,
    named("v1.PodFailurePolicyAction", oneOf(...failureActions)),
    "What happens: the failure is counted (Count), is not counted (Ignore), or makes the index (FailIndex) or the job (FailJob) fail.",
    { required: true },
  ),
  onExitCodes: field(2, PodFailurePolicyOnExitCodesRequirement, "The exit codes that the rule is about. Excludes onPodConditions.", {
    pointer: true,
  }),
  onPodConditions: field(
    3,
    list(PodFailurePolicyOnPodConditionsPattern),
    "The conditions of the pod that the rule is about; one of them is enough. Excludes onExitCodes.",
  ),
}, { doc: "What happens if a pod fails in a certain way." });
export type PodFailurePolicyRule = Infer<typeof PodFailurePolicyRule>;

export const PodFailurePolicy = struct("PodFailurePolicy", {
  rules: field(1, list(PodFailurePolicyRule), "The rules, at most 20. The first one that a failed pod matches counts.", { required: true }),
}, { doc: "How failures of pods affect the job." });
export type PodFailurePolicy = Infer<typeof PodFailurePolicy>;

const SuccessPolicyRule = struct("SuccessPolicyRule", {
  succeededIndexes: field(1, string, "The indexes that must have succeeded, in ascending order, such as 1,3-5,7.", { pointer: true }),
  succeededCount: field(2, int32, "How many indexes must have succeeded: of succeededIndexes if there are some, else of all.", {
    pointer: true,
  }),
}, { doc: "When a job counts as successful." });
export type SuccessPolicyRule = Infer<typeof SuccessPolicyRule>;

export const SuccessPolicy = struct("SuccessPolicy", {
  rules: field(1, list(SuccessPolicyRule), "The rules, at most 20. One of them is enough.", { required: true }),
}, { doc: "When an indexed job counts as successful before all of its indexes have succeeded." });
export type SuccessPolicy = Infer<typeof SuccessPolicy>;
