/**
 * The bounds that fields publish (`FieldOptions.publish`) as checks, with the meaning and the errors that the same keywords have in schemas of
 * custom resources. Values that an update does not change are not checked again.
 */
import { membersOf } from "../derive/members.ts";
import { rawText } from "../derive/raw-json.ts";
import { sameValue } from "../derive/same-value.ts";
import { isZero, zeroOf } from "../derive/zero.ts";
import { type FieldError, noErrors } from "../field-error.ts";
import type { Json } from "../json.ts";
import { type Field, fold, type ListNode, type Node, type StructNode, structsIn, type Typed } from "../schema.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { isJsonObject } from "../tree/exact-json.ts";
import { validateValue } from "./validate.ts";

type Check = (value: any, prior: any, path: string) => readonly FieldError[];

/** Keywords that bound a value. The others describe it, or say what the type of the field says. */
const keywords: readonly (keyof StructuralSchema)[] = [
  "additionalProperties",
  "allOf",
  "anyOf",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "items",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "oneOf",
  "pattern",
  "properties",
  "required",
];

const anything: Check = () => noErrors;

/**
 * The errors of the published bounds of an object; undefined for a schema without any.
 *
 * @param prior the stored object, at an update
 */
export function boundChecks<T>(node: Typed<T>): ((next: T, prior: T | undefined) => readonly FieldError[]) | undefined {
  if (!structsIn(node).some(({ fields }) => Object.values(fields).some((field) => ownCheck(field) !== anything))) return undefined;
  const check = checkNode(node);
  return (next, prior) => check(next, prior, "");
}

const checkNode: (node: Node) => Check = fold<Check>({
  scalar: () => anything,
  either({ object, other }, go) {
    const inner = go(object), beside = go(other);
    if (inner === anything && beside === anything) return anything;
    return (value, prior, path) =>
      isJsonObject(value) ? inner(value, isJsonObject(prior) ? prior : undefined, path) : beside(value, undefined, path);
  },
  list: checkList,
  record({ of }, go) {
    const check = go(of);
    if (check === anything) return anything;
    return (entries: Readonly<Record<string, unknown>>, prior: Readonly<Record<string, unknown>> | undefined, path) =>
      Object.keys(entries).flatMap((key) => check(entries[key], prior?.[key], `${path}[${key}]`));
  },
  struct: checkStruct,
}, (get) => (value, prior, path) => get()(value, prior, path));

function checkList({ of, keys }: ListNode, go: (node: Node) => Check): Check {
  const check = go(of);
  if (check === anything) return anything;
  const identity = (item: any) => rawText((keys ?? []).map((key): Json => item[key] ?? null));
  return (items: readonly unknown[], prior: readonly unknown[] | undefined, path) => {
    // Only items with keys are the same ones before and after.
    const before = new Map(keys === undefined || !prior ? [] : prior.map((item) => [identity(item), item]));
    return items.flatMap((item, at) => {
      const same = before.size === 0 ? undefined : before.get(identity(item));
      return same !== undefined && sameValue(item, same) ? noErrors : check(item, same, `${path}[${at}]`);
    });
  };
}

function checkStruct(node: StructNode, go: (node: Node) => Check): Check {
  const members = membersOf(node).map(({ key, field, node, always, pointer }) => ({
    key,
    own: ownCheck(field),
    inner: go(node),
    zero: always && !pointer ? () => zeroOf(node) : () => undefined,
    isAbsent: always || pointer ? () => false : isZero(node),
  })).filter(({ own, inner }) => own !== anything || inner !== anything);
  if (members.length === 0) return anything;
  return (object: Readonly<Record<string, unknown>>, prior: Readonly<Record<string, unknown>> | undefined, path) =>
    members.flatMap(({ key, own, inner, zero, isAbsent }) => {
      const value = object[key] ?? zero(), before = prior === undefined ? undefined : prior[key] ?? zero();
      if (value === undefined || value === null || isAbsent(value)) return noErrors;
      if (prior !== undefined && sameValue(value, before)) return noErrors;
      const at = path === "" ? key : `${path}.${key}`;
      return [...own(value, before, at), ...inner(value, before, at)];
    });
}

function ownCheck({ publish = {} }: Field): Check {
  const schema: StructuralSchema = Object.fromEntries(
    keywords.filter((key) => publish[key] !== undefined).map((key) => [key, publish[key]]),
  );
  return Object.keys(schema).length === 0 ? anything : (value: Json, _prior, path) => validateValue(value, schema, { path });
}
