/**
 * Compiles `&&`, `||`, the conditional, `or` and `orValue`. They evaluate only the operands that they need, and cost nothing themselves.
 */
import { CelError, OptionalValue, type Value } from "../values.ts";
import type { Chain } from "./chain.ts";
import { runOfChain } from "./chain.ts";
import type { Run } from "./frame.ts";
import { noOverload, type Step } from "./step.ts";

/** Compiles `&&` if `decisive` is false, `||` if it is true. An error counts only if no operand decides the result. */
export function connective(operands: readonly Step[], decisive: boolean): Step {
  const runs = operands.map(({ run }) => run);
  const [left, right] = runs;
  if (runs.length === 2 && left !== undefined && right !== undefined) return { run: binary(left, right, decisive) };
  return {
    run: (frame) => {
      let failed: CelError | undefined;
      for (const run of runs) {
        const value = run(frame);
        if (value === decisive) return value;
        if (typeof value !== "boolean") failed ??= errorOf(value);
      }
      return failed ?? !decisive;
    },
  };
}

function binary(left: Run, right: Run, decisive: boolean): Run {
  return (frame) => {
    const first = left(frame);
    if (first === decisive) return decisive;
    const second = right(frame);
    if (second === decisive) return decisive;
    if (typeof first !== "boolean") return errorOf(first);
    return typeof second === "boolean" ? second : errorOf(second);
  };
}

function errorOf(value: Value): CelError {
  return value instanceof CelError ? value : noOverload;
}

/** Compiles `condition ? then : otherwise`. Selectors after it extend its branches. */
export function conditional(condition: Step, then: Step, otherwise: Step): Step {
  const chain: Chain = {
    source: { tag: "conditional", condition: condition.run, then: chainOf(then), otherwise: chainOf(otherwise) },
    selectors: [],
  };
  return { run: runOfChain(chain), chain };
}

/** Returns a step as the start of a chain. */
export function chainOf({ run, chain }: Step): Chain {
  return chain ?? { source: { tag: "value", run }, selectors: [] };
}

/** Compiles `first.or(second)` of two optionals. */
export function optionalOr(first: Run, second: Run): Step {
  return {
    run: (frame) => {
      const value = first(frame);
      return value instanceof OptionalValue && value.value === undefined ? second(frame) : value;
    },
  };
}

/** Compiles `first.orValue(second)` of an optional and a value. */
export function optionalOrValue(first: Run, second: Run): Step {
  return {
    run: (frame) => {
      const value = first(frame);
      if (!(value instanceof OptionalValue)) return value;
      return value.value === undefined ? second(frame) : value.value;
    },
  };
}
