/**
 * Decodes a parsed document into a lexical tree: expands aliases and merges, converts keys to strings and sorts them. Upstream converts YAML to JSON in
 * this way first. Without recursion; the expansion of aliases has upstream's bound.
 */

import { type AliasEvent, EVENT_ID, type ScalarEvent } from "js-yaml";
import { NumberText, type Tree, TreeObject } from "../tree.ts";
import { compareByBytes } from "../utf8.ts";
import { numberText } from "../values.ts";
import { floatKeyName, goFloat, goKeySyntax } from "./go-value.ts";
import { lineFinder, scalarTextOf, type YamlDocument } from "./parse.ts";
import { YamlProblem } from "./problem.ts";
import { isMerge, type Resolved, resolveScalar } from "./resolve.ts";
import { bound } from "../../bound.ts";
import { documentDepthMax } from "../../bounds.ts";

/** UTF-16 units of the duplicate keys reported for one YAML document. Further ones are only counted. */
export const yamlDuplicatesLengthMax = bound(1024 * 1024);
/** UTF-16 units of one YAML document after expansion of its aliases: several times the largest body. */
export const yamlTextLengthMax = bound(16 * 1024 * 1024);

/** The tree of a document, and upstream's messages for its duplicate keys. */
export interface Decoded {
  readonly tree: Tree;
  readonly duplicates: readonly string[];
}

/** The members of an incomplete mapping. The last value of a key counts, at the position of the first. */
interface Members {
  readonly entries: Map<Identity, { readonly key: Resolved; value: Tree }>;
}
/** The identity of a key: the text of a string, or the entry of the decoder's table for other types. */
type Identity = string | { readonly text: string };

/** A resolved scalar and its JSON form; undefined for infinities and NaN, which only keys can be. */
interface Scalar {
  readonly resolved: Resolved;
  readonly leaf: Tree | undefined;
}

/**
 * An incomplete node, innermost last. `at` is the event of the next node in it, `end` its last event, `node` the last node that was begun. A merged mapping is
 * read into the members of another one.
 */
type Frame =
  | { readonly tag: "list"; at: number; readonly end: number; readonly into: Tree[] }
  | {
    readonly tag: "map";
    at: number;
    readonly end: number;
    readonly into: Members;
    readonly merged: boolean;
    key: Resolved | undefined;
    node: number;
  }
  | { readonly tag: "alias"; readonly at: number }
  | { readonly tag: "merges"; readonly items: number[]; readonly into: Members };

interface Decoder {
  readonly document: YamlDocument;
  readonly frames: Frame[];
  /** The aliases that are being expanded. */
  readonly active: Set<number>;
  readonly duplicates: string[];
  /** UTF-16 units of `duplicates`, and the number of omitted ones. */
  duplicatesLength: number;
  duplicatesLeftOut: number;
  /** Created for the first duplicate. */
  lineOf: ((at: number) => number) | undefined;
  /** UTF-16 units of all keys and scalars of the result. */
  textLength: number;
  /** Cache of scalars below aliases, so that equal keys are the same string and compare in constant time. */
  readonly resolved: Map<number, Scalar>;
  /** Keys that are not strings, by type and value. */
  readonly identities: Map<string, Identity>;
  nodes: number;
  aliasNodes: number;
  depth: number;
  result: Tree | undefined;
}

/** Decodes a document. Throws YamlProblem. */
export function decodeDocument(document: YamlDocument): Decoded {
  const decoder: Decoder = {
    document,
    frames: [],
    active: new Set(),
    duplicates: [],
    duplicatesLength: 0,
    duplicatesLeftOut: 0,
    lineOf: undefined,
    textLength: 0,
    resolved: new Map(),
    identities: new Map(),
    nodes: 1, // the document counts as one node
    aliasNodes: 0,
    depth: 0,
    result: undefined,
  };
  enter(decoder, document.root);
  for (let frame = decoder.frames.at(-1); frame !== undefined; frame = decoder.frames.at(-1)) step(decoder, frame);
  if (decoder.duplicatesLeftOut > 0) decoder.duplicates.push(`and ${decoder.duplicatesLeftOut} more keys already set`);
  return { tree: decoder.result ?? null, duplicates: decoder.duplicates };
}

