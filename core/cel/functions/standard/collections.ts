/** Index, `in` and `size`. */
import { operators } from "../../ast.ts";
import type { FunctionDeclaration } from "../../declarations.ts";
import { boolType, bytesType, intType, stringType } from "../../types.ts";
import { listOfA, mapOfAB, member, overload, parameterA, parameterB } from "./overload.ts";

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
  },
];
