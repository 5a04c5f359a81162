/**
 * Decodes nodes into a lexical tree: expands aliases and merges, converts keys to strings and sorts them. Upstream converts YAML to JSON in
 * this way first. Without recursion; the expansion of aliases has upstream's bound.
 */

import { limits } from "../../limits.ts";
import { NumberText, type Tree, TreeObject } from "../tree.ts";
import { compareByBytes } from "../utf8.ts";
import { numberText } from "../values.ts";
import type { AliasNode, CollectionNode, ScalarNode, YamlNode } from "./compose.ts";
import { floatKeyName, goKeySyntax, goSyntax } from "./go-value.ts";
import { isMerge, type Resolved, resolveScalar } from "./resolve.ts";
import { YamlProblem } from "./source.ts";

/** The tree of a document and upstream's messages for its duplicate keys, or an error of the conversion to JSON. */
export type Decoded = { readonly tree: Tree; readonly duplicates: readonly string[] } | { readonly error: string };

/** The members of an incomplete mapping. The last value of a key counts, at the position of the first. */
interface Members {
  readonly entries: Map<Identity, { readonly key: Resolved; value: Tree }>;
}
/** The identity of a key: the text of a string, or the entry of the decoder's table for other types. */
type Identity = string | { readonly text: string };

/** A resolved scalar and its JSON form. */
interface Scalar {
  readonly resolved: Resolved;
  readonly leaf: Tree;
}

/** An incomplete node, innermost last. A merged mapping is read into the members of another one. */
type Frame =
  | { readonly tag: "list"; readonly node: CollectionNode; at: number; readonly into: Tree[] }
  | {
    readonly tag: "map";
    readonly node: CollectionNode;
    at: number;
    readonly into: Members;
    readonly merged: boolean;
    key: Resolved | undefined;
  }
  | { readonly tag: "alias"; readonly node: AliasNode }
  | { readonly tag: "merges"; readonly node: CollectionNode; left: number; readonly into: Members };

interface Decoder {
  readonly frames: Frame[];
  readonly active: Set<AliasNode>;
  readonly duplicates: string[];
  /** UTF-16 units of `duplicates`, and the number of omitted ones. */
  duplicatesLength: number;
  duplicatesLeftOut: number;
  /** UTF-16 units of all keys and scalars of the result. */
  textLength: number;
  /** Cache of scalars below aliases, so that equal keys are the same string and compare in constant time. */
  readonly resolved: Map<YamlNode, Scalar>;
  /** Keys that are not strings, by type and value. */
  readonly identities: Map<string, Identity>;
  /** Trees without a JSON form, with the reason. They are errors only if they are in the result. */
  readonly unsupported: Map<Tree, string>;
  nodes: number;
  aliasNodes: number;
  depth: number;
  aliasDepth: number;
  /** The bracket at which a JSON reader would fail, if aliases or nested blocks are too deep. */
  tooDeep: "[" | "{" | undefined;
  result: Tree | undefined;
}

/** Decodes the root of a document. Throws YamlProblem for invalid YAML. */
export function decodeDocument(root: YamlNode): Decoded {
  const decoder: Decoder = {
    frames: [],
    active: new Set(),
    duplicates: [],
    duplicatesLength: 0,
    duplicatesLeftOut: 0,
    textLength: 0,
    resolved: new Map(),
    identities: new Map(),
    unsupported: new Map(),
    nodes: 1, // the document counts as one node
    aliasNodes: 0,
    depth: 0,
    aliasDepth: 0,
    tooDeep: undefined,
    result: undefined,
  };
  enter(decoder, root);
  for (let frame = decoder.frames.at(-1); frame !== undefined; frame = decoder.frames.at(-1)) {
    step(decoder, frame);
    if (decoder.tooDeep !== undefined) return { error: `invalid character '${decoder.tooDeep}' exceeded max depth` };
  }
  const tree = decoder.result ?? null;
  const error = unsupportedIn(tree, decoder.unsupported);
  if (decoder.duplicatesLeftOut > 0) decoder.duplicates.push(`and ${decoder.duplicatesLeftOut} more keys already set`);
  return error === undefined ? { tree, duplicates: decoder.duplicates } : { error };
}

function step(decoder: Decoder, frame: Frame): void {
  switch (frame.tag) {
    case "list": {
      const item = frame.node.items[frame.at++];
      return item === undefined ? leave(decoder, frame.into.slice()) : enter(decoder, item);
    }
    case "map":
      return stepMap(decoder, frame);
    case "merges": {
      // In reverse order, so that earlier mappings override later ones.
      const item = frame.node.items[--frame.left];
      return item === undefined ? void decoder.frames.pop() : enterMerge(decoder, item, frame.into, false);
    }
    case "alias": // its target was merged
      return leaveAlias(decoder, frame.node);
  }
}

