/** Normalises objects as a store round trip does: empty lists and maps become absent, Go's nil. */
import { isObject } from "../json.ts";
import { fold, type Node } from "../schema.ts";
import { setOwn } from "../tree/values.ts";
import { membersOf } from "./members.ts";
import { isZero, zeroOf } from "./zero.ts";

type Settle = (value: unknown) => unknown;

/** For nodes without such lists. */
const asItIs: Settle = (value) => value;

/** A function that normalises values of a node. Returns the same value if nothing changes. */
export const emptyListsToNil: (node: Node) => Settle = settleFold(true);

/** As `emptyListsToNil`, for empty maps with `keepsEmpty` only: the object before it is stored, as in its JSON. */
export const emptyMapDropper: (node: Node) => Settle = settleFold(false);

function settleFold(lists: boolean): (node: Node) => Settle {
  return fold<Settle>({
    scalar: () => asItIs,
    list: ({ of }, go) => {
      const settle = go(of);
      return settle === asItIs ? asItIs : (value) => Array.isArray(value) ? inEach(value, settle) : value;
    },
    record: ({ of }, go) => {
      const settle = go(of);
      return settle === asItIs ? asItIs : (value) => isObject(value) ? inMembers(value, () => settle) : value;
    },
    struct: (node, go) => {
      const settles = new Map<string, Settle>();
      for (const { key, node: inner, emptyIsNull, keepsEmpty } of membersOf(node)) {
        const settle = lists && emptyIsNull && inner.tag === "list"
          ? orNil(zeroOf(inner), go(inner))
          : keepsEmpty
          ? orAbsent(isZero(inner), go(inner))
          : go(inner);
        if (settle !== asItIs) settles.set(key, settle);
      }
      return settles.size === 0 ? asItIs : (value) => isObject(value) ? inMembers(value, (key) => settles.get(key) ?? asItIs) : value;
    },
  }, (get) => (value) => get()(value));
}

function orNil(nil: unknown, settle: Settle): Settle {
  return (value) => Array.isArray(value) && value.length === 0 ? nil : settle(value);
}

/** Undefined removes the member. */
function orAbsent(isEmpty: (value: unknown) => boolean, settle: Settle): Settle {
  return (value) => isEmpty(value) ? undefined : settle(value);
}

function inEach(values: readonly unknown[], settle: Settle): readonly unknown[] {
  const settled = values.map(settle);
  return settled.every((value, index) => value === values[index]) ? values : settled;
}

function inMembers(object: Readonly<Record<string, unknown>>, settleOf: (key: string) => Settle): object {
  let settled: Record<string, unknown> | undefined, hasAbsent = false;
  for (const key of Object.keys(object)) {
    const value = object[key], now = settleOf(key)(value);
    if (now === value) continue;
    settled ??= { ...object };
    setOwn(settled, key, now);
    hasAbsent ||= now === undefined;
  }
  if (settled === undefined) return object;
  return hasAbsent ? Object.fromEntries(Object.entries(settled).filter(([, value]) => value !== undefined)) : settled;
}
