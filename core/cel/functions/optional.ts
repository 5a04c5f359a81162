/** Optional values: `optional.of(x)`, `a.?b`, `a[?i]`, `or`, `orValue`, `optMap`; upstream's library `cel.lib.optional`. */
import { operators } from "../ast.ts";
import type { FunctionDeclaration } from "../declarations.ts";
import { boolType, dynType, intType, listType, mapType, optionalType, parameterType, stringType } from "../types.ts";
import type { Library } from "./library.ts";
import { member, overload } from "./standard/overload.ts";

const parameterK = parameterType("K");
const parameterV = parameterType("V");
const optionalV = optionalType(parameterV);
const listV = listType(parameterV);
const mapKV = mapType(parameterK, parameterV);
const optionals = listType(optionalV);

/** `or`, `orValue` and the operators are compiled by the evaluator: they evaluate their second operand only when it is needed. */
const functions: readonly FunctionDeclaration[] = [
  { name: "optional.of", overloads: [overload("optional_of", [parameterV], optionalV)] },
  { name: "optional.ofNonZeroValue", overloads: [overload("optional_ofNonZeroValue", [parameterV], optionalV)] },
  { name: "optional.none", overloads: [overload("optional_none", [], optionalV)] },
  { name: "value", overloads: [member("optional_value", [optionalV], parameterV)] },
  { name: "hasValue", overloads: [member("optional_hasValue", [optionalV], boolType)] },
  { name: "or", overloads: [member("optional_or_optional", [optionalV, optionalV], optionalV)] },
  { name: "orValue", overloads: [member("optional_orValue_value", [optionalV, parameterV], parameterV)] },
  { name: operators.optionalSelect, overloads: [overload("select_optional_field", [dynType, stringType], optionalV)] },
  {
    name: operators.optionalIndex,
    overloads: [
      overload("list_optindex_optional_int", [listV, intType], optionalV),
      overload("optional_list_optindex_optional_int", [optionalType(listV), intType], optionalV),
      overload("map_optindex_optional_value", [mapKV, parameterK], optionalV),
      overload("optional_map_optindex_optional_value", [optionalType(mapKV), parameterK], optionalV),
    ],
  },
  {
    name: operators.index,
    overloads: [
      overload("optional_list_index_int", [optionalType(listV), intType], optionalV),
      overload("optional_map_index_value", [optionalType(mapKV), parameterK], optionalV),
    ],
  },
  { name: "last", overloads: [member("list_last", [listV], optionalV)] },
  { name: "first", overloads: [member("list_first", [listV], optionalV)] },
  { name: "optional.unwrap", overloads: [overload("optional_unwrap", [optionals], listV)] },
  { name: "unwrapOpt", overloads: [member("optional_unwrapOpt", [optionals], listV)] },
];

export const optionalLibrary: Library = { name: "cel.lib.optional", since: 28, functions };
