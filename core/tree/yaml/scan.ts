/**
 * Scans characters into tokens by the rules of YAML 1.1, as libyaml and its descendants. Error messages and lines are those of libyaml's
 * algorithm.
 *
 * A key is recognised by the `:` after it, so tokens are queued while a key may begin at the head of the queue.
 */

import { limits } from "../../limits.ts";
import { scanBlock, scanPlain, scanQuoted } from "./scan-scalar.ts";
import { scanAnchor, scanDirective, scanTag } from "./scan-tag.ts";
import {
  atDocumentIndicator,
  failHere,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  type Mark,
  markOf,
  peek,
  skip,
  type Source,
  takeBreak,
} from "./source.ts";
import type { MarkType, Token } from "./token.ts";

/** Maximum number of characters of a key up to its `:`. */
const keyLengthMax = 1024;

/**
 * The start of a possible key. `required`: only a key is allowed here, so a missing `:` is an error. `token` is kept when the key is no longer
 * possible, because closing a flow collection removes it again.
 */
interface PossibleKey {
  possible: boolean;
  readonly token: number;
  readonly mark: Mark;
  readonly required: boolean;
}

/** State of a scanner. `indent`: column of the innermost block collection, -1 outside of all. */
export interface Scan {
  readonly source: Source;
  readonly tokens: Token[];
  /** Number of consumed tokens: the number of the token at the head of the queue. */
  taken: number;
  head: number;
  indent: number;
  readonly indents: number[];
  keyAllowed: boolean;
  /** One entry for each level of flow collections, and one for the enclosing block. */
  readonly keys: PossibleKey[];
  /** The numbers of the tokens that are possible keys. */
  readonly keyTokens: Map<number, number>;
  ended: boolean;
}

export function scanOf(source: Source): Scan {
  return {
    source,
    tokens: [],
    taken: 0,
    head: 0,
    indent: -1,
    indents: [],
    keyAllowed: true,
    keys: [{ possible: false, token: 0, mark: markOf(source), required: false }],
    keyTokens: new Map(),
    ended: false,
  };
}

/** The next token, without consuming it. */
export function peekToken(scan: Scan): Token {
  for (;;) {
    const token = scan.tokens[scan.head];
    if (token !== undefined) {
      const level = scan.keyTokens.get(scan.taken);
      if (level === undefined || !keyIsPossible(scan, level)) return token;
    }
    fetchToken(scan);
  }
}

/** Consumes the next token. */
export function skipToken(scan: Scan): void {
  scan.head++;
  scan.taken++;
  if (scan.head === scan.tokens.length) {
    scan.tokens.length = 0;
    scan.head = 0;
  }
}

/** Scans until at least one more token is available. */
function fetchToken(scan: Scan): void {
  const { source } = scan;
  skipToToken(scan);
  closeBlocks(scan, source.column);
  const c = peek(source);
  if (c === 0) return fetchStreamEnd(scan);
  if (source.column === 0 && c === 0x25) return fetchAlone(scan, () => scanDirective(source));
  const indicator = atDocumentIndicator(source);
  if (indicator !== undefined) {
    return fetchAlone(scan, () => {
      const { line } = source;
      skip(source, 3);
      return { type: indicator === "---" ? "documentStart" : "documentEnd", line };
    });
  }
  const inFlow = scan.keys.length > 1;
  const blankNext = () => isBlankOrEnd(peek(source, 1));
  switch (source.text.charAt(source.at)) {
    case "[":
      return openFlow(scan, "flowSequenceStart");
    case "{":
      return openFlow(scan, "flowMappingStart");
    case "]":
      return closeFlow(scan, "flowSequenceEnd");
    case "}":
      return closeFlow(scan, "flowMappingEnd");
    case ",":
      dropKey(scan);
      scan.keyAllowed = true;
      return putMark(scan, "flowEntry");
    case "-":
      return blankNext() ? fetchBlockEntry(scan) : fetchPlain(scan);
    case "?":
      return inFlow || blankNext() ? fetchKey(scan) : fetchPlain(scan);
    case ":":
      return inFlow || blankNext() ? fetchValue(scan) : fetchPlain(scan);
    case "*":
      return fetchKeyable(scan, () => scanAnchor(source, "alias"));
    case "&":
      return fetchKeyable(scan, () => scanAnchor(source, "anchor"));
    case "!":
      return fetchKeyable(scan, () => scanTag(source));
    case "'":
    case '"':
      return fetchKeyable(scan, () => ({ type: "scalar", line: source.line, text: scanQuoted(source), plain: false }));
    case "|":
    case ">":
      if (!inFlow) return fetchBlock(scan);
      break;
    case "#":
    case "%":
    case "@":
    case "`":
    case "\t":
      break;
    default:
      return fetchPlain(scan);
  }
  failHere(source, "found character that cannot start any token");
}

