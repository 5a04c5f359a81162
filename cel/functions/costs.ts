/** Costs that several libraries share: fixed ones, and those that grow with the length of the strings that a function reads. */
import { exactly, scale, traversalFactor } from "../cost/range.ts";
import type { CallEstimate, EstimatedCall, Estimator, FunctionDeclaration, Overload } from "../declarations.ts";
import { costSize } from "../value/size.ts";
import type { Value } from "../values.ts";

/** The cost of a function at run time, and its estimate. */
export type Costs = Pick<FunctionDeclaration, "cost" | "estimate">;

/** Makes a function declaration. */
export function declare(name: string, costs: Costs, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads, ...costs };
}

/** Returns the size of an argument; 1 for an error. */
export function sizeOf(value: Value | undefined): number {
  return value === undefined ? 1 : costSize(value);
}

/** Returns the costs of a function whose calls all cost the same number of units. */
export function fixed(units: number): Costs {
  const estimate: CallEstimate = { cost: exactly(BigInt(units)) };
  return { cost: () => units, estimate: () => estimate };
}

/** Returns the costs of a function that reads its receiver this many times. The estimated size of its result is that of the receiver. */
export function readingReceiver(passes: number): Costs {
  return {
    cost: (_, args) => Math.ceil(sizeOf(args[0]) * passes * traversalFactor),
    estimate: ({ target }, estimator) => {
      if (target === undefined) return undefined;
      const resultSize = estimator.sizeOf(target);
      return { cost: scale(resultSize, passes * traversalFactor), resultSize };
    },
  };
}

/** Returns the costs of a function that reads its first argument this many times. */
export function reading(passes: number): Costs {
  return {
    cost: (_, args) => Math.ceil(sizeOf(args[0]) * passes * traversalFactor),
    estimate: ({ args }: EstimatedCall, estimator: Estimator) =>
      args[0] === undefined ? undefined : { cost: scale(estimator.sizeOf(args[0]), passes * traversalFactor) },
  };
}
