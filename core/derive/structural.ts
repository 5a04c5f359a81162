/** Values of custom resources: how `structural` nodes behave in the folds that decode and encode. */
import { append } from "../append.ts";
import { isObject, type Json } from "../json.ts";
import { ObjectMeta } from "../meta/object-meta.ts";
import type { Node, StructNode, StructuralNode } from "../schema.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { InvalidTypeMember, type Path, pruneValue } from "../structural/prune.ts";
import { isIntegralDouble, markDouble } from "../tree/doubles.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";
import { setOwn, treeFromJson } from "../tree/values.ts";
import { DecodeError, Decoding, pathText } from "./decoding.ts";
import { rawOf, sortedText } from "./raw-json.ts";

type Decode = (tree: Tree, prior: unknown, run: Decoding) => unknown;

/** Returns the decoder of a structural node. Undefined: the value is absent, because it is null and may not be. */
export function decodeStructural({ schema }: StructuralNode, go: (node: Node) => Decode): Decode {
  const decodeMeta = go(ObjectMeta);
  return (tree, _prior, run) => {
    if (run.strict) reportDuplicates(tree, run);
    const raw = rawOf(tree);
    if ("huge" in raw) return run.refuseType(new NumberText(raw.huge), "float64", raw.huge);
    try {
      return canonical(raw.value, schema, decodeMeta, run);
    } catch (error) {
      if (!(error instanceof InvalidTypeMember)) throw error;
      throw new DecodeError(`${pathText([...run.path, ...error.path])}: Invalid value: ${sortedText(error.value)}: ${error.message}`);
    }
  };
}

/** Returns the canonical form of plain JSON. */
function canonical(value: Json, schema: StructuralSchema, decodeMeta: Decode, run: Decoding): Json | undefined {
  if (value === null && schema.nullable !== true && !(run.applied && schema.default === undefined)) return undefined;
  return pruneValue(value, schema, {
    ...(run.applied ? { keepsNulls: true as const } : {}),
    ...(run.strict ? { unknown: (path: Path) => run.unknownAt(path) } : { dropInvalid: true as const }),
    metadata: (metadata, path) => run.strict ? embeddedMeta(metadata, path, decodeMeta, run) : storedMeta(metadata, decodeMeta),
  });
}

/** Metadata of an embedded resource, with the members of ObjectMeta. Unknown members are reported, wrong types end the run. */
function embeddedMeta(metadata: Json, path: Path, decodeMeta: Decode, run: Decoding): Json {
  append(run.path, path);
  try {
    const checked = new Decoding("json");
    try {
      decodeMeta(treeFromJson(metadata), undefined, checked);
      checked.finish();
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new DecodeError(`${pathText(run.path)}: Invalid value: ${sortedText(metadata)}: ${error.message}`);
    }
    return plainMetadata(run.inEmbedded(() => decodeMeta(treeFromJson(metadata), undefined, run)));
  } finally {
    run.path.length -= path.length;
  }
}

/** As `embeddedMeta`, for stored objects: members of a wrong type are dropped. */
function storedMeta(metadata: Json, decodeMeta: Decode): Json | undefined {
  if (!isObject(metadata)) return undefined;
  const valid = Object.entries(metadata).filter(([key, value]) => isReadable(decodeMeta, { [key]: value }));
  return plainMetadata(decodeMeta(treeFromJson(Object.fromEntries(valid)), undefined, new Decoding("json")));
}
function isReadable(decode: Decode, value: Json): boolean {
  const run = new Decoding("json");
  try {
    decode(treeFromJson(value), undefined, run);
    run.finish();
    return true;
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}

/** Decoded metadata as plain JSON, without an absent creation time, members sorted. */
function plainMetadata(metadata: unknown): Json {
  const members = metadata as { readonly [key: string]: Json }; // of ObjectMeta: JSON but for the order
  const result: Record<string, Json> = {};
  for (const key of sortedKeys(members)) {
    if (key !== "creationTimestamp" || members[key] !== null) setOwn(result, key, members[key]!);
  }
  return result;
}

/** Reports members that occur twice, in document order. Iterative, because values without a schema may have ten thousand levels. */
function reportDuplicates(tree: Tree, run: Decoding): void {
  const waiting: { readonly tree: Tree; readonly path: Path }[] = [{ tree, path: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { tree: at, path } = next;
    const inner: { readonly tree: Tree; readonly path: Path }[] = [];
    if (Array.isArray(at)) at.forEach((item, index) => isContainer(item) && inner.push({ tree: item, path: [...path, index] }));
    else if (at instanceof TreeObject) {
      const seen = new Set<string>();
      at.keys.forEach((key, index) => {
        if (seen.has(key)) run.duplicateAt([...path, key]);
        seen.add(key);
        if (isContainer(at.values[index]!)) inner.push({ tree: at.values[index]!, path: [...path, key] });
      });
    }
    for (const each of inner.reverse()) waiting.push(each);
  }
}
function isContainer(tree: Tree): boolean {
  return typeof tree === "object" && tree !== null && !(tree instanceof NumberText);
}

/** Returns the members of a struct that its fields do not name, in their node's form; undefined if the struct keeps none. */
export function decodeRest({ rest }: StructNode, go: (node: Node) => Decode): Decode | undefined {
  return rest === undefined ? undefined : go(rest);
}

/** Adds members to the object, sorted by name; values of undefined are left out. */
export function withRest(object: Record<string, unknown>, rest: ReadonlyMap<string, unknown> | undefined): Record<string, unknown> {
  for (const key of rest === undefined ? [] : [...rest.keys()].sort()) {
    const value = rest!.get(key);
    if (value !== undefined) setOwn(object, key, value);
  }
  return object;
}

/** Marks members that are integral doubles, as `jsonFromTree` does below them. */
export function withDoubles<T extends object>(object: T, tree: TreeObject): T {
  tree.keys.forEach((key, index) => {
    const source = tree.values[index];
    if (source instanceof NumberText && isIntegralDouble(source.text, (object as Record<string, unknown>)[key])) markDouble(object, key);
  });
  return object;
}

/** Returns the names of an object's members that a struct keeps in `rest`, sorted. */
export function restKeys(object: object, known: ReadonlySet<string>): readonly string[] {
  return sortedKeys(object).filter((key) => !known.has(key));
}