function stepMap(decoder: Decoder, frame: Extract<Frame, { tag: "map" }>): void {
  const node = frame.node.items[frame.at];
  if (node === undefined) {
    if (!frame.merged) return leave(decoder, treeOf(decoder, frame.into));
    decoder.frames.pop();
  } else if (frame.key === undefined && node.kind === "scalar" && isMerge(node)) {
    frame.at += 2;
    const source = frame.node.items[frame.at - 1];
    if (source !== undefined) enterMerge(decoder, source, frame.into, true);
  } else enter(decoder, node);
}

/** Begins a node. Its value is delivered at once, or when its frame ends. */
function enter(decoder: Decoder, node: YamlNode, merge?: Members): void {
  count(decoder);
  switch (node.kind) {
    case "scalar": {
      const { resolved, leaf } = scalarOf(decoder, node);
      return deliver(decoder, leaf, resolved);
    }
    case "alias":
      if (decoder.active.has(node)) throw new YamlProblem(`anchor '${node.name}' value contains itself`);
      decoder.active.add(node);
      decoder.aliasDepth++;
      decoder.frames.push({ tag: "alias", node });
      return enter(decoder, node.target, merge); // the target of an alias is never an alias
    default: {
      if (merge === undefined) decoder.depth++;
      if (decoder.depth > limits.documentDepthMax) decoder.tooDeep = node.kind === "sequence" ? "[" : "{";
      if (node.kind === "sequence") decoder.frames.push({ tag: "list", node, at: 0, into: [] });
      else {
        const into = merge ?? { entries: new Map() };
        decoder.frames.push({ tag: "map", node, at: 0, into, merged: merge !== undefined, key: undefined });
      }
    }
  }
}

/** Begins the value of a merge key, or an item of its list. */
function enterMerge(decoder: Decoder, node: YamlNode, into: Members, listAllowed: boolean): void {
  const target = node.kind === "alias" ? node.target : node;
  if (target.kind === "mapping") enter(decoder, node, into);
  else if (listAllowed && node.kind === "sequence") decoder.frames.push({ tag: "merges", node, left: node.items.length, into });
  else throw new YamlProblem("map merge requires map or sequence of maps as the value");
}

/** Ends a list or mapping and delivers it. */
function leave(decoder: Decoder, tree: Tree): void {
  decoder.frames.pop();
  decoder.depth--;
  deliver(decoder, tree, undefined);
}

function leaveAlias(decoder: Decoder, node: AliasNode): void {
  decoder.frames.pop();
  decoder.aliasDepth--;
  decoder.active.delete(node);
}

/** Adds a value to the innermost frame. `scalar`: the resolved scalar, which keys require. */
function deliver(decoder: Decoder, tree: Tree, scalar: Resolved | undefined): void {
  let frame = decoder.frames.at(-1);
  while (frame?.tag === "alias") {
    leaveAlias(decoder, frame.node);
    frame = decoder.frames.at(-1);
  }
  if (frame === undefined) decoder.result = tree;
  else if (frame.tag === "list") {
    countText(decoder, tree);
    frame.into.push(tree);
  } else if (frame.tag === "map") {
    const node = frame.node.items[frame.at++];
    if (frame.key === undefined) {
      if (scalar === undefined) throw new YamlProblem(`invalid map key: ${goSyntax(tree)}`);
      frame.key = scalar;
    } else {
      put(decoder, frame.into, frame.key, tree, node?.line ?? 0);
      frame.key = undefined;
    }
  }
}

function put(decoder: Decoder, { entries }: Members, key: Resolved, value: Tree, line: number): void {
  const identity = identityOf(decoder, key);
  const known = entries.get(identity);
  if (known === undefined) {
    if (typeof identity === "string") countText(decoder, identity);
    countText(decoder, value);
    entries.set(identity, { key, value });
  } else {
    addDuplicate(decoder, key, line);
    known.value = value;
  }
}

/** Keys also differ by type: `1` and `"1"` are two keys before the conversion to JSON. NaN differs from itself. */
function identityOf({ identities }: Decoder, key: Resolved): Identity {
  if (key.type === "str" || key.type === "timestamp") return key.value;
  const text = `${key.type}${key.value}`;
  const known = key.type === "float" && Number.isNaN(key.value) ? undefined : identities.get(text);
  if (known !== undefined) return known;
  const identity = { text };
  identities.set(text, identity);
  return identity;
}

/** Reports a duplicate key, up to `limits.yamlDuplicatesLengthMax`. */
function addDuplicate(decoder: Decoder, key: Resolved, line: number): void {
  const { duplicates, duplicatesLength } = decoder;
  const least = typeof key.value === "string" ? key.value.length : 0;
  if (duplicates.length > 0 && duplicatesLength + least > limits.yamlDuplicatesLengthMax) return void decoder.duplicatesLeftOut++;
  const text = `line ${line + 1}: key ${goKeySyntax(key)} already set in map`;
  duplicates.push(text);
  decoder.duplicatesLength += text.length;
}