/** Skips blanks, comments and line breaks. Tabs are not allowed as indentation of a key. */
function skipToToken(scan: Scan): void {
  const { source } = scan;
  for (;;) {
    const tabs = scan.keys.length > 1 || !scan.keyAllowed;
    while (peek(source) === 0x20 || tabs && isBlank(peek(source))) skip(source);
    if (peek(source) === 0x23) { while (!isBreakOrEnd(peek(source))) skip(source); }
    if (!isBreak(peek(source))) return;
    takeBreak(source);
    if (scan.keys.length === 1) scan.keyAllowed = true;
  }
}

function put(scan: Scan, token: Token): void {
  scan.tokens.push(token);
}

/** The number of the next token. */
function nextNumber(scan: Scan): number {
  return scan.taken + scan.tokens.length - scan.head;
}

/** Inserts a token before the token with a number, or last if that token is consumed. */
function insert(scan: Scan, before: number, token: Token): void {
  if (before < scan.taken) put(scan, token);
  else scan.tokens.splice(before - scan.taken + scan.head, 0, token);
}

/** Adds a token of one character. */
function putMark(scan: Scan, type: MarkType): void {
  put(scan, { type, line: scan.source.line });
  skip(scan.source);
}

// Possible keys

/** Whether the possible key of a level is still possible. Throws if a required key is not. */
function keyIsPossible(scan: Scan, level: number): boolean {
  const key = scan.keys[level];
  if (!key?.possible) return false;
  const { source } = scan;
  if (key.mark.line === source.line && key.mark.index + keyLengthMax >= source.index) return true;
  if (key.required) failHere(source, "could not find expected ':'");
  forgetKey(scan, key);
  return false;
}

function forgetKey(scan: Scan, key: PossibleKey): void {
  key.possible = false;
  scan.keyTokens.delete(key.token);
}

/** Records that a key may begin at the cursor. */
function noteKey(scan: Scan): void {
  if (!scan.keyAllowed) return;
  const { source } = scan;
  dropKey(scan);
  const level = scan.keys.length - 1;
  const token = nextNumber(scan);
  scan.keys[level] = { possible: true, token, mark: markOf(source), required: level === 0 && scan.indent === source.column };
  scan.keyTokens.set(token, level);
}

/** Removes the possible key of this level. */
function dropKey(scan: Scan): void {
  const key = scan.keys.at(-1);
  if (!key?.possible) return;
  if (key.required) failHere(scan.source, "could not find expected ':'");
  forgetKey(scan, key);
}

// Block collections

/** Opens a block collection if the column is deeper than the current one. `before`: number of the token to insert its start before. */
function openBlock(scan: Scan, column: number, type: "blockSequenceStart" | "blockMappingStart", line: number, before?: number): void {
  if (scan.keys.length > 1 || scan.indent >= column) return;
  scan.indents.push(scan.indent);
  scan.indent = column;
  if (scan.indents.length > limits.documentDepthMax) failHere(scan.source, `exceeded max depth of ${limits.documentDepthMax}`);
  const token = { type, line };
  if (before === undefined) put(scan, token);
  else insert(scan, before, token);
}

