/** Definitions as the controllers read them from the API. */
import type { ApiObject } from "../../../plugin.ts";
import type { Time } from "../../../toolbox.ts";
import type { CustomResourceDefinition } from "../schema.ts";

export const resource = "customresourcedefinitions";

/** A definition of the API, with a list of conditions: JSON writes an empty one as null. */
export function withConditions(object: ApiObject): CustomResourceDefinition {
  const definition = object as CustomResourceDefinition; // of the resource
  const { status } = definition;
  return { ...definition, status: { ...status, conditions: status?.conditions ?? [] } };
}

/** The time of now, in whole seconds. */
export function now(): Time {
  return `${new Date().toISOString().slice(0, "2024-01-02T03:04:05".length)}Z`;
}
