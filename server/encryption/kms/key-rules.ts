/** What a KMS plugin may give, and what an encrypted value may have, with upstream's limits. */
import { bound } from "../../../core/bound.ts";
import { append } from "../../../core/append.ts";
import { type Annotations, type EncryptedObject, sourceType } from "./messages.ts";

/** Bytes of the name of a key of a KMS plugin. */
export const kmsKeyIdBytesMax = bound(1024);
/** Bytes of a data key that a KMS plugin has encrypted. */
export const kmsSourceBytesMax = bound(1024);
/** Bytes of the names and values of a KMS plugin's annotations. */
export const kmsAnnotationBytesMax = bound(32 * 1024);

const labelBytesMax = 63, nameBytesMax = 253;

/** Upstream's code for the metric, if the name of a key cannot be used. */
export function keyIdMistake(keyId: string): { readonly code: "empty" | "too_long"; readonly text: string } | undefined {
  const { length } = new TextEncoder().encode(keyId);
  if (length === 0) return { code: "empty", text: "its key has no name" };
  return length > kmsKeyIdBytesMax
    ? { code: "too_long", text: `the name of its key has ${length} bytes, more than ${kmsKeyIdBytesMax}` }
    : undefined;
}

/** Throws an error for an object that may not be stored or read. No message has a value of it. */
export function checkObject({ data, keyId, source, annotations, sourceType: type }: EncryptedObject): void {
  const mistakes: string[] = [];
  if (type !== sourceType.key && type !== sourceType.seed) mistakes.push(`the type ${type} of its data key is unknown`);
  if (data.length === 0) mistakes.push("it has no data");
  if (source.length === 0) mistakes.push("it has no data key");
  if (source.length > kmsSourceBytesMax) mistakes.push(`its data key has ${source.length} bytes, more than ${kmsSourceBytesMax}`);
  const mistaken = keyIdMistake(keyId);
  if (mistaken !== undefined) mistakes.push(mistaken.text);
  append(mistakes, annotationMistakes(annotations));
  if (mistakes.length > 0) throw new Error(mistakes.join("; "));
}

function annotationMistakes(annotations: Annotations): readonly string[] {
  const mistakes: string[] = [], toBytes = new TextEncoder();
  let bytes = 0, isNamed = true;
  for (const [name, value] of annotations) {
    bytes += toBytes.encode(name).length + value.length;
    isNamed &&= isDomain(name);
  }
  if (!isNamed) mistakes.push("an annotation has a name that is no domain");
  if (bytes > kmsAnnotationBytesMax) mistakes.push(`its annotations have ${bytes} bytes, more than ${kmsAnnotationBytesMax}`);
  return mistakes;
}

/** A domain of at least two labels; a dot at its end is left out. */
function isDomain(name: string): boolean {
  if (name.length > nameBytesMax + 1) return false;
  const labels = (name.endsWith(".") ? name.slice(0, -1) : name).split(".");
  return labels.length >= 2 && labels.every((label) => label.length <= labelBytesMax && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label));
}
