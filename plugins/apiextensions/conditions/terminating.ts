/** The conditions of a definition that is being deleted, in the order of the clean-up. */
import type { ConditionNews } from "../condition.ts";

const terminating = (status: "True" | "False", reason: string, message: string): ConditionNews => ({
  type: "Terminating",
  status,
  reason,
  message,
});

/** Set by the DELETE request. */
export const deletionPending = terminating(
  "True",
  "InstanceDeletionPending",
  "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
);
export const deletionInProgress = terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress");
export const neverEstablished = terminating("False", "NeverEstablished", "resource was never established");
/** The definition has the names of a built-in resource, whose objects are not deleted. */
export const overlapsBuiltIn = terminating("False", "OverlappingBuiltInResource", "instances overlap with built-in resources in storage");
export const deletionCompleted = terminating("False", "InstanceDeletionCompleted", "removed all instances");

/** The objects could not be deleted. */
export function deletionFailed(error: string): ConditionNews {
  return terminating("True", "InstanceDeletionFailed", error);
}
/** Objects are left after the deletion. */
export function deletionUnconfirmed(error: string): ConditionNews {
  return terminating("True", "InstanceDeletionCheck", `could not confirm zero CustomResources remaining: ${error}`);
}
