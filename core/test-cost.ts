/** A check on the cost of work, for tests. */
import assert from "node:assert/strict";

/** Far more than linear work on a few megabytes takes on a busy machine. */
const generousMs = 10_000;

/** Does the work. Fails when it takes many times what linear work takes: inputs must be so large that worse takes minutes. */
export function assertCheap<T>(what: string, work: () => T): T {
  const start = performance.now();
  const result = work();
  const took = performance.now() - start;
  assert.ok(took < generousMs, `${what} took ${Math.round(took)} ms`);
  return result;
}
