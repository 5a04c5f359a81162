/** Composes tokens into the nodes of the first document of a stream. Without recursion: open collections are on a stack. */

import { peekToken, type Scan, skipToken } from "./scan.ts";
import { YamlProblem } from "./source.ts";
import type { Token, TokenType } from "./token.ts";

/** A node of the document. `line` counts from 0. */
export type YamlNode = ScalarNode | CollectionNode | AliasNode;

export interface ScalarNode {
  readonly kind: "scalar";
  readonly line: number;
  readonly text: string;
  /** The whole tag, such as `tag:yaml.org,2002:int`, or "". */
  readonly tag: string;
  /** Plain and without a tag, so its text determines its type. */
  readonly implicit: boolean;
}

export interface CollectionNode {
  readonly kind: "sequence" | "mapping";
  readonly line: number;
  /** Keys and values of a mapping alternate. */
  items: YamlNode[];
}

export interface AliasNode {
  readonly kind: "alias";
  readonly line: number;
  readonly name: string;
  readonly target: ScalarNode | CollectionNode;
}

/** An incomplete collection and its next expected part. */
interface Open {
  readonly node: CollectionNode;
  readonly style: "block" | "indentless" | "flow" | "pair";
  /** `empty`: the absent value of a key in a flow mapping. */
  expect: "first" | "entry" | "value" | "empty" | "end";
}

interface Composer {
  readonly scan: Scan;
  readonly tagPrefixes: ReadonlyMap<string, string>;
  readonly anchors: Map<string, ScalarNode | CollectionNode>;
  readonly open: Open[];
  root: YamlNode | undefined;
}

const defaultTags = [["!", "!"], ["!!", "tag:yaml.org,2002:"]] as const;

/** The root of the first document, or undefined if the stream has none. Throws YamlProblem. */
export function composeFirst(scan: Scan): YamlNode | undefined {
  if (peekToken(scan).type === "streamEnd") return undefined;
  const { explicit, tagPrefixes } = documentStart(scan);
  const composer: Composer = { scan, tagPrefixes, anchors: new Map(), open: [], root: undefined };
  const { type, line } = peekToken(scan);
  if (explicit && outsideDocument.has(type)) add(composer, emptyScalar(line));
  else composeNode(composer, { block: true, indentless: false });
  for (let open = composer.open.at(-1); open !== undefined; open = composer.open.at(-1)) step(composer, open);
  peekToken(scan); // reads the end of the document too, which may be invalid
  return composer.root;
}

const outsideDocument: ReadonlySet<TokenType> = new Set(
  ["versionDirective", "tagDirective", "documentStart", "documentEnd", "streamEnd"] as const,
);

/** Reads optional directives and `---`. Returns the prefixes of tag handles. */
function documentStart(scan: Scan): { explicit: boolean; tagPrefixes: ReadonlyMap<string, string> } {
  const prefixes = new Map<string, string>();
  let versions = 0;
  let token = peekToken(scan);
  const explicit = token.type === "versionDirective" || token.type === "tagDirective" || token.type === "documentStart";
  for (; token.type === "versionDirective" || token.type === "tagDirective"; token = peekToken(scan)) {
    if (token.type === "versionDirective") {
      if (versions++ > 0) fail(token, "found duplicate %YAML directive");
      if (token.version !== "1.1") fail(token, "found incompatible YAML document");
    } else {
      if (prefixes.has(token.handle)) fail(token, "found duplicate %TAG directive");
      prefixes.set(token.handle, token.prefix);
    }
    skipToken(scan);
  }
  if (explicit) {
    if (token.type !== "documentStart") fail(token, "did not find expected <document start>");
    skipToken(scan);
  }
  for (const [handle, prefix] of defaultTags) if (!prefixes.has(handle)) prefixes.set(handle, prefix);
  return { explicit, tagPrefixes: prefixes };
}

