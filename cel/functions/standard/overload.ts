/** Short forms with which tables of overloads are written. */
import type { Overload } from "../../declarations.ts";
import { listType, mapType, parameterType, type Type } from "../../types.ts";
import type { Value } from "../../values.ts";

/** Makes an overload that is called as `name(...)`. */
export function overload(id: string, args: readonly Type[], result: Type, call?: (...args: Value[]) => Value): Overload {
  return call === undefined ? { id, member: false, args, result } : { id, member: false, args, result, call };
}

/** Makes an overload that is called as `receiver.name(...)`. */
export function member(id: string, args: readonly Type[], result: Type, call?: (...args: Value[]) => Value): Overload {
  return call === undefined ? { id, member: true, args, result } : { id, member: true, args, result, call };
}

export const parameterA = parameterType("A");
export const parameterB = parameterType("B");
export const listOfA = listType(parameterA);
export const mapOfAB = mapType(parameterA, parameterB);
