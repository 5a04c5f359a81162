/** The condition Available of an APIService. */
import type { APIService, APIServiceCondition } from "./schema.ts";

/** The condition of group versions that this server serves. */
export function localCondition(now: string): APIServiceCondition {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: now,
    reason: "Local",
    message: "Local APIServices are always available",
  };
}

export function availableOf({ status }: Pick<APIService, "status">): APIServiceCondition | undefined {
  return status.conditions?.find(({ type }) => type === "Available");
}

export function isLocal({ spec: { service } }: Pick<APIService, "spec">): boolean {
  return service === undefined || service === null;
}