/** Reads one node, or the start of a collection, and adds it to its parent. */
function composeNode(composer: Composer, { block, indentless }: { block: boolean; indentless: boolean }): void {
  const { scan } = composer;
  let token = peekToken(scan);
  if (token.type === "alias") {
    const target = composer.anchors.get(token.name);
    if (target === undefined) throw new YamlProblem(`unknown anchor '${token.name}' referenced`);
    skipToken(scan);
    return add(composer, { kind: "alias", line: token.line, name: token.name, target });
  }
  const { line } = token;
  const { anchor, tag } = composeProperties(composer);
  token = peekToken(scan);
  const put = (node: ScalarNode | CollectionNode) => {
    if (anchor !== undefined) composer.anchors.set(anchor, node);
    add(composer, node);
  };
  const opened = openedBy(token.type, block, indentless);
  if (opened !== undefined) {
    const node: CollectionNode = { kind: opened.kind, line, items: [] };
    put(node);
    composer.open.push({ node, style: opened.style, expect: opened.style === "flow" ? "first" : "entry" });
    if (opened.style !== "indentless") skipToken(scan);
  } else if (token.type === "scalar") {
    skipToken(scan);
    put({ kind: "scalar", line, text: token.text, tag: tag ?? "", implicit: token.plain && tag === undefined });
  } else if (anchor !== undefined || tag !== undefined) {
    put({ kind: "scalar", line, text: "", tag: tag ?? "", implicit: tag === undefined });
  } else fail(token, "did not find expected node content");
}

/** Reads an anchor and a tag, in either order. The handle of the tag is checked after the node. */
function composeProperties(composer: Composer): { anchor: string | undefined; tag: string | undefined } {
  let anchor: string | undefined;
  let tag: Extract<Token, { type: "tag" }> | undefined;
  for (;;) {
    const token = peekToken(composer.scan);
    if (token.type === "anchor" && anchor === undefined) anchor = token.name;
    else if (token.type === "tag" && tag === undefined) tag = token;
    else return { anchor, tag: tag && wholeTag(composer, tag) };
    skipToken(composer.scan);
  }
}

function wholeTag(composer: Composer, tag: Extract<Token, { type: "tag" }>): string {
  const prefix = tag.handle === "" ? "" : composer.tagPrefixes.get(tag.handle);
  return prefix === undefined ? fail(tag, "found undefined tag handle") : prefix + tag.suffix;
}

function openedBy(type: TokenType, block: boolean, indentless: boolean): Pick<CollectionNode, "kind"> & Pick<Open, "style"> | undefined {
  if (type === "flowSequenceStart") return { kind: "sequence", style: "flow" };
  if (type === "flowMappingStart") return { kind: "mapping", style: "flow" };
  if (indentless && type === "blockEntry") return { kind: "sequence", style: "indentless" };
  if (block && type === "blockSequenceStart") return { kind: "sequence", style: "block" };
  if (block && type === "blockMappingStart") return { kind: "mapping", style: "block" };
  return undefined;
}

function add(composer: Composer, node: YamlNode): void {
  const open = composer.open.at(-1);
  if (open === undefined) composer.root = node;
  else open.node.items.push(node);
}

/** Reads the next entry, key or value of the innermost open collection. */
function step(composer: Composer, open: Open): void {
  if (open.style === "pair") stepPair(composer, open);
  else if (open.style === "flow") (open.node.kind === "sequence" ? stepFlowSequence : stepFlowMapping)(composer, open);
  else (open.node.kind === "sequence" ? stepBlockSequence : stepBlockMapping)(composer, open);
}

function stepBlockSequence(composer: Composer, open: Open): void {
  const { scan } = composer;
  const token = peekToken(scan);
  if (token.type === "blockEntry") {
    skipToken(scan);
    const next = peekToken(scan).type;
    const empty = next === "blockEntry" || next === "blockEnd" || open.style === "indentless" && (next === "key" || next === "value");
    if (empty) add(composer, emptyScalar(token.line));
    else composeNode(composer, { block: true, indentless: false });
  } else if (open.style === "indentless") close(composer);
  else if (token.type === "blockEnd") closeWithToken(composer);
  else fail(token, "did not find expected '-' indicator");
}

