/** Splits texts of manifests into documents, and flattens lists. */
import { bound } from "../../core/bound.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { jsonFromTree } from "../../core/tree/values.ts";
import { readYaml } from "../../core/tree/yaml.ts";

/** Documents of one text. */
const documentsMax = bound(200_000);

/** One object of a manifest, or what is wrong with it. */
export interface ManifestDocument {
  /** The place: the file, and the number of the document in it. */
  readonly place: string;
  /** The object; undefined if there is a problem. */
  readonly object?: ApiObject;
  /** Why the document has no object. */
  readonly problem?: string;
}

/** A line that separates documents. */
const separator = /^---(?=[ \t\r]|$)/;
/** A line with something else than white space, a comment or the end of a document. */
const content = /^(?!\.\.\.[ \t\r]*$)[ \t]*[^\s#]/;

/** Returns the documents of a text of YAML or JSON, in their order. Empty ones are left out and counted, as people count them. */
export function documentsOf(text: string, source: string): readonly ManifestDocument[] {
  const parts: string[][] = [[]];
  for (const line of text.split("\n")) {
    // What follows the marker on its line, such as a comment or a value, belongs to the document.
    if (separator.test(line)) parts.push([` ${line.slice(3)}`]);
    else parts.at(-1)!.push(line);
    if (parts.length > documentsMax) throw new Error(`${source} has more than ${documentsMax} documents`);
  }
  if (!parts[0]!.some((line) => content.test(line))) parts.shift();
  return parts.flatMap((lines, index) => {
    if (!lines.some((line) => content.test(line))) return [];
    const place = parts.length === 1 ? source : `${source}, document ${index + 1}`;
    const read = readYaml(lines.join("\n"));
    if (!read.ok) return [{ place, problem: read.error }];
    if (read.duplicates.length > 0) return [{ place, problem: read.duplicates[0]! }];
    return objectsIn(jsonFromTree(read.tree), place);
  });
}

/** Returns the objects in a value: an object, a list of the API, or an array of both. */
export function objectsIn(value: unknown, place: string): readonly ManifestDocument[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => objectsIn(each, `${place}, item ${index + 1}`));
  const problem = problemOf(value);
  if (problem !== undefined) return [{ place, problem }];
  const object = value as ApiObject & { readonly items?: unknown };
  if (object.kind.endsWith("List") && Array.isArray(object.items)) {
    const kind = object.kind.slice(0, -"List".length);
    // The items of a typed list have no kind of their own.
    const whole = kind === "" ? {} : { apiVersion: object.apiVersion, kind };
    return object.items.flatMap((each: object, index) => objectsIn({ ...whole, ...each }, `${place}, item ${index + 1}`));
  }
  return [{ place, object }];
}

function problemOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "is no object";
  const { apiVersion, kind } = value as Partial<ApiObject>;
  if (typeof kind !== "string" || kind === "") return "has no kind";
  if (typeof apiVersion !== "string" || apiVersion === "") return `${kind} has no apiVersion`;
  return undefined;
}

/** The name of an object for people: `Pod default/a`. */
export function titleOf({ kind, metadata }: Pick<ApiObject, "kind"> & { readonly metadata?: ApiObject["metadata"] }): string {
  const { namespace = "", name = "", generateName } = metadata ?? {};
  const own = name === "" && generateName !== undefined ? `${generateName}*` : name;
  return `${kind} ${namespace === "" ? own : `${namespace}/${own}`}`.trimEnd();
}
