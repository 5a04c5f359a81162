/** The conditions of a definition that is being deleted, in the order in which the clean-up sets them. */
import type { ConditionNews } from "../condition.ts";

const terminatingNews = (status: "True" | "False", reason: string, message: string): ConditionNews => ({
  type: "Terminating",
  status,
  reason,
  message,
});

/** The condition that the DELETE request sets. */
export const deletionPending = terminatingNews(
  "True",
  "InstanceDeletionPending",
  "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
);
export const deletionInProgress = terminatingNews("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress");
export const neverEstablished = terminatingNews("False", "NeverEstablished", "resource was never established");
/** The condition of a definition with the names of a built-in resource. The objects of that resource are not deleted. */
export const overlapsBuiltIn = terminatingNews(
  "False",
  "OverlappingBuiltInResource",
  "instances overlap with built-in resources in storage",
);
export const deletionCompleted = terminatingNews("False", "InstanceDeletionCompleted", "removed all instances");

/** Returns the condition after objects could not be deleted. */
export function deletionFailed(error: string): ConditionNews {
  return terminatingNews("True", "InstanceDeletionFailed", error);
}
/** Returns the condition if there are still objects after the deletion. */
export function deletionUnconfirmed(error: string): ConditionNews {
  return terminatingNews("True", "InstanceDeletionCheck", `could not confirm zero CustomResources remaining: ${error}`);
}
