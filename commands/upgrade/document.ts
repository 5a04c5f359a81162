/** Documents of a file of objects, in YAML or JSON, as trees that keep comments, the order of keys, and scalars as they are written. */
import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  Scalar,
} from "yaml";
import { yamlSyntaxError } from "../../core/tree/yaml.ts";
import { ManifestError } from "./finding.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";
import { manifestDepthMax } from "./bounds.ts";

/** Lexical tokens of one document of a file: a line has about five. */
export const manifestTokensMax = bound(1_000_000);
/** Aliases in one document of a file. */
export const manifestAliasesMax = bound(1_000);

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
  /** What an alias stands for. */
  resolve(alias: Alias): Node | undefined;
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
  if (error !== undefined) {
    const advice = body.includes("{{") ? ' (it has "{{": render the template first)' : "";
    throw new ManifestError(lineAt(error.pos[0]), `invalid YAML: ${error.message}${advice}`);
  }
  if (second !== undefined) throw new ManifestError(lineAt(second.range[0]), "a second document without a line of ---");
  fillKeys(document.contents);
  const targets = checkNodes(document.contents, lineAt);
  return { document, head, body, isJson: isJson(body), lineAt, resolve: (alias) => targets.get(alias) };
}

/** Returns the error of a part that is no YAML. It only reads tokens, which is faster than reading a document. Templates are passed over. */
export function syntaxErrorOf({ text, line }: Part): ManifestError | undefined {
  if (text.includes("{{") || isJson(text)) return undefined;
  const error = yamlSyntaxError(text);
  if (error === undefined) return undefined;
  const [, own, reason] = /^line (\d+): (.*)$/s.exec(error) ?? [];
  return new ManifestError(line + Math.max(0, Number(own ?? 1) - 1), `invalid YAML: ${reason ?? error}`);
}

/** Whether the document is a list of objects, which is no object. */
export function isListOfObjects(root: unknown): boolean {
  return isSeq(root) && root.items.some((item) => isMap(item) && item.has("apiVersion") && item.has("kind"));
}

/** Returns the document of a text that is a document already; undefined if it is not. */
export function composeDocument(text: string): Document | undefined {
  const [document, second] = [...new Composer(composing).compose(new Parser().parse(text))];
  if (document === undefined || second !== undefined || document.errors.length > 0) return undefined;
  if (document.contents !== null) fillKeys(document.contents);
  return document;
}

/** Gives the keys of sets, `{a}` or `? a`, an empty value: the library cannot write them if scalars are text. */
function fillKeys(root: Node): void {
  for (const { node } of nodesInOrder(root)) if (isMap(node)) { for (const pair of node.items) pair.value ??= new Scalar(""); }
}

export function lineStartsOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
  return lines;
}

/** Throws a ManifestError for a text beyond the limits. */
export function* tokensOf(text: string, lineAt: (offset: number) => number): ReturnType<Parser["parse"]> {
  const parser = new Parser(), fail = (reason: string) => new ManifestError(lineAt(parser.offset), reason);
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++tokens > manifestTokensMax) throw fail(`more than ${manifestTokensMax} tokens in one document`);
    if (parser.stack.length > manifestDepthMax) throw fail(`nested deeper than ${manifestDepthMax} levels`);
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Checks that keys are scalars and occur once, and that aliases are few. Returns what each alias stands for. */
function checkNodes(root: Node, lineAt: (offset: number) => number): ReadonlyMap<Alias, Node> {
  const lineOf = (node: Node) => lineAt(node.range?.[0] ?? 0);
  const targets = new Map<Alias, Node>();
  for (const { node, target } of nodesInOrder(root)) {
    if (isAlias(node)) {
      if (target === undefined) throw new ManifestError(lineOf(node), `*${node.source} names no value before it`);
      if (targets.set(node, target).size > manifestAliasesMax) {
        throw new ManifestError(lineOf(node), `more than ${manifestAliasesMax} aliases in one document`);
      }
    }
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key } of node.items) {
      if (!isScalar(key)) throw new ManifestError(lineOf(node), "a key is not a scalar");
      if (keys.has(key.value)) throw new ManifestError(lineOf(key), `key ${valueText(key.value)} is already set in its mapping`);
      keys.add(key.value);
    }
  }
  return targets;
}

/** Returns the first alias whose value does not come before it, such as that of a field that was removed. */
export function danglingAlias(root: Node): Alias | undefined {
  for (const { node, target } of nodesInOrder(root)) if (isAlias(node) && target === undefined) return node;
  return undefined;
}

/**
 * Yields all nodes in the order of the document, aliases with what they stand for. A value that is not complete, which has the alias in
 * it, counts as none.
 */
function* nodesInOrder(root: Node): Generator<{ readonly node: Node; readonly target?: Node | undefined }> {
  const anchors = new Map<string, Node>();
  const waiting: (Node | { readonly ended: Node })[] = [root];
  const wait = (node: unknown) => {
    if (isNode(node)) waiting.push(node);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ("ended" in next) {
      anchors.set(anchorOf(next.ended)!, next.ended);
      continue;
    }
    if (isAlias(next)) yield { node: next, target: anchors.get(next.source) };
    else yield { node: next };
    if (anchorOf(next) !== undefined) waiting.push({ ended: next });
    if (isSeq(next)) next.items.toReversed().forEach(wait);
    if (isMap(next)) {
      for (const { key, value } of next.items.toReversed()) {
        wait(value);
        wait(key);
      }
    }
  }
}

const anchorOf = (node: Node): string | undefined => isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
