/** Measures and bounds the work of the expressions of policies and webhooks for one request. */
import { tooLargeError } from "../status-error.ts";
import { nextTurn, Turns } from "../turns.ts";
import { bound } from "../bound.ts";

/** Milliseconds that expressions of policies and webhooks may take for one request before other requests get a turn of the event loop. */
export const expressionTurnMs = bound(5);
/** Maximum cost, in units of CEL, of the expressions of all policies and the match conditions of all webhooks for one request. */
const celRequestCostMax = bound(40_000_000);

/** The turns of requests with long work. */
const turns = new Turns(expressionTurnMs);
const shared: {
  /** Number of requests that wait for their turn. */
  waiting: number;
  /** Time at which the expressions of all requests began in this turn of the event loop (performance.now()); undefined before the first. */
  since: number | undefined;
} = { waiting: 0, since: undefined };

/** Returns the milliseconds that expressions have taken in this turn of the event loop. */
function spentMs(): number {
  if (shared.since === undefined) begin();
  return performance.now() - shared.since!; // set by begin()
}
function begin(): void {
  shared.since = performance.now();
  setImmediate(() => shared.since = undefined);
}

/**
 * One budget for all policies and the match conditions of all webhooks. Each of them also has its own budget, to which its failure policy
 * applies. If this common budget is exceeded, the request is rejected: expensive policies must not switch off the others.
 */
export class ExpressionWork {
  #spent = 0;
  #hasBegun = false;

  /** Charges the cost units of an expression. Throws 413 above the bound. */
  spend(cost: number): void {
    this.#spent += cost;
    if (this.#spent <= celRequestCostMax) return;
    throw tooLargeError(
      `the expressions of the policies and webhooks for this request cost more than ${celRequestCostMax} units together`,
    );
  }
  /**
   * Call it before each expression. Returns undefined if the work can go on. If the expressions of all requests have taken long in this
   * turn of the event loop, it resolves in a later turn, after the requests that already wait.
   */
  pause(): Promise<void> | undefined {
    const isBehind = !this.#hasBegun && shared.waiting > 0;
    this.#hasBegun = true;
    return isBehind || spentMs() >= expressionTurnMs ? this.#pause() : undefined;
  }
  /** I/O runs first: if no other caller waits, a turn would otherwise begin without it. */
  async #pause(): Promise<void> {
    shared.waiting++;
    try {
      await nextTurn();
      await turns.next();
    } finally {
      shared.waiting--;
    }
    begin();
  }
}
