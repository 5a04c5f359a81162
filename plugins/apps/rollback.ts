/** The revision to which a deployment goes back: a field of earlier versions of the API, which an annotation keeps. */
import { badRequestError, type FieldError } from "../../plugin.ts";
import { notNegative } from "../shared/pod/rules.ts";
import type { Deployment } from "./deployment-schema.ts";
import { int64OfText } from "./int64-text.ts";

const key = "deprecated.deployment.rollback.to";

/** The object with the annotation in its canonical form; without an empty one. Throws a StatusError for a text that is no integer of 64 bits. */
export function withRollback(object: Deployment): Deployment {
  const { annotations = {}, ...metadata } = object.metadata;
  if (!Object.hasOwn(annotations, key)) return object;
  const { [key]: text, ...others } = annotations;
  if (text === "") return { ...object, metadata: Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others } };
  const revision = int64OfText(text!);
  if (typeof revision === "string") {
    const why = `failed to parse annotation[${key}]=${text} as int64: ${revision}`;
    throw badRequestError(`Deployment in version "v1" cannot be handled as a Deployment: ${why}`);
  }
  return String(revision) === text
    ? object
    : { ...object, metadata: { ...metadata, annotations: { ...annotations, [key]: String(revision) } } };
}

/** Checks the revision. The path is that of upstream's internal type. */
export function validateRollback({ metadata: { annotations = {} } }: Deployment): readonly FieldError[] {
  const revision = Object.hasOwn(annotations, key) ? int64OfText(annotations[key]!) : "";
  return typeof revision === "string" ? [] : notNegative(revision, "spec.rollback.version");
}
