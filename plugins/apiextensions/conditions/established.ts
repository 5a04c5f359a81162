/** The condition Established: the resource of an established definition is served. */
import type { CustomResourceDefinition, DefinitionStatus } from "../schema.ts";
import { validateCaBundle } from "../../shared/webhook-client-config.ts";
import { type ConditionNews, isTrue, withCondition } from "../condition.ts";

const established: ConditionNews = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};
const invalidBundle: ConditionNews = {
  type: "Established",
  status: "False",
  reason: "InvalidCABundle",
  message: "The conversion webhook CABundle is invalid",
};

/**
 * Returns the status of a definition whose names are accepted. It is established, unless the CA certificates of its webhook are invalid.
 * Returns undefined if nothing changes.
 */
export function statusEstablished({ spec, status }: CustomResourceDefinition, now: string): DefinitionStatus | undefined {
  const { conditions = [] } = status;
  if (!isTrue(conditions, "NamesAccepted") || isTrue(conditions, "Established")) return undefined;
  const caBundle = spec.conversion?.webhook?.clientConfig?.caBundle ?? "";
  const isInvalid = caBundle !== "" && validateCaBundle(caBundle, "").length > 0;
  return { ...status, conditions: withCondition(conditions, isInvalid ? invalidBundle : established, now) };
}
