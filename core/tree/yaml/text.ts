/** The text of the first document in a body. */

import { YamlProblem } from "./problem.ts";

// deno-lint-ignore no-control-regex -- YAML does not allow these characters
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

/** Returns the text of the first document. Throws YamlProblem for bytes that are not UTF-8 or UTF-16, and for control characters. */
export function firstDocumentOf(body: Uint8Array | string): string {
  const text = typeof body === "string" ? body.toWellFormed() : decodeText(body);
  // In YAML 1.1 U+0085 is a line break; for the library it is text.
  const first = firstDocument(text.includes("\u0085") ? text.replaceAll("\u0085", "\n") : text);
  if (forbidden.test(first)) throw new YamlProblem("control characters are not allowed");
  return first;
}

function decodeText(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch { // the only error of a fatal decoder
    throw new YamlProblem("invalid UTF-8");
  }
}

/** A line that begins or ends a document. */
const marker = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
/** A line with more than white space, a comment or a directive. */
const content = /^(?!%)[ \t\ufeff]*[^\s#]/m;

/**
 * Returns the text up to the end of its first document. The library reads all documents of a text, and rejects a text with an invalid
 * second document, which kube-apiserver does not read.
 */
function firstDocument(text: string): string {
  let begun = false;
  for (const { 0: found, index } of text.matchAll(marker)) {
    begun ||= content.test(text.slice(0, index));
    if (begun) return text.slice(0, index);
    begun = found === "---";
  }
  return text;
}