/** Closes block collections that are indented more than a column. */
function closeBlocks(scan: Scan, column: number): void {
  if (scan.keys.length > 1) return;
  while (scan.indent > column) {
    put(scan, { type: "blockEnd", line: scan.source.line });
    scan.indent = scan.indents.pop() ?? -1;
  }
}

// Tokens

function fetchStreamEnd(scan: Scan): void {
  const { source } = scan;
  if (source.column !== 0) { // as if the last line ended with a line break
    source.column = 0;
    source.line++;
  }
  closeBlocks(scan, -1);
  dropKey(scan);
  scan.keyAllowed = false;
  put(scan, { type: "streamEnd", line: source.line });
}

/** A token that ends all open collections: a directive, `---` or `...`. */
function fetchAlone(scan: Scan, read: () => Token): void {
  closeBlocks(scan, -1);
  dropKey(scan);
  scan.keyAllowed = false;
  put(scan, read());
}

/** A token that may begin a key. */
function fetchKeyable(scan: Scan, read: () => Token): void {
  noteKey(scan);
  scan.keyAllowed = false;
  put(scan, read());
}

function openFlow(scan: Scan, type: "flowSequenceStart" | "flowMappingStart"): void {
  noteKey(scan);
  scan.keys.push({ possible: false, token: nextNumber(scan), mark: markOf(scan.source), required: false });
  if (scan.keys.length - 1 > limits.documentDepthMax) failHere(scan.source, `exceeded max depth of ${limits.documentDepthMax}`);
  scan.keyAllowed = true;
  putMark(scan, type);
}

function closeFlow(scan: Scan, type: "flowSequenceEnd" | "flowMappingEnd"): void {
  dropKey(scan);
  if (scan.keys.length > 1) scan.keyTokens.delete(scan.keys.pop()?.token ?? -1);
  scan.keyAllowed = false;
  putMark(scan, type);
}

function fetchBlockEntry(scan: Scan): void {
  const { source } = scan;
  if (scan.keys.length === 1) { // in a flow collection the composer reports the error
    if (!scan.keyAllowed) failHere(source, "block sequence entries are not allowed in this context");
    openBlock(scan, source.column, "blockSequenceStart", source.line);
  }
  dropKey(scan);
  scan.keyAllowed = true;
  putMark(scan, "blockEntry");
}

function fetchKey(scan: Scan): void {
  const { source } = scan;
  const inBlock = scan.keys.length === 1;
  if (inBlock) {
    if (!scan.keyAllowed) failHere(source, "mapping keys are not allowed in this context");
    openBlock(scan, source.column, "blockMappingStart", source.line);
  }
  dropKey(scan);
  scan.keyAllowed = inBlock;
  putMark(scan, "key");
}

function fetchValue(scan: Scan): void {
  const { source } = scan;
  const level = scan.keys.length - 1;
  const key = keyIsPossible(scan, level) ? scan.keys[level] : undefined;
  if (key !== undefined) {
    insert(scan, key.token, { type: "key", line: key.mark.line });
    openBlock(scan, key.mark.column, "blockMappingStart", key.mark.line, key.token);
    forgetKey(scan, key);
    scan.keyAllowed = false;
  } else {
    if (level === 0) {
      if (!scan.keyAllowed) failHere(source, "mapping values are not allowed in this context");
      openBlock(scan, source.column, "blockMappingStart", source.line);
    }
    scan.keyAllowed = level === 0;
  }
  putMark(scan, "value");
}

function fetchBlock(scan: Scan): void {
  const { source } = scan;
  dropKey(scan);
  scan.keyAllowed = true;
  const { line } = source;
  put(scan, { type: "scalar", line, text: scanBlock(source, scan.indent), plain: false });
}

function fetchPlain(scan: Scan): void {
  const { source } = scan;
  noteKey(scan);
  scan.keyAllowed = false;
  const { line } = source;
  const { text, endsLine } = scanPlain(source, scan.indent, scan.keys.length > 1);
  put(scan, { type: "scalar", line, text, plain: true });
  if (endsLine) scan.keyAllowed = true;
}
