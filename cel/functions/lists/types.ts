/** Types that have an order, in upstream's order and with the names that its overloads have. */
import { boolType, bytesType, doubleType, durationType, intType, stringType, timestampType, type Type, uintType } from "../../types.ts";

export type NamedType = readonly [name: string, type: Type];

export const orderedTypes: readonly NamedType[] = [
  ["int", intType],
  ["uint", uintType],
  ["double", doubleType],
  ["bool", boolType],
  ["duration", durationType],
  ["timestamp", timestampType],
  ["string", stringType],
  ["bytes", bytesType],
];
