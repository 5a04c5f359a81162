/** A check of the cost of work, for tests. */
import assert from "node:assert/strict";

/** Far above the time of linear work on a few megabytes on a busy machine. */
const generousMs = 10_000;

/** Runs the work. Fails if it takes many times the time of linear work. Inputs must be so large that quadratic work takes minutes. */
export function assertCheap<T>(what: string, work: () => T): T {
  const start = performance.now();
  const result = work();
  const took = performance.now() - start;
  assert.ok(took < generousMs, `${what} took ${Math.round(took)} ms`);
  return result;
}
