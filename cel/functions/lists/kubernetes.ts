/** Lists: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`; upstream's library `kubernetes.lists`. */
import { utf8Length } from "../../../core/scalars/utf8.ts";
import { exactly, plus, scale, times, traversalFactor } from "../../cost/range.ts";
import type { FunctionDeclaration, Operand } from "../../declarations.ts";
import { boolType, intType, listType, parameterType, type Type } from "../../types.ts";
import { equal } from "../../value/equal.ts";
import { compare, isOrdered } from "../../value/order.ts";
import { spend } from "../../value/work.ts";
import { CelError, Duration, ListValue, MapValue, Uint, type Value } from "../../values.ts";
import type { Costs } from "../costs.ts";
import { declare } from "../costs.ts";
import type { Library } from "../library.ts";
import { add } from "../standard/arithmetic.ts";
import { member } from "../standard/overload.ts";
import { noOverload } from "../standard/errors.ts";
import { type NamedType, orderedTypes } from "./types.ts";

/** Returns the first type parameter of a type: that of its elements or keys. */
function firstParameter(type: Type): Type | undefined {
  if (type.tag === "list") return type.of;
  if (type.tag === "map") return type.key;
  return type.tag === "opaque" ? type.parameters[0] : type.tag === "type" ? type.of : undefined;
}

/** Returns the elements of an operand, whose size is estimated. */
export function elementsOf(list: Operand): Operand | undefined {
  const type = firstParameter(list.type);
  if (type === undefined) return undefined;
  return { path: list.path.length === 0 ? [] : [...list.path, "@items"], type, expr: list.expr, size: undefined };
}

/** Returns the units for reading a value and everything that it contains. */
export function treeCost(value: Value): number {
  if (typeof value === "string") return Math.trunc(utf8Length(value) * traversalFactor);
  if (value instanceof Uint8Array) return Math.trunc(value.length * traversalFactor);
  let cost = 0;
  if (value instanceof ListValue) {
    for (let index = 0, size = value.size; index < size; index++) {
      spend(1);
      cost += treeCost(value.at(index));
    }
    return cost;
  }
  if (!(value instanceof MapValue)) return 1;
  for (const key of value.keys()) {
    spend(1);
    cost += treeCost(key) + treeCost(value.find(key)!);
  }
  return cost;
}

/** The costs of reading each element once. `indexOf` and `lastIndexOf` of strings also have them. */
export const readingElements: Costs = {
  cost: (_, args) => args[0] === undefined ? 0 : treeCost(args[0]),
  estimate: ({ target }, estimator) => {
    if (target === undefined) return undefined;
    const size = estimator.sizeOf(target), elements = elementsOf(target);
    if (elements === undefined) return { cost: scale(size, traversalFactor) };
    const isText = elements.type.tag === "string" || elements.type.tag === "bytes";
    const one = exactly(1n);
    return { cost: times(size, isText ? plus(one, scale(estimator.sizeOf(elements), traversalFactor)) : one) };
  },
};

function isSorted(value: Value): Value {
  const list = value as ListValue;
  let previous: Value | undefined;
  for (let index = 0, size = list.size; index < size; index++) {
    spend(1);
    const next = list.at(index);
    if (!isOrdered(next)) return noOverload;
    if (previous !== undefined && compare(previous, next) === 1) return false;
    previous = next;
  }
  return true;
}

function sum(value: Value, zero: Value): Value {
  const list = value as ListValue;
  let total = zero;
  for (let index = 0, size = list.size; index < size && !(total instanceof CelError); index++) {
    spend(1);
    total = add(total, list.at(index));
  }
  return total;
}

/** Returns the element that no other precedes (`order` 1) or follows (-1). */
function findExtreme(value: Value, name: string, order: number): Value {
  const list = value as ListValue;
  let result: Value | undefined;
  for (let index = 0, size = list.size; index < size; index++) {
    spend(1);
    const next = list.at(index);
    if (!isOrdered(next)) return noOverload;
    if (result === undefined || compare(result, next) === order) result = next;
  }
  return result ?? new CelError(`${name} called on empty list`);
}

function indexOf(value: Value, element: Value): Value {
  const list = value as ListValue;
  for (let index = 0, size = list.size; index < size; index++) {
    spend(1);
    if (equal(list.at(index), element) === true) return BigInt(index);
  }
  return -1n;
}

function lastIndexOf(value: Value, element: Value): Value {
  const list = value as ListValue;
  for (let index = list.size - 1; index >= 0; index--) {
    spend(1);
    if (equal(list.at(index), element) === true) return BigInt(index);
  }
  return -1n;
}

const zeros: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["int", 0n],
  ["uint", new Uint(0n)],
  ["double", 0],
  ["duration", new Duration(0n)],
]);

function declareEach(
  name: string,
  types: readonly NamedType[],
  id: (type: string) => string,
  result: (type: Type) => Type,
  call: (type: string, list: Value) => Value,
): FunctionDeclaration {
  const overloads = types.map(([typeName, type]) => member(id(typeName), [listType(type)], result(type), (list) => call(typeName, list!)));
  return declare(name, readingElements, ...overloads);
}

const parameter = parameterType("A");
const search = [listType(parameter), parameter];
const summable = orderedTypes.filter(([name]) => zeros.has(name));
const same = (type: Type) => type;

export const kubernetesListsLibrary: Library = {
  name: "kubernetes.lists",
  since: 0,
  functions: [
    declareEach("isSorted", orderedTypes, (type) => `list_${type}_is_sorted_bool`, () => boolType, (_, list) => isSorted(list)),
    declareEach("sum", summable, (type) => `list_${type}_sum_${type}`, same, (type, list) => sum(list, zeros.get(type)!)),
    declareEach("max", orderedTypes, (type) => `list_${type}_max_${type}`, same, (_, list) => findExtreme(list, "max", -1)),
    declareEach("min", orderedTypes, (type) => `list_${type}_min_${type}`, same, (_, list) => findExtreme(list, "min", 1)),
    declare("indexOf", readingElements, member("list_a_index_of_int", search, intType, (list, each) => indexOf(list!, each!))),
    declare(
      "lastIndexOf",
      readingElements,
      member("list_a_last_index_of_int", search, intType, (list, each) => lastIndexOf(list!, each!)),
    ),
  ],
};
