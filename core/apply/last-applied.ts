/** The annotation with the last document of kubectl's client-side apply, from which server-side apply takes over fields. */
import { compare, type Conflict, difference, type FieldSet, fieldSetOf, typeProblems, type Versions } from "./mod.ts";
import { goJson } from "../tree/json-text.ts";
import { utf8Length } from "../scalars/utf8.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { isObject, type Json } from "../schema.ts";
import { jsonFromTree, readJson } from "../tree/json.ts";
import { annotationsBytesMax } from "../meta/labels.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Returns the conflicts without the fields that kubectl has set and that are unchanged since, according to the live object's annotation.
 */
export function allowedByLastApplied(versions: Versions, live: Json, conflicts: readonly Conflict[]): readonly Conflict[] {
  const allowed = setByLastApplied(versions, live);
  return allowed === undefined ? conflicts : conflicts.map((conflict) => ({ ...conflict, set: difference(conflict.set, allowed) }));
}

function setByLastApplied(versions: Versions, live: Json): FieldSet | undefined {
  const text = annotationOf(live);
  const atom = versions.atom(versions.current);
  if (text === undefined || atom === undefined) return undefined;
  const read = readJson(text);
  if (!read.ok) return undefined;
  const last = jsonFromTree(read.tree);
  if (!isObject(last) || last["apiVersion"] !== versions.current || typeProblems(atom, last).length > 0) return undefined;
  const found = compare(atom, last, live);
  return difference(difference(difference(fieldSetOf(atom, last), found.modified), found.added), found.removed);
}

/** Updates the annotation to the applied document, if the object has one. */
export function withLastApplied(object: ApiObject, config: { readonly [key: string]: Json }): ApiObject {
  const { annotations } = object.metadata;
  if (annotations === undefined || (annotations[annotation] ?? "") === "") return object;
  const { [annotation]: _, ...others } = annotations;
  const kept = { ...others, [annotation]: `${goJson(sortMembers(withoutAnnotation(config)))}\n` };
  const bytes = Object.entries(kept).reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  return { ...object, metadata: { ...object.metadata, annotations: bytes > annotationsBytesMax ? others : kept } };
}

function withoutAnnotation(config: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  const { metadata } = config;
  if (!isObject(metadata) || !isObject(metadata["annotations"])) return config;
  const { [annotation]: _, ...annotations } = metadata["annotations"];
  const { annotations: _all, ...rest } = metadata;
  return { ...config, metadata: Object.keys(annotations).length === 0 ? rest : { ...rest, annotations } };
}

function annotationOf(live: Json): string | undefined {
  const metadata = isObject(live) ? live["metadata"] : undefined;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  const text = isObject(annotations) ? annotations[annotation] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** Returns the value with sorted keys, as Go encodes maps. */
function sortMembers(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortMembers(value[key]!)]));
}
