/** The status of a definition, as the server sets it. */
import type { CustomResourceDefinition, DefinitionStatus } from "../schema.ts";
import type { Names } from "../../../plugin.ts";
import { conditionOf, isEquivalent, withCondition } from "./condition.ts";

export function conditionsOf(
  { spec, status }: CustomResourceDefinition,
  _others: readonly CustomResourceDefinition[],
  now: string,
  _names: Names,
): DefinitionStatus {
  const accepted = { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
  const established = {
    type: "Established",
    status: "True",
    reason: "InitialNamesAccepted",
    message: "the initial names have been accepted",
  };
  const conditions = status.conditions ?? [];
  if (
    isEquivalent(conditionOf(conditions, "NamesAccepted"), accepted) && isEquivalent(conditionOf(conditions, "Established"), established)
  ) return status;
  return { ...status, acceptedNames: spec.names, conditions: withCondition(withCondition(conditions, accepted, now), established, now) };
}
