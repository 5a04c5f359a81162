/** The objects in the text of a file, with the lines of their fields. */
import { isMap, isSeq, type Node } from "yaml";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { type ManifestDocument, manifestTokensMax, partsOf, readDocument, syntaxErrorOf } from "../document.ts";
import { FormError, ManifestError } from "../finding.ts";
import { valueOf } from "../nodes.ts";
import type { FoundObject, Place, Unread } from "./evidence.ts";

/** Words of which an object to be checked has one: versions before v1, and groups that are gone. */
const words = Object.freeze(["alpha", "beta", "extensions", "policy", "storedVersions"]);

/**
 * Yields the objects of a text, those of lists one by one, and what cannot be read. Of documents without a word of an old version only the syntax is checked.
 *
 * @param placeOf the place of a line
 */
export function* objectsInText(
  text: string,
  placeOf: (line: number) => Place,
  fix?: string,
): Generator<FoundObject | Unread> {
  for (const part of partsOf(text.replaceAll("\r\n", "\n"))) {
    try {
      const read = words.some((word) => part.text.includes(word)) ? readDocument(part) : undefined;
      const error = syntaxErrorOf(part);
      if (error !== undefined) throw error;
      if (read !== undefined) yield* objectsIn(read, read.document.contents, placeOf, fix);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      yield { tag: "unread", place: placeOf(error.line), reason: error.message };
    }
  }
}

function* objectsIn(
  read: ManifestDocument,
  node: unknown,
  placeOf: (line: number) => Place,
  fix: string | undefined,
  type: JsonObject = {},
): Generator<FoundObject> {
  if (!isMap(node)) return;
  const items: unknown = node.get("items", true), kind = String(node.get("kind") ?? "");
  if (kind.endsWith("List") && isSeq(items)) {
    // Items of a list of one kind need no type of their own.
    const one = kind.slice(0, -"List".length);
    const typeOfItems: JsonObject = one === "" ? {} : { apiVersion: String(node.get("apiVersion") ?? ""), kind: one };
    for (const item of items.items) yield* objectsIn(read, item, placeOf, fix, typeOfItems);
    return;
  }
  const lineOf = (path: readonly (string | number)[]) => lineIn(read, node, path);
  const line = lineOf(["apiVersion"]) ?? read.lineAt(node.range?.[0] ?? 0);
  const object = jsonOf(read, node, line);
  if (object !== undefined) {
    yield { tag: "object", place: placeOf(line), object: { ...type, ...object }, lineOf, ...(fix === undefined ? {} : { fix }) };
  }
}

function jsonOf(read: ManifestDocument, node: Node, line: number): JsonObject | undefined {
  const value = valueOf(node, {
    resolve: read.resolve,
    nodes: manifestTokensMax,
    depth: 0,
    fail: (reason) => new FormError(line, "", `the object ${reason}`),
  });
  return isObject(value) ? value : undefined;
}

/** Returns the line of the key or item at a path, or of the last part of the path that the object has. */
function lineIn(read: ManifestDocument, root: Node, path: readonly (string | number)[]): number | undefined {
  let node: unknown = root, start: number | undefined;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (key as { readonly value?: unknown }).value === step); // `readDocument` rejects other keys.
      if (pair === undefined) break;
      start = (pair.key as Node).range?.[0] ?? start;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number" && node.items[step] !== undefined) {
      node = node.items[step];
      start = (node as Node).range?.[0] ?? start;
    } else break;
  }
  return start === undefined ? undefined : read.lineAt(start);
}
