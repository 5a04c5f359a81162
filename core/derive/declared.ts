/** Checks that upstream declares with its types, for kinds whose rules are compared with their validation in code (see `Resource.rules`). */
import { type FieldError, noErrors, required } from "../field-error.ts";
import { fold, type Node, type StructNode, type Typed } from "../schema.ts";
import { membersOf } from "./members.ts";
import { sameValue } from "./same-value.ts";
import { isZero } from "./zero.ts";

type Check = (value: any, prior: any, path: string) => readonly FieldError[];

const anything: Check = () => noErrors;

/**
 * The errors of the declared checks of an object; undefined for a schema without any. Values that an update does not change are not checked again.
 *
 * @param prior the stored object, at an update
 */
export function declaredChecks<T>(node: Typed<T>): ((next: T, prior: T | undefined) => readonly FieldError[]) | undefined {
  const check = checkNode(node);
  return check === anything ? undefined : (next, prior) => check(next, prior, "");
}

const checkNode: (node: Node) => Check = fold<Check>({
  scalar: () => anything,
  list({ of }, go) {
    const check = go(of);
    if (check === anything) return anything;
    return (items: readonly unknown[], prior: unknown, path) =>
      prior !== undefined && sameValue(items, prior) ? noErrors : items.flatMap((item, at) => check(item, undefined, `${path}[${at}]`));
  },
  record({ of }, go) {
    const check = go(of);
    if (check === anything) return anything;
    return (entries: Readonly<Record<string, unknown>>, prior: Readonly<Record<string, unknown>> | undefined, path) =>
      Object.keys(entries).flatMap((key) => check(entries[key], prior?.[key], `${path}[${key}]`));
  },
  struct: checkStruct,
}, (get) => (value, prior, path) => get()(value, prior, path));

function checkStruct(node: StructNode, go: (node: Node) => Check): Check {
  const members = membersOf(node).map(({ key, node, field }) => ({
    key,
    check: go(node),
    isMissing: field.mustBeSet ? isZero(node) : undefined,
  }))
    .filter(({ check, isMissing }) => check !== anything || isMissing !== undefined);
  if (members.length === 0) return anything;
  return (object: Readonly<Record<string, unknown>>, prior: Readonly<Record<string, unknown>> | undefined, path) =>
    members.flatMap(({ key, check, isMissing }) => {
      const at = path === "" ? key : `${path}.${key}`, value = object[key], before = prior?.[key];
      if (prior !== undefined && sameValue(value, before)) return noErrors;
      const isEmpty = value === undefined || value === null;
      if (isMissing !== undefined && (isEmpty || isMissing(value))) return [required(at, "")];
      return isEmpty ? noErrors : check(value, before, at);
    });
}
