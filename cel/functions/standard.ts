/** The standard library: operators and functions that every environment has. */
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  timestampType,
  type Type,
  typeType,
  uintType,
} from "../types.ts";
import { standardMacros } from "../parse/macros.ts";
import type { Library } from "./library.ts";
import { arithmetic } from "./standard/arithmetic.ts";
import { collections } from "./standard/collections.ts";
import { conversions } from "./standard/conversions.ts";
import { logic } from "./standard/logic.ts";
import { order } from "./standard/order.ts";
import { strings } from "./standard/strings.ts";
import { time } from "./standard/time.ts";

const typeNames: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["bool", boolType],
  ["bytes", bytesType],
  ["double", doubleType],
  ["google.protobuf.Duration", durationType],
  ["int", intType],
  ["list", listType(dynType)],
  ["map", mapType(dynType, dynType)],
  ["null_type", nullType],
  ["string", stringType],
  ["google.protobuf.Timestamp", timestampType],
  ["type", typeType],
  ["uint", uintType],
]);

export const standardLibrary: Library = {
  name: "standard",
  since: 0,
  functions: [...logic, ...arithmetic, ...order, ...collections, ...conversions, ...strings, ...time],
  macros: standardMacros,
  typeNames,
};