function stepBlockMapping(composer: Composer, open: Open): void {
  const { scan } = composer;
  const token = peekToken(scan);
  const wanted = open.expect === "value" ? "value" : "key";
  if (token.type === wanted) {
    open.expect = wanted === "key" ? "value" : "entry";
    skipToken(scan);
    const next = peekToken(scan).type;
    if (next === "key" || next === "value" || next === "blockEnd") add(composer, emptyScalar(token.line));
    else composeNode(composer, { block: true, indentless: true });
  } else if (wanted === "value") {
    open.expect = "entry";
    add(composer, emptyScalar(token.line));
  } else if (token.type === "blockEnd") closeWithToken(composer);
  else fail(token, "did not find expected key");
}

/** Consumes the comma between entries. Returns false at the closing bracket, which it consumes too. */
function flowEntry(composer: Composer, open: Open, end: TokenType, message: string): boolean {
  const { scan } = composer;
  let token = peekToken(scan);
  if (token.type !== end && open.expect !== "first") {
    if (token.type !== "flowEntry") fail(token, message);
    skipToken(scan);
    token = peekToken(scan);
  }
  open.expect = "entry";
  if (token.type !== end) return true;
  closeWithToken(composer);
  return false;
}

function stepFlowSequence(composer: Composer, open: Open): void {
  if (!flowEntry(composer, open, "flowSequenceEnd", "did not find expected ',' or ']'")) return;
  const token = peekToken(composer.scan);
  if (token.type !== "key") return composeNode(composer, { block: false, indentless: false });
  // A pair without braces is a mapping.
  const node: CollectionNode = { kind: "mapping", line: token.line, items: [] };
  add(composer, node);
  composer.open.push({ node, style: "pair", expect: "first" });
  skipToken(composer.scan);
}

function stepPair(composer: Composer, open: Open): void {
  const { scan } = composer;
  const token = peekToken(scan);
  const ends = (type: TokenType) => type === "flowEntry" || type === "flowSequenceEnd";
  if (open.expect === "first") {
    open.expect = "value";
    if (token.type !== "value" && !ends(token.type)) return composeNode(composer, { block: false, indentless: false });
    skipToken(scan); // upstream's reader loses this token, so `[? : x]` is an error
    add(composer, emptyScalar(token.line));
  } else if (open.expect === "value") {
    open.expect = "end";
    if (token.type === "value") {
      skipToken(scan);
      if (!ends(peekToken(scan).type)) return composeNode(composer, { block: false, indentless: false });
    }
    add(composer, emptyScalar(peekToken(scan).line));
  } else close(composer);
}

function stepFlowMapping(composer: Composer, open: Open): void {
  const { scan } = composer;
  const ends = (type: TokenType) => type === "flowEntry" || type === "flowMappingEnd";
  if (open.expect === "value" || open.expect === "empty") {
    const empty = open.expect === "empty";
    open.expect = "entry";
    if (!empty && peekToken(scan).type === "value") {
      skipToken(scan);
      if (!ends(peekToken(scan).type)) return composeNode(composer, { block: false, indentless: false });
    }
    return add(composer, emptyScalar(peekToken(scan).line));
  }
  if (!flowEntry(composer, open, "flowMappingEnd", "did not find expected ',' or '}'")) return;
  if (peekToken(scan).type === "key") {
    open.expect = "value";
    skipToken(scan);
    const { type, line } = peekToken(scan);
    if (type !== "value" && !ends(type)) composeNode(composer, { block: false, indentless: false });
    else add(composer, emptyScalar(line));
  } else {
    open.expect = "empty";
    composeNode(composer, { block: false, indentless: false });
  }
}

function close(composer: Composer): void {
  const { node } = composer.open.pop()!;
  // Copy to the exact length: an array that grows by `push` allocates seventeen slots at its first item.
  if (node.items.length > 0) node.items = node.items.slice();
}

function closeWithToken(composer: Composer): void {
  skipToken(composer.scan);
  close(composer);
}

function emptyScalar(line: number): ScalarNode {
  return { kind: "scalar", line, text: "", tag: "", implicit: true };
}

/** Throws an error of the composer with upstream's line number, which is one less than in errors of the scanner. */
function fail(token: Token, message: string): never {
  throw new YamlProblem(token.line === 0 ? message : `line ${token.line}: ${message}`);
}
