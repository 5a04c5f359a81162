/** Implements the index, `in` and `size`. */
import { operators } from "../../ast.ts";
import type { FunctionDeclaration } from "../../declarations.ts";
import { boolType, bytesType, intType, stringType } from "../../types.ts";
import { equal } from "../../value/equal.ts";
import { sizeOf } from "../../value/size.ts";
import { spend } from "../../value/work.ts";
import { ListValue, MapValue, type Value } from "../../values.ts";
import { standardCost } from "./costs.ts";
import { noOverload, notSupported } from "./errors.ts";
import { listOfA, mapOfAB, member, overload, parameterA, parameterB } from "./overload.ts";

/** Computes `element in collection`. */
export function isIn(element: Value, collection: Value): Value {
  if (collection instanceof MapValue) return collection.contains?.(element) ?? collection.find(element) !== undefined;
  if (!(collection instanceof ListValue)) return noOverload;
  for (let index = 0, size = collection.size; index < size; index++) {
    spend(1);
    if (equal(element, collection.at(index)) === true) return true;
  }
  return false;
}

/** Computes `size(value)`. */
export function size(value: Value): Value {
  const known = sizeOf(value);
  return known === undefined ? notSupported("size", value) : BigInt(known);
}

export const collections: readonly FunctionDeclaration[] = [
  {
    name: operators.index,
    overloads: [
      overload("index_list", [listOfA, intType], parameterA),
      overload("index_map", [mapOfAB, parameterA], parameterB),
    ],
  },
  {
    name: operators.in,
    overloads: [
      overload("in_list", [parameterA, listOfA], boolType),
      overload("in_map", [parameterA, mapOfAB], boolType),
    ],
    call: isIn,
    cost: standardCost,
  },
  {
    name: "size",
    overloads: [
      overload("size_bytes", [bytesType], intType),
      member("bytes_size", [bytesType], intType),
      overload("size_list", [listOfA], intType),
      member("list_size", [listOfA], intType),
      overload("size_map", [mapOfAB], intType),
      member("map_size", [mapOfAB], intType),
      overload("size_string", [stringType], intType),
      member("string_size", [stringType], intType),
    ],
    call: size,
  },
];
