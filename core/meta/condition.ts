/** Conditions (meta/v1), what controllers say about an object, and their validation in upstream's words. */
import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from "../field-error.ts";
import { declared } from "./object-meta.ts";
import { field, type Int64, int64, named, string, type StructNode, structsOf, type Time, time, type Typed } from "../schema.ts";
import { conditionReason, conditionReasonBytesMax, qualifiedName } from "./names.ts";
import { utf8Length } from "../scalars/utf8.ts";

const struct = structsOf("meta/v1");

/** One finding about an object, in its status. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: Int64;
  readonly lastTransitionTime: Time | null;
  readonly reason: string;
  readonly message: string;
}
/** The schema of `Condition`. */
export const Condition: Typed<Condition, StructNode> = declared<Condition>()(struct("Condition", {
  type: field(1, string, "What the condition is about.", { required: true }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  observedGeneration: field(3, int64, "Generation of the object that was looked at."),
  lastTransitionTime: field(4, time, "When the status last changed.", { required: true }),
  reason: field(5, string, "Why, as one word for machines.", { required: true }),
  message: field(6, string, "Why, for people; may be empty.", { required: true }),
}, { doc: "One finding about an object." }));

const statuses = ["False", "True", "Unknown"];
/** Longest message, in bytes. */
export const conditionMessageBytesMax = 32_768;

/** What is wrong with a list of conditions; each type occurs once. */
export function validateConditions(conditions: readonly Condition[] | undefined, path: string): readonly FieldError[] {
  const types = new Set<string>();
  return (conditions ?? []).flatMap((condition, i) => {
    const { type } = condition, at = `${path}[${i}]`;
    const again = types.has(type) ? [duplicate(`${at}.type`, type)] : [];
    types.add(type);
    return [...again, ...validateCondition(condition, at)];
  });
}

function validateCondition(condition: Condition, path: string): readonly FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  const errors = qualifiedName(type).map((wrong) => invalid(`${path}.type`, type, wrong));
  if (!statuses.includes(status)) errors.push(notSupported(`${path}.status`, status, statuses));
  if (observedGeneration < 0) {
    errors.push(invalid(`${path}.observedGeneration`, observedGeneration, "must be greater than or equal to zero"));
  }
  if ((lastTransitionTime ?? null) === null) errors.push(required(`${path}.lastTransitionTime`, ""));
  if (reason === "") errors.push(required(`${path}.reason`, ""));
  else {
    for (const wrong of conditionReason(reason)) errors.push(invalid(`${path}.reason`, reason, wrong));
    if (utf8Length(reason) > conditionReasonBytesMax) errors.push(tooLong(`${path}.reason`, conditionReasonBytesMax));
  }
  if (utf8Length(message) > conditionMessageBytesMax) errors.push(tooLong(`${path}.message`, conditionMessageBytesMax));
  return errors;
}
