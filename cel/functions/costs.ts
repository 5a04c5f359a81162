/** Costs that several libraries share: fixed units, and units by the length of the strings that a function reads. */
import { exactly, scaled, traversalFactor } from "../cost/range.ts";
import type { CallEstimate, EstimatedCall, Estimator, FunctionDeclaration, Overload } from "../declarations.ts";
import { costSize } from "../value/size.ts";
import type { Value } from "../values.ts";

/** Cost at run time and estimate of a function. */
export type Costs = Pick<FunctionDeclaration, "cost" | "estimate">;

/** A function declaration. */
export function declare(name: string, costs: Costs, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads, ...costs };
}

/** Size of an argument, 1 for errors. */
export function sizeOf(value: Value | undefined): number {
  return value === undefined ? 1 : costSize(value);
}

/** The costs of a function whose calls all cost the same number of units. */
export function fixed(units: number): Costs {
  const estimate: CallEstimate = { cost: exactly(BigInt(units)) };
  return { cost: () => units, estimate: () => estimate };
}

/** The receiver is read so many times, at the cost of the estimated size of the result being the receiver's. */
export function readingReceiver(passes: number): Costs {
  return {
    cost: (_, args) => Math.ceil(sizeOf(args[0]) * passes * traversalFactor),
    estimate: ({ target }, estimator) => {
      if (target === undefined) return undefined;
      const resultSize = estimator.sizeOf(target);
      return { cost: scaled(resultSize, passes * traversalFactor), resultSize };
    },
  };
}

/** The costs of a function that reads its first argument this many times. */
export function reading(passes: number): Costs {
  return {
    cost: (_, args) => Math.ceil(sizeOf(args[0]) * passes * traversalFactor),
    estimate: ({ args }: EstimatedCall, estimator: Estimator) =>
      args[0] === undefined ? undefined : { cost: scaled(estimator.sizeOf(args[0]), passes * traversalFactor) },
  };
}
