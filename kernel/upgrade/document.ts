/** Documents of a file of objects, in YAML or JSON, as trees that keep comments, the order of keys, and scalars as they are written. */
import { Composer, type Document, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser } from "yaml";
import { limits } from "../../core/limits.ts";
import { ManifestError } from "./finding.ts";

/** A part of a file: one document with the line of its separator. */
export interface Part {
  readonly text: string;
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
}

/** Splits a file at lines that begin with `---`, as kubectl does. */
export function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let start = 0, line = 1, startLine = 1;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at), next = end < 0 ? text.length : end + 1;
    if (at > start && isSeparator(text, at)) {
      parts.push({ text: text.slice(start, at), line: startLine });
      start = at;
      startLine = line;
    }
    at = next;
    line++;
  }
  if (start < text.length) parts.push({ text: text.slice(start), line: startLine });
  return parts;
}

/** Scalars stay text; keys are compared by `checkNodes`, in linear time. */
const composing = Object.freeze({ schema: "failsafe", uniqueKeys: false } as const);

const isSeparator = (text: string, at: number) =>
  text.startsWith("---", at) && (text.length === at + 3 || " \t\r\n".includes(text[at + 3]!));

/** A document with the means to find the lines of its nodes. */
export interface ManifestDocument {
  readonly document: Document;
  /** The separator and comments on its line, which stay as they are. */
  readonly head: string;
  /** The text of the document after the head. */
  readonly body: string;
  readonly isJson: boolean;
  /** The line of the file at an offset of the body. */
  lineAt(offset: number): number;
}

/**
 * Reads one document. Scalars stay text (the "failsafe" schema): what they mean is for `resolvePlain`, which reads as servers do. Undefined for a part without an
 * object. Throws ManifestError for what is not YAML, has duplicate keys, or exceeds a limit.
 */
export function readDocument({ text, line }: Part): ManifestDocument | undefined {
  const head = isSeparator(text, 0) ? /^---[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/.exec(text)?.[0] ?? "" : "";
  const body = text.slice(head.length), firstLine = line + (head === "" ? 0 : 1);
  const lines = lineStartsOf(body);
  const lineAt = (offset: number) => firstLine + Math.max(1, lines.linePos(offset).line) - 1;
  const [document, second] = [...new Composer(composing).compose(tokensOf(body, lineAt))];
  if (document === undefined || document.contents === null) return undefined;
  const [error] = [...document.errors, ...(second === undefined ? [] : second.errors)];
  if (error !== undefined) throw new ManifestError(lineAt(error.pos[0]), `invalid YAML: ${error.message}`);
  if (second !== undefined) throw new ManifestError(lineAt(second.range[0]), "a second document without a line of ---");
  checkNodes(document.contents, lineAt);
  return { document, head, body, isJson: isJson(body), lineAt };
}

/** The document of a text that is a document already; undefined if it is not. */
export function composed(text: string): Document | undefined {
  const [document, second] = [...new Composer(composing).compose(new Parser().parse(text))];
  return document === undefined || second !== undefined || document.errors.length > 0 ? undefined : document;
}

function lineStartsOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
  return lines;
}

function* tokensOf(text: string, lineAt: (offset: number) => number): ReturnType<Parser["parse"]> {
  const parser = new Parser(), fail = (reason: string) => new ManifestError(lineAt(parser.offset), reason);
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++tokens > limits.manifestTokensMax) throw fail(`more than ${limits.manifestTokensMax} tokens in one document`);
    if (parser.stack.length > limits.manifestDepthMax) throw fail(`nested deeper than ${limits.manifestDepthMax} levels`);
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Keys are scalars and occur once; aliases are few. */
function checkNodes(root: Node, lineAt: (offset: number) => number): void {
  const waiting: unknown[] = [root];
  let aliases = 0;
  const lineOf = (node: unknown) => lineAt((node as Node | null)?.range?.[0] ?? 0); // Nodes of a document that was read have a range.
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isAlias(node) && ++aliases > limits.manifestAliasesMax) {
      throw new ManifestError(lineOf(node), `more than ${limits.manifestAliasesMax} aliases in one document`);
    }
    if (isSeq(node)) { for (const item of node.items) waiting.push(item); }
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      if (!isScalar(key)) throw new ManifestError(lineOf(node), "a key is not a scalar");
      if (keys.has(key.value)) throw new ManifestError(lineOf(key), `key ${JSON.stringify(key.value)} is already set in its mapping`);
      keys.add(key.value);
      waiting.push(value);
    }
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
