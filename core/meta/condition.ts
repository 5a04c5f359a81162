/** Conditions (meta/v1) and their validation with upstream's messages. */
import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from "../field-error.ts";
import { declared } from "./object-meta.ts";
import { field, type Int64, int64, named, string, type StructNode, structsOf, type Time, time, type Typed } from "../schema.ts";
import { conditionReason, conditionReasonBytesMax, qualifiedName } from "./names.ts";
import { utf8Length } from "../scalars/utf8.ts";

const struct = structsOf("meta/v1");

/** A condition in the status of an object. */
export interface Condition {
  /** The aspect of the object, in upper camel case, such as `Ready`. Each type occurs once in a list. */
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  /** The `metadata.generation` that the controller had seen when it wrote the condition. If absent, the condition does not state it. */
  readonly observedGeneration?: Int64;
  /** The time of the last change of `status`, not of the last write. Validation rejects null. */
  readonly lastTransitionTime: Time | null;
  /** Why the status changed, for programs: one word in upper camel case, at most 1024 bytes. */
  readonly reason: string;
  /** Why the status changed, for people. It has at most 32768 bytes, and may be empty. */
  readonly message: string;
}
/** The schema of `Condition`. */
export const Condition: Typed<Condition, StructNode> = declared<Condition>()(struct("Condition", {
  type: field(1, string, "Type of the condition.", { required: true }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  observedGeneration: field(3, int64, "Generation of the object that the condition is based on."),
  lastTransitionTime: field(4, time, "Time of the last change of the status.", { required: true }),
  reason: field(5, string, "Machine-readable reason of the last change, in one word.", { required: true }),
  message: field(6, string, "Human-readable message; may be empty.", { required: true }),
}, { doc: "A condition of an object." }));

const statuses = ["False", "True", "Unknown"];
/** Maximum bytes of a message. */
export const conditionMessageBytesMax = 32_768;

/** Returns the errors of a list of conditions. Each type must occur once. */
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
