/** Parses YAML text into a lexical tree as kube-apiserver does: YAML 1.1, converted to JSON. */

import { decodeDocument } from "./yaml/decode.ts";
import { readJsonObject } from "./yaml/json-shortcut.ts";
import { parseDocument } from "./yaml/parse.ts";
import { YamlProblem } from "./yaml/problem.ts";
import { firstDocumentOf } from "./yaml/text.ts";
import type { Read } from "./tree.ts";

/**
 * Reads the first document of a YAML stream; null if it has none. Keys become strings and are sorted. The last duplicate key counts, and
 * each duplicate is reported in `duplicates` (`line 2: key "a" already set in map`). Numbers are in JSON's form: `0x10` is `16`, `15.0` is
 * `15`. Errors are `yaml: line 2: ` with the reason of the parser, or upstream's, such as `json: unsupported value: +Inf`; the caller adds its
 * prefix.
 */
export function readYaml(body: Uint8Array | string): Read {
  const tree = readJsonObject(body);
  return tree === undefined ? readStream(body) : { ok: true, tree, duplicates: [] };
}

/** Works like `readYaml`, without the fast path for JSON. */
export function readStream(body: Uint8Array | string): Read {
  try {
    const document = parseDocument(firstDocumentOf(body));
    return { ok: true, ...(document === undefined ? { tree: null, duplicates: [] } : decodeDocument(document)) };
  } catch (problem) {
    if (!(problem instanceof YamlProblem)) throw problem;
    return { ok: false, error: problem.from === "parser" ? `yaml: ${problem.message}` : problem.message };
  }
}

/** Why a text is no YAML, without its value: `line 2: bad indentation of a mapping entry`. Undefined if it is. */
export function yamlSyntaxError(text: string): string | undefined {
  try {
    parseDocument(firstDocumentOf(text));
    return undefined;
  } catch (problem) {
    if (problem instanceof YamlProblem) return problem.message;
    throw problem;
  }
}
