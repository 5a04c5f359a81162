/**
 * Nodes to a lexical tree: aliases are written out, merges done, keys made strings and sorted. Upstream turns YAML into JSON in this
 * way before anything else looks at it. No recursion; how much aliases may add is bounded as upstream bounds it.
 */

import { limits } from "../../limits.ts";
import { NumberText, type Tree, TreeObject } from "../tree.ts";
import { compareByBytes } from "../utf8.ts";
import { numberText } from "../values.ts";
import type { AliasNode, CollectionNode, ScalarNode, YamlNode } from "./compose.ts";
import { floatKeyName, goKeySyntax, goSyntax } from "./go-value.ts";
import { isMerge, type Resolved, resolveScalar } from "./resolve.ts";
import { YamlProblem } from "./source.ts";

/** What a document says, and its repeated keys in upstream's words. `error` is one of turning YAML into JSON. */
export type Decoded = { readonly tree: Tree; readonly duplicates: readonly string[] } | { readonly error: string };

/** The members of a mapping while it is read; the last value of a key counts, at the place of its first. */
interface Members {
  readonly entries: Map<Identity, { readonly key: Resolved; value: Tree }>;
}
/** What two keys must share to be the same: the text of a string, or the entry of the decoder's table for any other key. */
type Identity = string | { readonly text: string };

/** A scalar's meaning and its form in JSON. */
interface Scalar {
  readonly resolved: Resolved;
  readonly leaf: Tree;
}

/** What is being read, innermost last. A merged mapping reads into the members of another. */
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
  /** UTF-16 units of `duplicates`, and how many more were left out. */
  duplicatesLength: number;
  duplicatesLeftOut: number;
  /** UTF-16 units of all keys and scalars that are in the result. */
  textLength: number;
  /** Scalars below aliases: each is resolved once, so that equal keys are the same string and compare at once. */
  readonly resolved: Map<YamlNode, Scalar>;
  /** Keys that are not strings, by type and value. */
  readonly identities: Map<string, Identity>;
  /** Trees that JSON cannot hold, with the reason: a problem only if they are still there in the end. */
  readonly unsupported: Map<Tree, string>;
  nodes: number;
  aliasNodes: number;
  depth: number;
  aliasDepth: number;
  /** The bracket that a JSON reader would stop at, once aliases or blocks within blocks have become too deep. */
  tooDeep: "[" | "{" | undefined;
  result: Tree | undefined;
}

/** Reads a document's root. Throws YamlProblem for what is wrong with the YAML itself. */
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
    nodes: 1, // the document itself counts as one
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
      // The last comes first, so that earlier mappings win over later ones.
      const item = frame.node.items[--frame.left];
      return item === undefined ? void decoder.frames.pop() : enterMerge(decoder, item, frame.into, false);
    }
    case "alias": // what it stands for was merged
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

/** Begins a node: its value is delivered at once or when its frame is done. */
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
      return enter(decoder, node.target, merge); // an alias never stands for another one
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

/** Begins the value of a merge key, or one of its list. */
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

/** Hands a value to what waits for it. `scalar` is its meaning if it is one: keys need it. */
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

/** Keys differ by type too: `1` and `"1"` are two keys until they become JSON's. NaN differs even from itself. */
function identityOf({ identities }: Decoder, key: Resolved): Identity {
  if (key.type === "str" || key.type === "timestamp") return key.value;
  const text = `${key.type}${key.value}`;
  const known = key.type === "float" && Number.isNaN(key.value) ? undefined : identities.get(text);
  if (known !== undefined) return known;
  const identity = { text };
  identities.set(text, identity);
  return identity;
}

/** Reports a repeated key, up to `limits.yamlDuplicatesLengthMax`. */
function addDuplicate(decoder: Decoder, key: Resolved, line: number): void {
  const { duplicates, duplicatesLength } = decoder;
  const least = typeof key.value === "string" ? key.value.length : 0;
  if (duplicates.length > 0 && duplicatesLength + least > limits.yamlDuplicatesLengthMax) return void decoder.duplicatesLeftOut++;
  const text = `line ${line + 1}: key ${goKeySyntax(key)} already set in map`;
  duplicates.push(text);
  decoder.duplicatesLength += text.length;
}

/** Counts the text of a key or value. Refuses a document in which aliases repeat long texts. */
function countText(decoder: Decoder, tree: Tree): void {
  const length = typeof tree === "string" ? tree.length : tree instanceof NumberText ? tree.text.length : 0;
  decoder.textLength += length;
  if (decoder.textLength > limits.yamlTextLengthMax) throw new YamlProblem("document contains excessive aliasing");
}

/** The meaning of a scalar. Below an alias it may come again, and is kept. */
function scalarOf(decoder: Decoder, node: ScalarNode): Scalar {
  const known = decoder.aliasDepth > 0 ? decoder.resolved.get(node) : undefined;
  if (known !== undefined) return known;
  const resolved = resolveScalar(node);
  const scalar = { resolved, leaf: leafOf(decoder, resolved) };
  if (decoder.aliasDepth > 0) decoder.resolved.set(node, scalar);
  return scalar;
}

/** The object of a mapping: names instead of keys, sorted by their bytes. */
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

/** The name that a key gets in JSON; undefined if it gets none. */
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

/** A scalar in JSON's form. */
export function finiteLeaf(scalar: Resolved): null | boolean | string | NumberText {
  if (scalar.type === "int") return new NumberText(String(scalar.value));
  return scalar.type === "float" ? new NumberText(numberText(scalar.value)) : scalar.value;
}

/** Counts a node, and refuses a document that consists of little but aliases. */
function count(decoder: Decoder): void {
  decoder.nodes++;
  if (decoder.aliasDepth > 0) decoder.aliasNodes++;
  const { nodes, aliasNodes } = decoder;
  if (aliasNodes > 100 && nodes > 1000 && aliasNodes / nodes > aliasShareMax(nodes)) {
    throw new YamlProblem("document contains excessive aliasing");
  }
}

/** The share of nodes that may come from aliases: almost all of 400,000, a tenth of 4,000,000, in between in proportion. */
function aliasShareMax(nodes: number): number {
  const few = 400_000;
  const many = 4_000_000;
  if (nodes <= few) return 0.99;
  return nodes >= many ? 0.1 : 0.99 - 0.89 * (nodes - few) / (many - few);
}

/** The first thing in a tree that JSON cannot hold: keys first, then numbers. */
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
