/** Writes a changed document, with what did not change as it was written. */
import { isMap, isScalar, isSeq, type Node } from "yaml";
import { composeDocument, type ManifestDocument } from "./document.ts";
import { indentationOf, jsonText } from "./json-text.ts";
import { keptLines } from "./kept-lines.ts";

/** Must be called before a change; the result writes the document after it. */
export function writerOf({ document, body, isJson }: ManifestDocument): () => string {
  if (isJson) {
    const indent = indentationOf(body), end = body.slice(body.trimEnd().length);
    return () => jsonText(document.contents, indent) + end;
  }
  const layout = layoutOf(document.contents, body);
  const options = { lineWidth: 0, minContentWidth: 0, flowCollectionPadding: /[{[] \S/.test(body), ...layout } as const;
  const plain = document.toString(options);
  return () => {
    const changed = document.toString(options);
    const kept = withBlankLines(body, keptLines(body, plain, changed));
    // Lines in two layouts may mean something else together.
    return composeDocument(kept)?.toString(options) === changed ? kept : changed;
  };
}

/** Returns the text with the empty lines at the beginning and at the end of `source`, which the library leaves out. */
function withBlankLines(source: string, text: string): string {
  let before = 0, after = source.length, start = 0, end = text.length;
  while (source[before] === "\n") before++;
  while (after > before && source[after - 1] === "\n") after--;
  while (text[start] === "\n") start++;
  while (end > start && text[end - 1] === "\n") end--;
  return source.slice(0, before) + text.slice(start, end) + source.slice(after);
}

/** The indentation of mappings, and whether lists in mappings are indented. */
interface Layout {
  readonly indent: number;
  readonly indentSeq: boolean;
}

/** Returns the layout of the first mapping and of the first list in a mapping. */
function layoutOf(root: unknown, body: string): Layout {
  const column = (node: unknown) => {
    const start = (node as Node | null)?.range?.[0] ?? 0; // Nodes of a document that was read have a range.
    return start - (body.lastIndexOf("\n", start - 1) + 1);
  };
  let indent: number | undefined, indentSeq: boolean | undefined;
  const waiting: unknown[] = [root];
  for (let at = 0; at < waiting.length && (indent === undefined || indentSeq === undefined); at++) {
    const node = waiting[at];
    if (isSeq(node)) { for (const item of node.items) waiting.push(item); }
    if (!isMap(node) || node.flow === true) continue;
    for (const { key, value } of node.items) {
      if (isMap(value) && value.flow !== true && isScalar(value.items[0]?.key)) indent ??= column(value.items[0].key) - column(key);
      else if (isSeq(value) && value.flow !== true) indentSeq ??= column(value) > column(key);
      waiting.push(value);
    }
  }
  return { indent: Math.max(1, indent ?? 2), indentSeq: indentSeq ?? true };
}
