/** Checks an object that a webhook has returned: only labels and annotations of its metadata may differ. */
import { append } from "../../../core/append.ts";
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import { goJson } from "../../../core/tree/json-text.ts";
import { setOwn } from "../../../core/tree/values.ts";
import { validateAnnotations, validateLabels } from "../../../core/meta/labels.ts";
import type { FieldError } from "../../../plugin.ts";
import { fieldErrorText } from "../../../toolbox.ts";
import { goType, jsonType } from "../../shared/go-type.ts";
import { gvk } from "./review.ts";
import { bound } from "../../../core/bound.ts";
import { logTextLengthMax } from "../../../core/bounds.ts";

/** Maximum number of labels or annotations that one error about the answer of a conversion webhook names. */
const conversionKeysShownMax = bound(10);

/** Thrown if a converted object is rejected. The text is upstream's; it either follows the type of the object or is the whole message. */
export class ConvertedError extends Error {
  readonly isWhole: boolean;
  constructor(message: string, isWhole = false) {
    super(message);
    this.isWhole = isWhole;
  }
}

/**
 * Returns the object that replaces `original`: `converted` with the metadata of `original`, except for labels and annotations.
 *
 * @param index its index among the objects of the request; undefined if there was one object only
 * @throws ConvertedError
 */
export function checkedConversion(original: JsonObject, converted: Json, apiVersion: string, index: number | undefined): JsonObject {
  const object = decodedObject(converted, index);
  const at = index === undefined ? "invalid object at index 0" : `invalid converted object at index ${index}`;
  const got = text(object, "apiVersion");
  if (got !== apiVersion) throw new ConvertedError(`returned ${at}: invalid groupVersion (expected ${apiVersion}, received ${got})`);
  const kind = text(original, "kind"), gotKind = text(object, "kind");
  if (kind !== gotKind) throw new ConvertedError(`returned ${at}: invalid kind (expected ${kind}, received ${gotKind})`);
  const differs = identityMistake(original, object);
  if (differs !== undefined) {
    throw new ConvertedError(
      `returned ${index === undefined ? "invalid object" : `invalid converted object at index ${index}`}: ${differs}`,
    );
  }
  const inMetadata = index === undefined ? "invalid metadata" : `invalid metadata in object at index ${index}`;
  return { ...object, metadata: restoredMeta(original, object, (why) => new ConvertedError(`returned ${inMetadata}: ${why}`)) };
}

/** Decodes the object as upstream does before it checks it. */
function decodedObject(converted: Json, index: number | undefined): JsonObject {
  const refuse = (why: string) =>
    index === undefined ? new ConvertedError(why, true) : new ConvertedError(`returned invalid converted object at index ${index}: ${why}`);
  if (converted === null) throw refuse("unexpected end of JSON input");
  if (!isObject(converted)) throw refuse(`json: cannot unmarshal ${jsonType(converted)} into Go value of type map[string]interface {}`);
  if (text(converted, "kind") === "") {
    throw refuse(`Object 'Kind' is missing in '${goJson(converted).slice(0, logTextLengthMax)}'`);
  }
  if (!isFinite(converted)) throw refuse("json: cannot unmarshal number into Go value of type float64");
  return converted;
}

function identityMistake(original: JsonObject, converted: JsonObject): string | undefined {
  const before = metaOf(original), after = metaOf(converted);
  for (const [name, key] of [["name", "name"], ["namespace", "namespace"], ["UID", "uid"]] as const) {
    const [e, a] = [text(before, key), text(after, key)];
    if (e !== a) return `must have the same ${name}: ${e} != ${a}`;
  }
  return undefined;
}

function restoredMeta(original: JsonObject, converted: JsonObject, refuse: (why: string) => Error): JsonObject {
  if (!Object.hasOwn(converted, "metadata")) throw refuse("missing metadata in converted object");
  const { metadata } = converted;
  if (!isObject(metadata)) throw refuse(`invalid metadata of type ${goType(metadata ?? null)} in converted object`);
  const restored: Record<string, Json> = { ...metaOf(original) };
  for (const field of ["labels", "annotations"] as const) {
    const next = Object.hasOwn(metadata, field) ? metadata[field] ?? null : null;
    if (next === null) {
      delete restored[field];
      continue;
    }
    if (!isObject(next)) throw refuse(`invalid metadata.${field} of type ${goType(next)} in converted object`);
    const before = isObject(restored[field]) ? restored[field] : {};
    restored[field] = checkedTexts(next, before, field, refuse);
  }
  return restored;
}

/** Checks labels or annotations. Unchanged ones are not validated, because they may be older than the rules. */
function checkedTexts(next: JsonObject, before: JsonObject, field: "labels" | "annotations", refuse: (why: string) => Error): JsonObject {
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(next)) {
    if (typeof value !== "string") throw refuse(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`);
    setOwn(texts, key, value);
  }
  const keys = Object.keys(texts);
  const isSame = keys.length === Object.keys(before).length &&
    keys.every((key) => Object.hasOwn(before, key) && before[key] === texts[key]);
  if (isSame) return texts;
  const validated = field === "labels" ? validateLabels : validateAnnotations;
  const path = field === "labels" ? "metadata.labels" : "metadata.annotation", errors: FieldError[] = [];
  for (const key of keys) {
    append(errors, validated({ [key]: texts[key]! }, path));
    if (errors.length >= conversionKeysShownMax) break;
  }
  // Their total size is checked last.
  if (errors.length === 0) append(errors, validated(texts, path));
  if (errors.length > 0) throw refuse(together(errors));
  return texts;
}

/** Whether all numbers have a finite value. JSON can name larger ones. */
function isFinite(value: Json): boolean {
  const rest: Json[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "number" && !Number.isFinite(next)) return false;
    if (typeof next === "object" && next !== null) append(rest, Object.values(next));
  }
  return true;
}

/** Joins several errors without repetitions, as Go's aggregate does. */
function together(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`;
}

function metaOf(object: JsonObject): JsonObject {
  const metadata = Object.hasOwn(object, "metadata") ? object["metadata"] : undefined;
  return isObject(metadata) ? metadata : {};
}
function text(object: JsonObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === "string" ? value : "";
}

/** Returns group, version and kind of an object, for messages. */
export function typeText(object: JsonObject): string {
  return gvk(text(object, "apiVersion"), text(object, "kind"));
}
