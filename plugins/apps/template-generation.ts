/** The generation of the template of a daemon set: an annotation that the server keeps, for clients of earlier versions of the API. */
import { badRequestError } from "../../plugin.ts";
import { goQuote, sameValue } from "../../toolbox.ts";
import type { DaemonSet } from "./daemon-set-schema.ts";

const key = "deprecated.daemonset.template.generation";
const int64Max = 2n ** 63n - 1n;

/** Returns the generation in the annotation; 0 without one. Throws a StatusError for a text that is no integer of 64 bits. */
export function templateGeneration({ metadata: { annotations = {} } }: DaemonSet): bigint {
  if (!Object.hasOwn(annotations, key)) return 0n;
  const text = annotations[key]!;
  const wrong = !/^[-+]?[0-9]+$/.test(text)
    ? "invalid syntax"
    : BigInt(text.replace("+", "")) > int64Max || BigInt(text.replace("+", "")) < -int64Max - 1n
    ? "value out of range"
    : undefined;
  if (wrong === undefined) return BigInt(text.replace("+", ""));
  throw badRequestError(`DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ${goQuote(text)}: ${wrong}`);
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
  const isSame = sameValue(next.spec.template, prior.spec.template);
  return withTemplateGeneration(next, templateGeneration(prior) + (isSame ? 0n : 1n));
}
