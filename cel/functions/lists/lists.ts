/** Lists: `slice`, `flatten`, `sort`, `sortBy`, `distinct`, `reverse`, `lists.range`; upstream's library `cel.lib.ext.lists`. */
import { exactly, listBase, plus, rangeMax, scale, times, traversalFactor } from "../../cost/range.ts";
import type { CallEstimate, FunctionDeclaration, Operand, Range } from "../../declarations.ts";
import { dynType, intType, listType, parameterType, type Type } from "../../types.ts";
import { ArrayList } from "../../value/collections.ts";
import { equal } from "../../value/equal.ts";
import { compare, isOrdered } from "../../value/order.ts";
import { typeName, typeNameOf, typeOfValue } from "../../value/type.ts";
import { typeText } from "../../check/type-text.ts";
import { spend } from "../../value/work.ts";
import { CelError, ListValue, type Value } from "../../values.ts";
import { type Costs, declare, sizeOf } from "../costs.ts";
import type { Library } from "../library.ts";
import { member, overload } from "../standard/overload.ts";
import { sortByMacro } from "./sort-by.ts";
import { orderedTypes } from "./types.ts";

const list = listType(parameterType("T"));

/** Returns the cost of a call that makes a list. */
function costOfMaking(factor: number, size: number): number {
  return Math.floor(size * factor) + 1 + Number(listBase);
}
function estimateMaking(factor: number, size: Range): CallEstimate {
  return { cost: plus(plus(scale(size, factor), exactly(1n)), exactly(listBase)), resultSize: size };
}

/** Returns the value of a literal int, 0 for a negative one, or the default for any other operand. */
function literalOr(operand: Operand, otherwise: bigint): bigint {
  if (operand.expr.tag !== "constant" || typeof operand.expr.value !== "bigint") return otherwise;
  return operand.expr.value < 0n ? 0n : operand.expr.value;
}

/** The costs of reading the resulting list once. */
const output: Costs["cost"] = (_, _args, result) => costOfMaking(1, sizeOf(result));

const slicing: Costs = {
  cost: output,
  estimate: ({ target, args }, estimator) => {
    const [start, end] = args;
    if (target === undefined || start === undefined || end === undefined) return undefined;
    // As upstream's subtraction, this wraps around if the start is after the end.
    const size = BigInt.asUintN(64, literalOr(end, estimator.sizeOf(target).max) - literalOr(start, 0n));
    return estimateMaking(1, exactly(size));
  },
};
const counting: Costs = {
  cost: output,
  estimate: ({ target, args }) =>
    target !== undefined || args[0] === undefined ? undefined : estimateMaking(1, exactly(literalOr(args[0], rangeMax))),
};
const reversing: Costs = {
  cost: output,
  estimate: ({ target }, estimator) => target && estimateMaking(1, estimator.sizeOf(target)),
};
const flattening: Costs = {
  cost: (_, args) => costOfMaking(typeof args[1] === "bigint" ? Number(args[1]) : 1, sizeOf(args[0])),
  estimate: ({ target, args }, estimator) => {
    if (target === undefined) return undefined;
    const depth = args[0] === undefined ? 1n : literalOr(args[0], rangeMax);
    return estimateMaking(Number(depth), estimator.sizeOf(target));
  },
};
/**
 * Returns the size of a list whose elements are all compared with each other. It is not a number for an error: upstream's costs fail then,
 * and with them the evaluation.
 */
function comparingSize(value: Value | undefined): number {
  if (value instanceof CelError) return NaN;
  const size = sizeOf(value);
  if (!(value instanceof ListValue)) return 0;
  const first = size === 0 ? undefined : value.at(0);
  return costOfMaking(2 + (typeof first === "string" || first instanceof Uint8Array ? traversalFactor : 0), size * size);
}
function estimateComparing(factor: number, size: Range): CallEstimate {
  return estimateMaking(factor, times(size, size));
}
const comparingAll: Costs = {
  cost: (_, args) => comparingSize(args[0]),
  estimate: ({ target }, estimator) => target && estimateComparing(2, estimator.sizeOf(target)),
};
/** Returns the costs of sorting by the elements, or by the keys in argument `keys`. */
function costsOfSorting(keys: 0 | 1): Costs {
  return {
    // Upstream charges nothing for an overload that is chosen when the call is made.
    cost: (id, args) => id === "" ? 1 : comparingSize(args[keys]),
    estimate: ({ overload, target, args }, estimator) => {
      const compared = keys === 0 ? target : args[0];
      if (compared === undefined) return undefined;
      const isText = overload.startsWith("list_string_") || overload.startsWith("list_bytes_");
      return estimateComparing(isText ? 2 + traversalFactor : 2, estimator.sizeOf(compared));
    },
  };
}

function slice(values: ListValue, start: bigint, end: bigint): Value {
  const failed = (why: string) => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) return failed("negative indexes not supported");
  if (start > end) return failed("start index must be less than or equal to end index");
  if (end > BigInt(values.size)) return failed(`list is length ${values.size}`);
  const items: Value[] = [];
  for (let index = Number(start); index < Number(end); index++) {
    spend(1);
    items.push(values.at(index));
  }
  return new ArrayList(items);
}

