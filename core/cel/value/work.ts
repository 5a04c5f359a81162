/**
 * The meter of one evaluation: a bound of its work and memory beside its cost, because cost units are not charged for everything that takes
 * time. Evaluation is synchronous, so the meter of the evaluation that runs is in one place.
 */

/** Thrown when an evaluation exceeds its bound. Only `metered` catches it. */
class Exceeded {}

const exceeded = new Exceeded();
const running = { left: Infinity };

/**
 * Charges steps to the evaluation that runs: elements that are visited, and characters and bytes that are read or made. A function that makes a
 * large value charges it before.
 */
export function spend(steps: number): void {
  running.left -= steps;
  if (running.left < 0) throw exceeded;
}

/** Steps that the evaluation that runs may still spend. */
export function stepsLeft(): number {
  return running.left;
}

/** Runs an evaluation with its own bound of steps. Undefined if it exceeded it. */
export function metered<T>(steps: number, run: () => T): T | undefined {
  const outer = running.left;
  running.left = steps;
  try {
    return run();
  } catch (error) {
    if (error === exceeded) return undefined;
    throw error;
  } finally {
    running.left = outer;
  }
}
