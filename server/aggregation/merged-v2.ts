/**
 * Merges OpenAPI v2 documents: paths of other servers join those of this one, with the definitions that they use. A definition that this server
 * has under the same name, but for descriptions, is shared; any other one gets a new name.
 */
import type { Json, JsonObject } from "../../core/json.ts";
import { valueText } from "../../core/value-text.ts";

/** The parts with entries by name to which documents refer. */
const sections: readonly string[] = Object.freeze(["definitions", "parameters"]);
const kinds = "x-kubernetes-group-version-kind";

/** A document of another server. */
export interface RemoteSpec {
  /** The beginnings of its paths that are used: `/apis/example.com/v1/`. */
  readonly prefixes: readonly string[];
  readonly spec: JsonObject;
}

/** The part of a document that is used. References begin with `#/definitions/` or `#/parameters/`. */
interface Part {
  readonly paths: JsonObject;
  /** Entries by reference. */
  readonly used: ReadonlyMap<string, Json>;
}

/** Adds a document to the merged one. Returns a new document. */
export function withRemoteSpec(merged: JsonObject, { prefixes, spec }: RemoteSpec): JsonObject {
  const known = section(merged, "paths");
  const paths = Object.fromEntries(
    Object.entries(section(spec, "paths")).filter(([path]) =>
      prefixes.some((each) => path.startsWith(each)) && !Object.hasOwn(known, path)
    ),
  );
  const part = { paths, used: usedEntries(spec, paths) }, renamed = renames(merged, part);
  const moved = (value: Json) => withReferences(value, renamed);
  const next: Record<string, Json> = { ...merged, paths: sorted({ ...known, ...moved(part.paths) as JsonObject }) }; // objects stay objects
  for (const name of sections) {
    const added = Object.fromEntries(
      [...part.used].filter(([reference]) => sectionOf(reference) === name).map(([reference, entry]) => {
        const own = renamed.get(reference) ?? reference, there = entryAt(merged, own);
        return [keyOf(own), there === undefined ? moved(entry) : withKinds(there, entry)];
      }),
    );
    if (Object.keys(added).length > 0) next[name] = sorted({ ...section(merged, name), ...added });
  }
  return next;
}

/** The entries that a value uses, and those that they use. */
function usedEntries(spec: JsonObject, value: Json): ReadonlyMap<string, Json> {
  const used = new Map<string, Json>(), open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const reference of referencesIn(next)) {
      const entry = entryAt(spec, reference);
      if (entry === undefined || used.has(reference)) continue;
      used.set(reference, entry);
      open.push(entry);
    }
  }
  return used;
}

/** The new references of entries that differ from those of the same name, and of entries that use these. */
function renames(merged: JsonObject, { used }: Part): ReadonlyMap<string, string> {
  const there = (reference: string) => entryAt(merged, reference);
  const differing = new Set(
    [...used].filter(([reference, entry]) => there(reference) !== undefined && comparable(entry) !== comparable(there(reference)!))
      .map(([reference]) => reference),
  );
  /** The entries that are there under the same name, by each entry that they use. */
  const users = new Map<string, string[]>();
  for (const [reference, entry] of used) {
    if (there(reference) === undefined) continue;
    for (const each of new Set(referencesIn(entry))) {
      const known = users.get(each);
      if (known === undefined) users.set(each, [reference]);
      else known.push(reference);
    }
  }
  // Names that are added meanwhile are visited too.
  for (const reference of differing) for (const user of users.get(reference) ?? []) differing.add(user);
  return new Map([...differing].map((reference) => {
    for (let number = 2;; number++) {
      const next = `${reference}_v${number}`;
      if (there(next) === undefined && !used.has(next)) return [reference, next];
    }
  }));
}

function referencesIn(value: Json): readonly string[] {
  const found: string[] = [], open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next) && typeof (next as JsonObject)["$ref"] === "string") found.push((next as JsonObject)["$ref"] as string);
    for (const each of Object.values(next)) open.push(each);
  }
  return found;
}

function withReferences(value: Json, renamed: ReadonlyMap<string, string>): Json {
  if (renamed.size === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withReferences(each, renamed));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, each]) => [
      key,
      key === "$ref" && typeof each === "string" ? renamed.get(each) ?? each : withReferences(each!, renamed),
    ]),
  );
}

/** The text of an entry without its words for people and its kinds, with sorted keys. */
function comparable(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(comparable).join()}]`;
  if (typeof value !== "object" || value === null) return valueText(value);
  const kept = Object.entries(value as JsonObject).filter(([key, each]) =>
    key !== kinds && !(key === "description" && typeof each === "string")
  );
  return `{${kept.toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, each]) => `${valueText(key)}:${comparable(each!)}`).join()}}`;
}

/** The entry that is there, with the kinds of both. */
function withKinds(there: Json, entry: Json): Json {
  const [own, other] = [there, entry].map((each) => {
    const listed = typeof each === "object" && each !== null && !Array.isArray(each) ? (each as JsonObject)[kinds] : undefined;
    return Array.isArray(listed) ? listed as readonly Json[] : [];
  });
  const known = new Set(own!.map(comparable)), added = other!.filter((each) => !known.has(comparable(each)));
  return added.length === 0 ? there : { ...there as JsonObject, [kinds]: [...own!, ...added] };
}

/** The entry with a reference; undefined if there is none, or if it is one of another kind. */
function entryAt(spec: JsonObject, reference: string): Json | undefined {
  const name = sectionOf(reference), key = keyOf(reference);
  if (!sections.includes(name)) return undefined;
  const entries = section(spec, name);
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}
function sectionOf(reference: string): string {
  return reference.split("/", 2)[1] ?? "";
}
function keyOf(reference: string): string {
  return reference.slice(reference.indexOf("/", 2) + 1);
}
function section(spec: JsonObject, name: string): JsonObject {
  const found = Object.hasOwn(spec, name) ? spec[name] : undefined;
  return typeof found === "object" && found !== null && !Array.isArray(found) ? found as JsonObject : {};
}
function sorted(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => a < b ? -1 : 1));
}
