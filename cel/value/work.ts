/**
 * The meter of one evaluation: a bound of its work and memory beside its cost, because cost units are not charged for everything that takes
 * time. Evaluation is synchronous, so the meter of the evaluation that runs is in one place.
 */

import { spendSteps, stepsLeft } from "../../core/budget.ts";

/** Thrown when an evaluation exceeds its bound. Only `runMetered` catches it. */
class Exceeded {}

const exceeded = new Exceeded();

/** The keys or the length of a large value, which an evaluation has determined once. */
type Measured = readonly string[] | number;
type Memory = Map<object | string, Measured>;

/** `left`: steps of the evaluation that runs. `total`: steps of all evaluations of a `runMeteredTogether`. */
const running: { left: number; total: number; memory: Memory | undefined } = { left: Infinity, total: Infinity, memory: undefined };

/**
 * Charges steps to the evaluation that runs. A step is the work of some tens of nanoseconds: an element that is visited, about ten characters
 * that are compared, one character that is made. A function that makes a large value charges it before.
 */
export function spend(steps: number): void {
  running.left -= steps;
  if (running.left < 0) throw exceeded;
}

/** Measures a large value once in an evaluation. Outside of one, it is measured each time. */
export function measureOnce<T extends Measured>(value: object | string, measure: () => T): T {
  if (running.left === Infinity) return measure();
  const memory = running.memory ??= new Map();
  const known = memory.get(value);
  if (known !== undefined) return known as T; // each value is measured by one function
  const result = measure();
  memory.set(value, result);
  return result;
}

/**
 * Runs an evaluation with its own bound of steps, and charges the budget in force with them. Undefined if it exceeded its bound, or the depth
 * of the stack or the length of a string. Throws what the budget throws if that is exceeded.
 */
export function runMetered<T>(steps: number, run: () => T): T | undefined {
  const { left, memory } = running, allowed = Math.min(steps, running.total, stepsLeft());
  running.left = allowed;
  running.memory = undefined;
  try {
    return run();
  } catch (error) {
    if (error === exceeded || error instanceof RangeError) return undefined;
    throw error;
  } finally {
    const used = allowed - running.left;
    running.total -= used;
    running.left = left;
    running.memory = memory;
    if (used < Infinity) spendSteps(used);
  }
}

/** Works like `runMetered` for a function with many evaluations, which together may take `steps`. */
export function runMeteredTogether<T>(steps: number, run: () => T): T | undefined {
  const { total } = running;
  running.total = steps;
  try {
    return runMetered(steps, run);
  } finally {
    running.total = total;
  }
}
