/** Estimates the costs of the standard functions, by overload. The caller adds the costs of arguments, except those that are in `args`. */
import { operators } from "../ast.ts";
import type { CallEstimate, EstimatedCall, Operand, Range } from "../declarations.ts";
import type { Type } from "../types.ts";
import { exactly, patternFactor, plus, scale, times, traversalFactor, unknownRange } from "./range.ts";

const one = exactly(1n);
/** The size of the largest named format, for comparisons of two. */
const formatSizeMax = 64n;

const sizeOf = (operand: Operand): Range => operand.size ?? unknownRange;

/** Estimates a comparison of abstract values of one type with `==`. */
export function estimateEquality({ function: name, args: [left, right] }: EstimatedCall): CallEstimate | undefined {
  if (name !== operators.equals || left === undefined || right === undefined) return undefined;
  if (!isNamed(left.type) || !isNamed(right.type) || left.type.name !== right.type.name) return undefined;
  switch (left.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
    case "kubernetes.authorization.Authorizer":
    case "kubernetes.authorization.PathCheck":
    case "kubernetes.authorization.GroupCheck":
    case "kubernetes.authorization.ResourceCheck":
    case "kubernetes.authorization.Decision":
      return { cost: one };
    case "kubernetes.NamedFormat":
      return { cost: scale({ min: 1n, max: formatSizeMax }, traversalFactor) };
    case "kubernetes.URL":
      return { cost: scale({ min: 1n, max: right.size?.max ?? 1n }, traversalFactor) };
    default:
      return undefined;
  }
}

function isNamed(type: Type): type is Type & { readonly name: string } {
  return type.tag === "object" || type.tag === "opaque";
}

type Estimate = (call: EstimatedCall) => CallEstimate | undefined;

/** Estimates a function that reads its only argument once. */
function reading(resultSize: (size: Range) => Range): Estimate {
  return ({ args }) => {
    if (args.length !== 1) return undefined;
    const size = sizeOf(args[0]!);
    return { cost: scale(size, traversalFactor), resultSize: resultSize(size) };
  };
}

const readingPart: Estimate = ({ args }) => args.length === 1 ? { cost: scale(sizeOf(args[0]!), traversalFactor) } : undefined;

const comparing: Estimate = ({ args: [left, right] }) => {
  const a = sizeOf(left!).max, b = sizeOf(right!).max, max = a < b ? a : b; // operators have two operands
  return { cost: scale({ min: max > 0n ? 1n : 0n, max }, traversalFactor) };
};

const joining: Estimate = ({ args }) => {
  if (args.length !== 2) return undefined;
  const resultSize = plus(sizeOf(args[0]!), sizeOf(args[1]!));
  return { cost: scale(resultSize, traversalFactor), resultSize };
};

const wrapped = (bound: bigint): bigint => BigInt.asUintN(64, bound);

const estimates: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  // A character is up to four bytes.
  ["string_to_bytes", reading(({ min, max }) => ({ min, max: wrapped(max * 4n) }))],
  ["bytes_to_string", reading(({ min, max }) => ({ min: min / 4n, max }))],
  ["starts_with_string", readingPart],
  ["ends_with_string", readingPart],
  ["in_list", ({ args }) => args.length === 2 ? { cost: scale(sizeOf(args[1]!), 1) } : undefined],
  ["matches_string", ({ target, args }) => {
    if (target === undefined || args.length !== 1) return undefined;
    const text = scale(plus(sizeOf(target), one), traversalFactor);
    return { cost: times(text, scale(sizeOf(args[0]!), patternFactor)) };
  }],
  ["contains_string", ({ target, args }) => {
    if (target === undefined || args.length !== 1) return undefined;
    return { cost: times(scale(sizeOf(target), traversalFactor), scale(sizeOf(args[0]!), traversalFactor)) };
  }],
  ["add_string", joining],
  ["add_bytes", joining],
  ["add_list", ({ args }) => args.length === 2 ? { cost: one, resultSize: plus(sizeOf(args[0]!), sizeOf(args[1]!)) } : undefined],
  ...["less", "less_equals", "greater", "greater_equals"].flatMap((prefix): [string, Estimate][] => [
    [`${prefix}_string`, comparing],
    [`${prefix}_bytes`, comparing],
  ]),
  ["equals", comparing],
  ["not_equals", comparing],
]);

/** Estimates a standard function. A function that is not in the table costs one unit. */
export function estimateStandard(call: EstimatedCall): CallEstimate {
  return estimates.get(call.overload)?.(call) ?? { cost: one };
}
