/**
 * Values of custom resources in canonical form: members without a schema are pruned, nulls of members that may not be null are removed,
 * members are sorted by name. Metadata of embedded resources is normalised by a function of the caller.
 */
import type { Json, JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import { copyDoubles } from "../tree/doubles.ts";
import { setOwn } from "../tree/values.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { memberSchema, type StructuralSchema } from "../structural-schema.ts";

/** Where a value is: keys and indexes from the root. */
export type Path = readonly (string | number)[];

export interface PruneOptions {
  /** Called for each pruned member, with its path. */
  readonly unknown?: (path: Path) => void;
  /** The metadata of an embedded resource in canonical form; undefined removes it. May throw for metadata of a wrong type. */
  readonly metadata: (metadata: Json, path: Path) => Json | undefined;
  /** The type members of an embedded resource that are no strings are removed. Default: they are kept, for validation. */
  readonly dropInvalid?: true;
  /** Nulls of members that may not be null stay. */
  readonly keepsNulls?: true;
}

/** The kind or apiVersion of an embedded resource is no string. */
export class InvalidTypeMember extends Error {
  readonly path: Path;
  readonly value: Json;
  constructor(path: Path, value: Json) {
    super("must be a string");
    this.path = path;
    this.value = value;
  }
}

/** Returns the canonical form of a value of the schema. `path`: where the value is, for `options`. The value itself is not changed. */
export function pruneValue(value: Json, schema: StructuralSchema, options: PruneOptions, path: Path = []): Json {
  return prune(value, schema, { options, path: [...path] });
}

/** Whether a member has to be removed: it is null, may not be null and has no default. One with a default gets it afterwards. */
export function isRemovedNull(value: Json, schema: StructuralSchema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true && schema.default === undefined;
}

interface Run {
  readonly options: PruneOptions;
  readonly path: (string | number)[];
}

/** `inherits`: unknown members are kept, because the list that contains the value keeps them. A member with a schema does not inherit that. */
function prune(value: Json, schema: StructuralSchema, run: Run, inherits = false): Json {
  const keeps = inherits || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) {
      return copyDoubles(value, (value as readonly Json[]).map((item, index) => at(run, index, () => prune(item, items, run, keeps))));
    }
    return keeps ? value : pruneLists(value, run);
  }
  return isObject(value) ? pruneMembers(value, schema, run, keeps) : value;
}

/** Lists without a schema stay, the members of objects in them go. Iterative, because lists may have ten thousand levels. */
function pruneLists(list: readonly Json[], { options, path }: Run): Json {
  const root: Json[] = [], open: { readonly from: readonly Json[]; readonly into: Json[] }[] = [{ from: list, into: root }];
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const { from, into } = last;
    if (into.length === from.length) {
      open.pop();
      path.pop();
      continue;
    }
    const item = from[into.length]!;
    path.push(into.length);
    if (Array.isArray(item)) {
      const inner: Json[] = [];
      into.push(inner);
      open.push({ from: item, into: inner });
      continue;
    }
    if (isObject(item)) { for (const key of sortedKeys(item)) options.unknown?.([...path, key]); }
    into.push(isObject(item) ? {} : item);
    path.pop();
  }
  return root;
}

function pruneMembers(object: JsonObject, schema: StructuralSchema, run: Run, keeps: boolean): Json {
  const { options, path } = run;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const result: Record<string, Json> = {};
  for (const key of sortedKeys(object)) {
    const value = object[key]!;
    const inner = memberSchema(schema, key);
    if (!options.keepsNulls && isRemovedNull(value, inner)) continue;
    if (isEmbedded && (key === "apiVersion" || key === "kind")) {
      if (typeof value === "string") setOwn(result, key, value);
      else if (options.dropInvalid !== true) throw new InvalidTypeMember([...path, key], value);
    } else if (isEmbedded && key === "metadata") {
      const metadata = at(run, key, () => options.metadata(value, path));
      if (metadata !== undefined) setOwn(result, key, metadata);
    } else if (inner !== undefined) {
      setOwn(result, key, at(run, key, () => prune(value, inner, run)));
    } else if (keeps) setOwn(result, key, value);
    else options.unknown?.([...path, key]);
  }
  return copyDoubles(object, result);
}

function at<T>({ path }: Run, step: string | number, make: () => T): T {
  path.push(step);
  const made = make();
  path.pop();
  return made;
}