/** Appends the elements of a list, and of lists in it up to a depth. */
function appendFlat(values: ListValue, depth: bigint, to: Value[]): void {
  for (let index = 0, size = values.size; index < size; index++) {
    spend(8); // an item takes memory in each list that contains it
    const item = values.at(index);
    if (depth > 0n && item instanceof ListValue) appendFlat(item, depth - 1n, to);
    else to.push(item);
  }
}

/** The argument may have any type, because the checked type of a list may be that of a list of lists. */
function flatten(values: Value, depth: Value | undefined): Value {
  const levels = depth ?? 1n;
  if (!(values instanceof ListValue) || typeof levels !== "bigint") {
    const argument = depth === undefined ? "" : typeText(typeOfValue(depth));
    return new CelError(`no such overload: ${typeText(typeOfValue(values))}.flatten(${argument})`);
  }
  if (levels < 0n) return new CelError("level must be non-negative");
  const items: Value[] = [];
  appendFlat(values, levels, items);
  return new ArrayList(items);
}

function range(end: bigint): Value {
  // An element takes memory that counts as several steps.
  spend(Math.max(0, Number(end) * 16));
  const items: Value[] = [];
  for (let each = 0n; each < end; each++) items.push(each);
  return new ArrayList(items);
}

function reverse(values: ListValue): Value {
  const items: Value[] = [];
  for (let index = values.size - 1; index >= 0; index--) {
    spend(1);
    items.push(values.at(index));
  }
  return new ArrayList(items);
}

function distinct(values: ListValue): Value {
  const items: Value[] = [];
  for (let index = 0, size = values.size; index < size; index++) {
    const item = values.at(index);
    spend(1 + items.length);
    if (!items.some((known) => equal(item, known) === true)) items.push(item);
  }
  return items.length === 0 ? values : new ArrayList(items);
}

interface Keyed {
  readonly key: Value;
  readonly item: Value;
}

/** Up to this size upstream sorts by insertion. The algorithm decides the position of NaN. */
const insertionMax = 12;

function insertionSort(items: Keyed[], isLess: (a: Keyed, b: Keyed) => boolean): void {
  for (let next = 1; next < items.length; next++) {
    for (let at = next; at > 0 && isLess(items[at]!, items[at - 1]!); at--) {
      [items[at - 1], items[at]] = [items[at]!, items[at - 1]!];
    }
  }
}

/** Sorts the list by its keys. */
function sortBy(values: Value, keys: Value): Value {
  if (!(values instanceof ListValue) || !(keys instanceof ListValue)) return new CelError("no such overload");
  const size = values.size;
  if (size !== keys.size) {
    const sizes = `${size} and ${keys.size} elements respectively`;
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`,
    );
  }
  if (size === 0) return values;
  const sorted: Keyed[] = [];
  for (let index = 0; index < size; index++) {
    spend(1);
    sorted.push({ key: keys.at(index), item: values.at(index) });
  }
  if (!isOrdered(sorted[0]!.key)) return new CelError("list elements must be comparable");
  const type = typeNameOf(sorted[0]!.key);
  // In upstream, the key of a list with one element is not checked.
  if (sorted.some(({ key }) => typeNameOf(key) !== type)) return new CelError("list elements must have the same type");
  const isLess = (a: Keyed, b: Keyed): boolean => {
    spend(1);
    return compare(a.key, b.key) === -1;
  };
  if (size <= insertionMax) insertionSort(sorted, isLess);
  else sorted.sort((a, b) => isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0);
  return new ArrayList(sorted.map(({ item }) => item));
}

function declareOrdered(name: string, id: string, args: (type: Type) => readonly Type[], keys: 0 | 1): FunctionDeclaration {
  const overloads = orderedTypes.map(([, type]) =>
    member(
      `list_${typeName(type)}_${id}`,
      args(type),
      keys === 0 ? listType(type) : list,
    )
  );
  const call = (values: Value, others: Value = values): Value =>
    values instanceof ListValue ? sortBy(values, others) : new CelError(`no such overload: ${name}`);
  return { ...declare(name, costsOfSorting(keys), ...overloads), call };
}

export const listsLibrary: Library = {
  name: "cel.lib.ext.lists",
  since: 34,
  functions: [
    declare(
      "slice",
      slicing,
      member(
        "list_slice",
        [list, intType, intType],
        list,
        (values, start, end) => slice(values as ListValue, start as bigint, end as bigint),
      ),
    ),
    {
      ...declare(
        "flatten",
        flattening,
        member("list_flatten", [listType(list)], list),
        member("list_flatten_int", [listType(dynType), intType], listType(dynType)),
      ),
      call: (values: Value, depth?: Value) => flatten(values, depth),
    },
    declareOrdered("sort", "sort", (type) => [listType(type)], 0),
    declareOrdered("@sortByAssociatedKeys", "sortByAssociatedKeys", (type) => [list, listType(type)], 1),
    declare("lists.range", counting, overload("lists_range", [intType], listType(intType), (end) => range(end as bigint))),
    declare("reverse", reversing, member("list_reverse", [list], list, (values) => reverse(values as ListValue))),
    declare("distinct", comparingAll, member("list_distinct", [list], list, (values) => distinct(values as ListValue))),
  ],
  macros: [sortByMacro],
};