/** Counts the text of a key or value. Rejects a document in which aliases repeat long texts. */
function countText(decoder: Decoder, tree: Tree): void {
  const length = typeof tree === "string" ? tree.length : tree instanceof NumberText ? tree.text.length : 0;
  decoder.textLength += length;
  if (decoder.textLength > limits.yamlTextLengthMax) throw new YamlProblem("document contains excessive aliasing");
}

/** Resolves a scalar. Cached below aliases, where it can occur again. */
function scalarOf(decoder: Decoder, node: ScalarNode): Scalar {
  const known = decoder.aliasDepth > 0 ? decoder.resolved.get(node) : undefined;
  if (known !== undefined) return known;
  const resolved = resolveScalar(node);
  const scalar = { resolved, leaf: leafOf(decoder, resolved) };
  if (decoder.aliasDepth > 0) decoder.resolved.set(node, scalar);
  return scalar;
}

/** The object of a mapping, with keys as strings, sorted by their bytes. */
function treeOf(decoder: Decoder, { entries }: Members): TreeObject {
  const byName = new Map<string, Tree>();
  let problem: string | undefined;
  for (const { key, value } of entries.values()) {
    const name = keyName(key);
    if (name !== undefined) byName.set(name, value);
    else problem ??= unsupportedKey(key, value);
  }
  const keys = [...byName.keys()].sort(compareByBytes);
  const object = new TreeObject(keys, keys.map((key) => byName.get(key) ?? null));
  if (problem !== undefined) decoder.unsupported.set(object, problem);
  return object;
}

const int64Max = 2n ** 63n - 1n;

/** The JSON key of a key; undefined if it has none. */
function keyName(key: Resolved): string | undefined {
  switch (key.type) {
    case "str":
    case "timestamp":
      return key.value;
    case "bool":
      return String(key.value);
    case "int":
      return key.value <= int64Max ? String(key.value) : undefined;
    case "float":
      return floatKeyName(key.value);
    case "null":
      return undefined;
  }
}

function unsupportedKey(key: Resolved, value: Tree): string {
  const [type, text] = key.type === "int" ? ["uint64", `0x${key.value.toString(16)}`] : ["%!s(<nil>)", "<nil>"];
  return `unsupported map key of type: ${type}, key: ${text}, value: ${goSyntax(value)}`;
}

function leafOf(decoder: Decoder, scalar: Resolved): Tree {
  if (scalar.type !== "float" || Number.isFinite(scalar.value)) return finiteLeaf(scalar);
  const name = Number.isNaN(scalar.value) ? "NaN" : scalar.value > 0 ? "+Inf" : "-Inf";
  const leaf = new NumberText(name);
  decoder.unsupported.set(leaf, `json: unsupported value: ${name}`);
  return leaf;
}

/** The JSON form of a scalar. */
export function finiteLeaf(scalar: Resolved): null | boolean | string | NumberText {
  if (scalar.type === "int") return new NumberText(String(scalar.value));
  return scalar.type === "float" ? new NumberText(numberText(scalar.value)) : scalar.value;
}

/** Counts a node. Rejects a document that consists mostly of expanded aliases. */
function count(decoder: Decoder): void {
  decoder.nodes++;
  if (decoder.aliasDepth > 0) decoder.aliasNodes++;
  const { nodes, aliasNodes } = decoder;
  if (aliasNodes > 100 && nodes > 1000 && aliasNodes / nodes > aliasShareMax(nodes)) {
    throw new YamlProblem("document contains excessive aliasing");
  }
}

/** Maximum share of nodes from aliases: almost all up to 400,000 nodes, a tenth from 4,000,000, linear between them. */
function aliasShareMax(nodes: number): number {
  const few = 400_000;
  const many = 4_000_000;
  if (nodes <= few) return 0.99;
  return nodes >= many ? 0.1 : 0.99 - 0.89 * (nodes - few) / (many - few);
}

/** The first error of a tree without a JSON form: keys first, then numbers. */
function unsupportedIn(tree: Tree, unsupported: ReadonlyMap<Tree, string>): string | undefined {
  if (unsupported.size === 0) return undefined;
  let number: string | undefined;
  const waiting: Tree[] = [tree];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const problem = unsupported.get(next);
    if (problem !== undefined && next instanceof TreeObject) return problem;
    number ??= problem;
    const inner = next instanceof TreeObject ? next.values : Array.isArray(next) ? next : [];
    for (let at = inner.length - 1; at >= 0; at--) waiting.push(inner[at] ?? null);
  }
  return number;
}