function step(decoder: Decoder, frame: Frame): void {
  switch (frame.tag) {
    case "list":
      return frame.at === frame.end ? leave(decoder, frame.into.slice()) : enter(decoder, next(decoder, frame));
    case "map":
      return stepMap(decoder, frame);
    case "merges": {
      // In reverse order, so that earlier mappings override later ones.
      const item = frame.items.pop();
      return item === undefined ? void decoder.frames.pop() : enterMerge(decoder, item, frame.into, false);
    }
    case "alias": // its target was merged
      return leaveAlias(decoder, frame.at);
  }
}

/** Returns the event of the next node in a frame, which moves past it. */
function next({ document }: Decoder, frame: { at: number }): number {
  const { at } = frame;
  frame.at = after(document, at);
  return at;
}

/** Returns the event after a node. */
function after({ events, links }: YamlDocument, at: number): number {
  const { type } = events[at]!;
  return (type === EVENT_ID.SEQUENCE || type === EVENT_ID.MAPPING ? links[at]! : at) + 1;
}

function stepMap(decoder: Decoder, frame: Extract<Frame, { tag: "map" }>): void {
  if (frame.at === frame.end) {
    if (!frame.merged) return leave(decoder, treeOf(frame.into));
    return void decoder.frames.pop();
  }
  const isMergeKey = frame.key === undefined && isMergeAt(decoder, frame.at);
  frame.node = next(decoder, frame);
  if (isMergeKey) enterMerge(decoder, next(decoder, frame), frame.into, true);
  else enter(decoder, frame.node);
}

function isMergeAt({ document }: Decoder, at: number): boolean {
  const event = document.events[at]!;
  return event.type === EVENT_ID.SCALAR && document.text.startsWith("<<", event.valueStart) && isMerge(scalarTextOf(document, event));
}

/** Begins a node. Its value is delivered at once, or when its frame ends. */
function enter(decoder: Decoder, at: number, merge?: Members): void {
  count(decoder);
  const { document: { events, links }, frames } = decoder, event = events[at]!, end = links[at]!;
  switch (event.type) {
    case EVENT_ID.SCALAR: {
      const { resolved, leaf } = scalarOf(decoder, at, event);
      return deliver(decoder, leaf, resolved);
    }
    case EVENT_ID.ALIAS:
      if (decoder.active.has(at)) throw new YamlProblem(`anchor '${anchorOf(decoder, event)}' value contains itself`);
      decoder.active.add(at);
      frames.push({ tag: "alias", at });
      return enter(decoder, end, merge); // the target of an alias is never an alias
    default:
      if (merge === undefined && ++decoder.depth > documentDepthMax) {
        throw new YamlProblem(`exceeded max depth of ${documentDepthMax}`);
      }
      if (event.type === EVENT_ID.SEQUENCE) frames.push({ tag: "list", at: at + 1, end, into: [] });
      else {
        const into = merge ?? { entries: new Map() };
        frames.push({ tag: "map", at: at + 1, end, into, merged: merge !== undefined, key: undefined, node: at });
      }
  }
}

function anchorOf({ document: { text } }: Decoder, { anchorStart, anchorEnd }: AliasEvent): string {
  return text.slice(anchorStart, anchorEnd);
}

/** Begins the value of a merge key, or an item of its list. */
function enterMerge(decoder: Decoder, at: number, into: Members, listAllowed: boolean): void {
  const { document } = decoder, { events, links } = document;
  const { type } = events[at]!, target = type === EVENT_ID.ALIAS ? events[links[at]!]! : events[at]!;
  if (target.type === EVENT_ID.MAPPING) enter(decoder, at, into);
  else if (listAllowed && type === EVENT_ID.SEQUENCE) {
    const items: number[] = [];
    for (let item = at + 1; item < links[at]!; item = after(document, item)) items.push(item);
    decoder.frames.push({ tag: "merges", items, into });
  } else throw new YamlProblem("map merge requires map or sequence of maps as the value");
}

/** Ends a list or mapping and delivers it. */
function leave(decoder: Decoder, tree: Tree): void {
  decoder.frames.pop();
  decoder.depth--;
  deliver(decoder, tree, undefined);
}

function leaveAlias(decoder: Decoder, at: number): void {
  decoder.frames.pop();
  decoder.active.delete(at);
}

