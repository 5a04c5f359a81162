/** Costs of standard functions at run time, by overload. An overload that is not listed costs one unit. */
import type { FunctionDeclaration } from "../../declarations.ts";
import type { Value } from "../../values.ts";
import { comparisonCost, costSize, traversal } from "../../value/size.ts";

type Cost = (args: readonly Value[]) => number;

const reading: Cost = (args) => traversal(costSize(args[0]!));
const comparing: Cost = (args) => comparisonCost(args[0]!, args[1]!);
const joining: Cost = (args) => traversal(costSize(args[0]!) + costSize(args[1]!));

const costs: ReadonlyMap<string, Cost> = new Map<string, Cost>([
  ["starts_with_string", reading],
  ["ends_with_string", reading],
  ["string_to_bytes", reading],
  ["bytes_to_string", reading],
  ["in_list", (args) => costSize(args[1]!)],
  ...["less", "less_equals", "greater", "greater_equals"].flatMap((prefix): [string, Cost][] => [
    [`${prefix}_string`, comparing],
    [`${prefix}_bytes`, comparing],
  ]),
  ["add_string", joining],
  ["add_bytes", joining],
  ["matches_string", (args) => traversal(1 + costSize(args[0]!)) * Math.ceil(costSize(args[1]!) * 0.25)],
  ["contains_string", (args) => traversal(costSize(args[0]!)) * traversal(costSize(args[1]!))],
]);

/** Whether a standard overload costs other than one unit. */
export function hasStandardCost(overload: string): boolean {
  return costs.has(overload);
}

/** The `cost` of standard functions. */
export const standardCost: NonNullable<FunctionDeclaration["cost"]> = (overload, args) => costs.get(overload)?.(args) ?? 1;
