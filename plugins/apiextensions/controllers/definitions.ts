/** Definitions as the controllers read them from the API. */
import type { ApiObject } from "../../../plugin.ts";
import type { CustomResourceDefinition } from "../schema.ts";

export const resource = "customresourcedefinitions";

/** Returns a definition of the API with a list of conditions. In JSON an empty list is null. */
export function withConditions(object: ApiObject): CustomResourceDefinition {
  const definition = object as CustomResourceDefinition; // the object is of this resource
  const { status } = definition;
  return { ...definition, status: { ...status, conditions: status?.conditions ?? [] } };
}
