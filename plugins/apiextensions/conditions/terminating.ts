/** The conditions of a definition that is being deleted, in the order of the clean-up. */
import type { ConditionNews } from "../condition.ts";

const terminatingNews = (status: "True" | "False", reason: string, message: string): ConditionNews => ({
  type: "Terminating",
  status,
  reason,
  message,
});

/** Set by the DELETE request. */
export const deletionPending = terminatingNews(
  "True",
  "InstanceDeletionPending",
  "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
);
export const deletionInProgress = terminatingNews("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress");
export const neverEstablished = terminatingNews("False", "NeverEstablished", "resource was never established");
/** The definition has the names of a built-in resource, whose objects are not deleted. */
export const overlapsBuiltIn = terminatingNews(
  "False",
  "OverlappingBuiltInResource",
  "instances overlap with built-in resources in storage",
);
export const deletionCompleted = terminatingNews("False", "InstanceDeletionCompleted", "removed all instances");

/** The objects could not be deleted. */
export function deletionFailed(error: string): ConditionNews {
  return terminatingNews("True", "InstanceDeletionFailed", error);
}
/** Objects are left after the deletion. */
export function deletionUnconfirmed(error: string): ConditionNews {
  return terminatingNews("True", "InstanceDeletionCheck", `could not confirm zero CustomResources remaining: ${error}`);
}
