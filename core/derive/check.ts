/**
 * Validation that follows from a schema: enums, required fields, uniqueness in sets and keyed lists, immutable fields. Returns all errors.
 * Resources call these functions at the position of upstream's order of validation.
 */
import { duplicate, type FieldError, invalid, notSupported, required } from "../field-error.ts";
import { fold, type ListNode, type Node, type RecordNode, type StringNode, type StructNode, type Typed } from "../schema.ts";
import { type Member, membersOf } from "./members.ts";
import { rawText } from "./raw-json.ts";
import { sameValue } from "./same-value.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { isZero, zeroOf } from "./zero.ts";

type Check = (value: any, path: string) => readonly FieldError[];

/**
 * Makes a function that returns the errors of a value that the schema sees: required fields, enumerations, and repeated items of sets and maps.
 * The function takes a value with defaults, and its path ("" for a whole object). It returns an empty list if the value is valid. Call
 * `checker` once, when the module is loaded:
 *
 *     const check = checker(Widget);
 *     const widgets = defineResource<Widget>({ create: (next) => check(next, ""), update: (next) => check(next, ""), ... });
 */
export function checker<T>(node: Typed<T>): (value: T, path: string) => readonly FieldError[] {
  return checkNode(node);
}

const fine: readonly FieldError[] = Object.freeze([]);
const acceptAll: Check = () => fine;

const checkNode: (node: Node) => Check = fold<Check>({
  scalar: () => acceptAll,
  string: checkString,
  list: checkList,
  record: checkRecord,
  struct: checkStruct,
}, (get) => (value, path) => get()(value, path));

function checkString({ oneOf }: StringNode): Check {
  if (oneOf === undefined) return acceptAll;
  const sorted = [...oneOf].sort();
  return (value: string, path) => oneOf.includes(value) ? fine : [notSupported(path, value, sorted)];
}

function checkList(node: ListNode, go: (node: Node) => Check): Check {
  const check = go(node.of);
  const identity = node.type === "atomic" ? undefined : (item: any) => node.keys === undefined ? item : keysOf(node.keys, item);
  if (check === acceptAll && identity === undefined) return acceptAll;
  return (items: readonly unknown[], path) => {
    const seen = new Set<string>();
    return items.flatMap((item, i) => {
      const at = `${path}[${i}]`;
      if (identity === undefined) return check(item, at);
      const own = identity(item), text = rawText(own);
      if (seen.has(text)) return [duplicate(at, own), ...check(item, at)];
      seen.add(text);
      return check(item, at);
    });
  };
}
function keysOf(keys: readonly string[], item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]));
}

function checkRecord(node: RecordNode, go: (node: Node) => Check): Check {
  const check = go(node.of);
  if (check === acceptAll) return acceptAll;
  return (entries: Readonly<Record<string, unknown>>, path) => sortedKeys(entries).flatMap((key) => check(entries[key], `${path}[${key}]`));
}

function checkStruct(node: StructNode, go: (node: Node) => Check): Check {
  const members = membersOf(node).filter(({ through }) => through[0] !== "TypeMeta").map((member) => ({
    ...member,
    check: go(member.node),
    isMissing: canBeMissing(member) ? isZero(member.node) : undefined,
    skipsZero: member.pointer ? undefined : isZero(member.node),
  })).filter(({ check, isMissing }) => check !== acceptAll || isMissing !== undefined);
  if (members.length === 0) return acceptAll;
  return (object: Readonly<Record<string, unknown>>, path) =>
    members.flatMap(({ key, node, always, pointer, check, isMissing, skipsZero }) => {
      const at = path === "" ? key : `${path}.${key}`;
      const value = object[key] ?? (always && !pointer ? zeroOf(node) : undefined);
      if (value === undefined || (isMissing !== undefined && isMissing(value))) return isMissing === undefined ? fine : [required(at, "")];
      // An empty string of an optional field is absent.
      return node.tag === "string" && skipsZero !== undefined && skipsZero(value) ? fine : check(value, at);
    });
}

/** Whether the zero value is treated as missing: empty strings, lists and maps, absent pointers and zero times. */
function canBeMissing({ field, node, pointer }: Member): boolean {
  if (field.required !== true) return false;
  return pointer || !["boolean", "int32", "int64", "double", "struct", "intOrString"].includes(node.tag);
}

type Compare = (next: any, prior: any, path: string) => readonly FieldError[];

/**
 * Makes a function that returns an error (`field is immutable`) for each field with the option `immutable` that differs between the new and the
 * stored value. It looks into structs, and not into lists and maps. For the hook `update`.
 */
export function immutable<T>(node: Typed<T>): (next: T, prior: T, path: string) => readonly FieldError[] {
  return compareNode(node);
}

const acceptAny: Compare = () => fine;

const compareNode: (node: Node) => Compare = fold<Compare>({
  scalar: () => acceptAny,
  list: () => acceptAny,
  record: () => acceptAny,
  struct: compareStruct,
}, (get) => (next, prior, path) => get()(next, prior, path));

function compareStruct(node: StructNode, go: (node: Node) => Compare): Compare {
  const members = membersOf(node).map((member) => ({
    ...member,
    compare: member.field.immutable === true ? compareSealed(member) : go(member.node),
  }))
    .filter(({ compare }) => compare !== acceptAny);
  if (members.length === 0) return acceptAny;
  return (next, prior, path) => {
    if (next === prior) return fine;
    return members.flatMap(({ key, field, node, pointer, compare }) => {
      const at = path === "" ? key : `${path}.${key}`;
      if (field.immutable === true) return compare(next[key], prior[key], at);
      // Fields of a pointer are compared only if both objects have it.
      if (pointer && ((next[key] ?? undefined) === undefined || (prior[key] ?? undefined) === undefined)) return fine;
      return compare(next[key] ?? zeroOf(node), prior[key] ?? zeroOf(node), at);
    });
  };
}

function compareSealed({ node, pointer }: Member): Compare {
  const zero = pointer || node.tag === "list" || node.tag === "record" ? undefined : zeroOf(node);
  const normal = (value: unknown) => {
    const given = value ?? zero;
    return (node.tag === "list" || node.tag === "record") && given !== undefined && isZero(node)(given) ? undefined : given;
  };
  return (next, prior, path) => sameValue(normal(next), normal(prior)) ? fine : [invalid(path, normal(next), "field is immutable")];
}
