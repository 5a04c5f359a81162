/** Costs that several libraries share: fixed units, and units by the length of the strings that a function reads. */
import { exactly, scaled, traversalFactor } from "../cost/range.ts";
import type { CallEstimate, EstimatedCall, Estimator, FunctionDeclaration, Operand, Overload } from "../declarations.ts";
import { ListValue, MapValue, OpaqueValue, type Value } from "../values.ts";

/** Cost at run time and estimate of a function. */
export type Costs = Pick<FunctionDeclaration, "cost" | "estimate">;

/** A function declaration. */
export function declare(name: string, costs: Costs, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads, ...costs };
}

/** Size of a value for costs: characters, bytes, elements or entries; 1 for values without a size, such as numbers and errors. */
export function sizeOf(value: Value | undefined): number {
  if (typeof value === "string") return characterCount(value);
  if (value instanceof Uint8Array) return value.length;
  return value instanceof ListValue || value instanceof MapValue || value instanceof OpaqueValue ? value.size : 1;
}

/** Number of code points. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if (isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))) {
      count--;
      at++;
    }
  }
  return count;
}
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Units for reading so many characters once. */
export function traversal(size: number): number {
  return Math.ceil(size * traversalFactor);
}

/** The same units for each call. */
export function fixed(units: number): Costs {
  const estimate: CallEstimate = { cost: exactly(BigInt(units)) };
  return { cost: () => units, estimate: () => estimate };
}

/** The first argument of a call, or the receiver of a member function. */
export function firstOperand(call: EstimatedCall): Operand | undefined {
  return call.target ?? call.args[0];
}

/** The first argument is read so many times. */
export function reading(passes: number): Costs {
  return {
    cost: (_, args) => Math.ceil(sizeOf(args[0]) * passes * traversalFactor),
    estimate: ({ args }: EstimatedCall, estimator: Estimator) =>
      args[0] === undefined ? undefined : { cost: scaled(estimator.sizeOf(args[0]), passes * traversalFactor) },
  };
}
