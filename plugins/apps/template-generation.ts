/** The generation of the template of a daemon set: an annotation that the server keeps, for clients of earlier versions of the API. */
import { badRequestError } from "../../plugin.ts";
import { sameValue } from "../../toolbox.ts";
import { templateWithoutEmpty } from "../shared/pod/pod-spec.ts";
import type { DaemonSet } from "./daemon-set-schema.ts";
import { int64OfText } from "./int64-text.ts";

const key = "deprecated.daemonset.template.generation";

/** Returns the generation in the annotation; 0 without one. Throws a StatusError for a text that is no integer of 64 bits. */
export function templateGeneration({ metadata: { annotations = {} } }: DaemonSet): bigint {
  if (!Object.hasOwn(annotations, key)) return 0n;
  const generation = int64OfText(annotations[key]!);
  if (typeof generation === "bigint") return generation;
  throw badRequestError(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${generation}`);
}

/** The object with this generation of its template. */
export function withTemplateGeneration(object: DaemonSet, generation: bigint): DaemonSet {
  const { metadata } = object, { annotations = {} } = metadata;
  if (annotations[key] === String(generation)) return object;
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [key]: String(generation) } } };
}

/** The object with a generation of its template: at least 1 at the creation, and one more with each change of the template. */
export function countTemplate(next: DaemonSet, prior: DaemonSet | undefined): DaemonSet {
  if (prior === undefined) {
    const sent = templateGeneration(next);
    return withTemplateGeneration(next, sent < 1n ? 1n : sent);
  }
  const isSame = sameValue(templateWithoutEmpty(next.spec.template), prior.spec.template);
  return withTemplateGeneration(next, templateGeneration(prior) + (isSame ? 0n : 1n));
}
