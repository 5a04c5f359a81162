/** What differs between two values, as lines for people. */
import { bound } from "./bound.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { valueText } from "./value-text.ts";

/** Lines about one value. */
const linesMax = bound(200);
/** Levels of members that are compared one by one. Values below are compared as a whole. */
const levelsMax = bound(64);
/** Characters of one shown value. */
const shownCharactersMax = bound(160);

/** Members by which the items of a list are known, the first that all of them have and in which they differ. */
const itemKeys = ["name", "type", "key", "uid", "manager", "ip", "port", "containerPort", "mountPath"] as const;

/**
 * Returns a line for each field that differs, in the order of the fields:
 *
 *     spec.replicas: 1 -> 3
 *     spec.containers[web].image: "a:1" -> "a:2"
 *     metadata.labels.tier: (none) -> "front"
 *
 * Lists of objects with names are compared by them, others by their position.
 */
export function changedFields(before: Json | undefined, after: Json | undefined): readonly string[] {
  const lines: string[] = [];
  let left = 0;
  for (const line of changes("", before, after, 0)) {
    if (lines.length < linesMax) lines.push(line);
    else left++;
  }
  return left === 0 ? lines : [...lines, `and ${left} more`];
}

function* changes(path: string, before: Json | undefined, after: Json | undefined, level: number): Generator<string> {
  if (before === after) return;
  if (level > levelsMax) {
    if (before === undefined || after === undefined || valueText(before) !== valueText(after)) {
      yield `${path}: ${shown(before)} -> ${shown(after)}`;
    }
  } else if (isObject(before) && isObject(after)) yield* memberChanges(path, before, after, level);
  else if (Array.isArray(before) && Array.isArray(after)) yield* itemChanges(path, before, after, level);
  // A new field with members is shown by these.
  else if (before === undefined && isObject(after) && hasMembers(after)) yield* memberChanges(path, {}, after, level);
  else if (after === undefined && isObject(before) && hasMembers(before)) yield* memberChanges(path, before, {}, level);
  else if (before === undefined && Array.isArray(after) && hasObjects(after)) yield* itemChanges(path, [], after, level);
  else if (after === undefined && Array.isArray(before) && hasObjects(before)) yield* itemChanges(path, before, [], level);
  else yield `${path === "" ? "value" : path}: ${shown(before)} -> ${shown(after)}`;
}

function* memberChanges(path: string, before: JsonObject, after: JsonObject, level: number): Generator<string> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  for (const name of names) yield* changes(memberPath(path, name), before[name], after[name], level + 1);
}

function* itemChanges(path: string, before: readonly Json[], after: readonly Json[], level: number): Generator<string> {
  const key = itemKeys.find((each) => isKey(each, before) && isKey(each, after));
  if (key === undefined) {
    // A list of plain values that grows in the middle would differ everywhere after it.
    if ([...before, ...after].some((item) => typeof item !== "object")) {
      if (valueText(before) !== valueText(after)) yield `${path}: ${shown(before)} -> ${shown(after)}`;
      return;
    }
    for (let at = 0; at < Math.max(before.length, after.length); at++) yield* changes(`${path}[${at}]`, before[at], after[at], level + 1);
    return;
  }
  const [was, is] = [before, after].map((items) => new Map(items.map((item) => [String((item as JsonObject)[key]), item]))); // isKey
  for (const name of new Set([...was!.keys(), ...is!.keys()])) yield* changes(`${path}[${name}]`, was!.get(name), is!.get(name), level + 1);
}

/** Whether each item is an object with this member, and no two have the same. */
function isKey(key: string, items: readonly Json[]): boolean {
  const values = items.map((item) => isObject(item) ? item[key] : undefined);
  return values.every((value) => typeof value === "string" || typeof value === "number") && new Set(values).size === values.length;
}

function hasMembers(value: JsonObject): boolean {
  for (const _ in value) return true;
  return false;
}

function hasObjects(items: readonly Json[]): boolean {
  return items.length > 0 && items.every(isObject);
}

function memberPath(path: string, name: string): string {
  const isPlain = /^[A-Za-z0-9_$-]+$/.test(name);
  if (!isPlain) return `${path}[${valueText(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

function shown(value: Json | undefined): string {
  if (value === undefined) return "(none)";
  const text = valueText(value);
  return text.length <= shownCharactersMax ? text : `${text.slice(0, shownCharactersMax)}... (${text.length} characters)`;
}