/** Adds a value to the innermost frame. `scalar`: the resolved scalar, which keys require. */
function deliver(decoder: Decoder, tree: Tree | undefined, scalar: Resolved | undefined): void {
  let frame = decoder.frames.at(-1);
  while (frame?.tag === "alias") {
    leaveAlias(decoder, frame.at);
    frame = decoder.frames.at(-1);
  }
  if (frame?.tag === "map" && frame.key === undefined) {
    if (scalar === undefined) throw new YamlProblem(`line ${lineOf(decoder, frame.node)}: invalid map key`);
    frame.key = scalar;
    return;
  }
  const value = tree === undefined ? withoutJson(scalar) : tree;
  if (frame === undefined) decoder.result = value;
  else if (frame.tag === "list") {
    countText(decoder, value);
    frame.into.push(value);
  } else if (frame.tag === "map" && frame.key !== undefined) {
    put(decoder, frame.into, frame.key, value, frame.node);
    frame.key = undefined;
  }
}

function withoutJson(scalar: Resolved | undefined): never {
  throw new YamlProblem(`json: unsupported value: ${scalar?.type === "float" ? goFloat(scalar.value) : ""}`, "conversion");
}

/** Adds a member. `node`: its value, whose line is reported. */
function put(decoder: Decoder, { entries }: Members, key: Resolved, value: Tree, node: number): void {
  const identity = identityOf(decoder, key);
  const known = entries.get(identity);
  if (known === undefined) {
    if (typeof identity === "string") countText(decoder, identity);
    countText(decoder, value);
    entries.set(identity, { key, value });
  } else {
    addDuplicate(decoder, key, node);
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

/** Reports a duplicate key, up to `yamlDuplicatesLengthMax`. */
function addDuplicate(decoder: Decoder, key: Resolved, node: number): void {
  const { duplicates, duplicatesLength } = decoder;
  const least = typeof key.value === "string" ? key.value.length : 0;
  if (duplicates.length > 0 && duplicatesLength + least > yamlDuplicatesLengthMax) return void decoder.duplicatesLeftOut++;
  const text = `line ${lineOf(decoder, node)}: key ${goKeySyntax(key)} already set in map`;
  duplicates.push(text);
  decoder.duplicatesLength += text.length;
}

function lineOf(decoder: Decoder, node: number): number {
  decoder.lineOf ??= lineFinder(decoder.document);
  return decoder.lineOf(node);
}

/** Counts the text of a key or value. Rejects a document in which aliases repeat long texts. */
function countText(decoder: Decoder, tree: Tree): void {
  const length = typeof tree === "string" ? tree.length : tree instanceof NumberText ? tree.text.length : 0;
  decoder.textLength += length;
  if (decoder.textLength > yamlTextLengthMax) throw new YamlProblem("document contains excessive aliasing");
}

/** Resolves a scalar. Cached below aliases, where it can occur again. */
function scalarOf(decoder: Decoder, at: number, event: ScalarEvent): Scalar {
  const isShared = decoder.active.size > 0, known = isShared ? decoder.resolved.get(at) : undefined;
  if (known !== undefined) return known;
  const resolved = resolveScalar(scalarTextOf(decoder.document, event));
  const scalar = { resolved, leaf: resolved.type === "float" && !Number.isFinite(resolved.value) ? undefined : finiteLeaf(resolved) };
  if (isShared) decoder.resolved.set(at, scalar);
  return scalar;
}

/** Returns the object of a mapping, with keys as strings, sorted by their bytes. */
function treeOf({ entries }: Members): TreeObject {
  const byName = new Map<string, Tree>();
  for (const { key, value } of entries.values()) byName.set(keyName(key), value);
  const keys = [...byName.keys()].sort(compareByBytes);
  return new TreeObject(keys, keys.map((key) => byName.get(key) ?? null));
}

const int64Max = 2n ** 63n - 1n;

/** Returns the JSON key of a key. Throws YamlProblem if it has none. */
function keyName(key: Resolved): string {
  switch (key.type) {
    case "str":
    case "timestamp":
      return key.value;
    case "bool":
      return String(key.value);
    case "int":
      if (key.value <= int64Max) return String(key.value);
      break;
    case "float":
      return floatKeyName(key.value);
    case "null":
  }
  throw new YamlProblem(`unsupported map key of type: ${key.type}, key: ${goKeySyntax(key)}`, "conversion");
}

/** Returns the JSON form of a scalar. */
export function finiteLeaf(scalar: Resolved): null | boolean | string | NumberText {
  if (scalar.type === "int") return new NumberText(String(scalar.value));
  return scalar.type === "float" ? new NumberText(numberText(scalar.value)) : scalar.value;
}

/** Counts a node. Rejects a document that consists mostly of expanded aliases. */
function count(decoder: Decoder): void {
  decoder.nodes++;
  if (decoder.active.size > 0) decoder.aliasNodes++;
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
