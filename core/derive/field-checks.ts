/** Checks that belong to fields, found by one walk over an object. Values that an update does not change are not checked again. */
import { type FieldError, noErrors } from "../field-error.ts";
import type { Json } from "../json.ts";
import { type Field, fold, type ListNode, type Node, type StructNode, structsIn, type Typed } from "../schema.ts";
import { isJsonObject } from "../tree/exact-json.ts";
import { membersOf } from "./members.ts";
import { rawText } from "./raw-json.ts";
import { sameValue } from "./same-value.ts";
import { isZero, zeroOf } from "./zero.ts";

/** The checks of one field. */
export interface OwnChecks {
  /** Returns the errors of a value. It is not called for an absent value, which is null, or zero in a field without a pointer. */
  readonly present?: ((value: any, path: string) => readonly FieldError[]) | undefined;
  /** Returns the errors of an absent value and of a zero, which has no further errors then. */
  readonly missing?: ((path: string) => readonly FieldError[]) | undefined;
}

type Check = (value: any, prior: any, path: string) => readonly FieldError[];
/** The check of a schema; undefined if none of its fields has a check. `prior`: the stored object, at an update. */
export type Checks = <T>(node: Typed<T>) => ((next: T, prior: T | undefined) => readonly FieldError[]) | undefined;

const acceptAll: Check = () => noErrors;

/** Returns the walk with these checks. `own` returns undefined for a field without any. */
export function fieldChecks(own: (field: Field) => OwnChecks | undefined): Checks {
  const checkNode: (node: Node) => Check = fold<Check>({
    scalar: () => acceptAll,
    either({ object, other }, go) {
      const inner = go(object), beside = go(other);
      if (inner === acceptAll && beside === acceptAll) return acceptAll;
      return (value, prior, path) =>
        isJsonObject(value) ? inner(value, isJsonObject(prior) ? prior : undefined, path) : beside(value, undefined, path);
    },
    list: checkList,
    record({ of }, go) {
      const check = go(of);
      if (check === acceptAll) return acceptAll;
      return (entries: Readonly<Record<string, unknown>>, prior: Readonly<Record<string, unknown>> | undefined, path) =>
        Object.keys(entries).flatMap((key) => check(entries[key], prior?.[key], `${path}[${key}]`));
    },
    struct: (node, go) => checkStruct(node, go, own),
  }, (get) => (value, prior, path) => get()(value, prior, path));
  return (node) => {
    if (!structsIn(node).some(({ fields }) => Object.values(fields).some((field) => own(field) !== undefined))) return undefined;
    const check = checkNode(node);
    return (next, prior) => check(next, prior, "");
  };
}

function checkList({ of, keys }: ListNode, go: (node: Node) => Check): Check {
  const check = go(of);
  if (check === acceptAll) return acceptAll;
  const identity = (item: any) => rawText((keys ?? []).map((key): Json => item[key] ?? null));
  return (items: readonly unknown[], prior: readonly unknown[] | undefined, path) => {
    if (prior !== undefined && sameValue(items, prior)) return noErrors;
    // Only items with keys are the same ones before and after.
    const before = new Map(keys === undefined || !prior ? [] : prior.map((item) => [identity(item), item]));
    return items.flatMap((item, at) => {
      const same = before.size === 0 ? undefined : before.get(identity(item));
      return same !== undefined && sameValue(item, same) ? noErrors : check(item, same, `${path}[${at}]`);
    });
  };
}

function checkStruct(node: StructNode, go: (node: Node) => Check, own: (field: Field) => OwnChecks | undefined): Check {
  const members = membersOf(node).map(({ key, field, node, always, pointer }) => ({
    key,
    own: own(field),
    inner: go(node),
    zero: always && !pointer ? () => zeroOf(node) : () => undefined,
    isZero: isZero(node),
    zeroIsAbsent: !always && !pointer,
  })).filter(({ own, inner }) => own !== undefined || inner !== acceptAll);
  if (members.length === 0) return acceptAll;
  return (object: Readonly<Record<string, unknown>>, prior: Readonly<Record<string, unknown>> | undefined, path) =>
    members.flatMap(({ key, own, inner, zero, isZero, zeroIsAbsent }) => {
      const value = object[key] ?? zero(), before = prior === undefined ? undefined : prior[key] ?? zero();
      if (prior !== undefined && sameValue(value, before)) return noErrors;
      const at = path === "" ? key : `${path}.${key}`, isNull = value === undefined || value === null;
      if (own?.missing !== undefined && (isNull || isZero(value))) return own.missing(at);
      if (isNull || (zeroIsAbsent && isZero(value))) return noErrors;
      return [...own?.present?.(value, at) ?? noErrors, ...inner(value, before, at)];
    });
}
