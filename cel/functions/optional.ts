/** Optional values: `optional.of(x)`, `a.?b`, `a[?i]`, `or`, `orValue`, `optMap`; upstream's library `cel.lib.optional`. */
import { operators } from "../ast.ts";
import type { FunctionDeclaration } from "../declarations.ts";
import { boolType, dynType, intType, listType, mapType, opaqueType, optionalType, parameterType, stringType, type Type } from "../types.ts";
import type { Library } from "./library.ts";
import { optionalMacros } from "../parse/macros.ts";
import { ArrayList } from "../value/collections.ts";
import { messageText } from "../value/text.ts";
import { isZero } from "../value/zero.ts";
import { CelError, ListValue, OptionalValue, type Value } from "../values.ts";
import { member, overload } from "./standard/overload.ts";

const parameterK = parameterType("K");
const parameterV = parameterType("V");
const optionalV = optionalType(parameterV);
const listV = listType(parameterV);
const mapKV = mapType(parameterK, parameterV);
const optionals = listType(optionalV);

const none = new OptionalValue(undefined);

// The casts below are safe, because calls have arguments of the types of their signatures.

function of(value: Value): Value {
  return new OptionalValue(value);
}
function optionalOfNonZero(value: Value): Value {
  return isZero(value) ? none : new OptionalValue(value);
}
function valueOf(optional: Value): Value {
  const { value } = optional as OptionalValue;
  return value === undefined ? new CelError("optional.none() dereference") : value;
}
function hasValue(optional: Value): Value {
  return (optional as OptionalValue).value !== undefined;
}
function elementAt(list: Value, index: (size: number) => number): Value {
  const { size } = list as ListValue;
  return size === 0 ? none : new OptionalValue((list as ListValue).at(index(size)));
}
function unwrap(list: Value): Value {
  const values: Value[] = [];
  for (let index = 0, { size } = list as ListValue; index < size; index++) {
    const item = (list as ListValue).at(index);
    if (!(item instanceof OptionalValue)) return new CelError(`value ${messageText(item)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return new ArrayList(values);
}

/** The evaluator compiles `or`, `orValue` and the operators, because they evaluate their second operand only when it is needed. */
const functions: readonly FunctionDeclaration[] = [
  { name: "optional.of", overloads: [overload("optional_of", [parameterV], optionalV, of)] },
  { name: "optional.ofNonZeroValue", overloads: [overload("optional_ofNonZeroValue", [parameterV], optionalV, optionalOfNonZero)] },
  { name: "optional.none", overloads: [overload("optional_none", [], optionalV, () => none)] },
  { name: "value", overloads: [member("optional_value", [optionalV], parameterV, valueOf)] },
  { name: "hasValue", overloads: [member("optional_hasValue", [optionalV], boolType, hasValue)] },
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
  { name: "last", overloads: [member("list_last", [listV], optionalV, (list) => elementAt(list, (size) => size - 1))] },
  { name: "first", overloads: [member("list_first", [listV], optionalV, (list) => elementAt(list, () => 0))] },
  { name: "optional.unwrap", overloads: [overload("optional_unwrap", [optionals], listV, unwrap)] },
  { name: "unwrapOpt", overloads: [member("optional_unwrapOpt", [optionals], listV, unwrap)] },
];

const typeNames: ReadonlyMap<string, Type> = new Map([["optional_type", opaqueType("optional_type")]]);

export const optionalLibrary: Library = { name: "cel.lib.optional", since: 28, functions, macros: optionalMacros, typeNames };
