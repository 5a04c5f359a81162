/** The work of the expressions of policies and webhooks for one request. */
import { tooLargeError } from "../status-error.ts";
import { nextTurn, Turns } from "../turns.ts";
import { bound } from "../bound.ts";

/** Milliseconds of expressions of policies and webhooks for one request after which other requests get a turn of the event loop. */
export const expressionTurnMs = bound(5);
/** Cost units of the expressions of all policies, and of the match conditions of all webhooks, for one request. */
const celRequestCostMax = bound(40_000_000);

/** Requests with long work take turns. */
const turns = new Turns(expressionTurnMs);
const shared: {
  /** Requests that wait for their turn. */
  waiting: number;
  /** Start of the expressions of all requests in this turn of the event loop (performance.now()); undefined before the first. */
  since: number | undefined;
} = { waiting: 0, since: undefined };

/** Milliseconds of expressions in this turn of the event loop. */
function spentMs(): number {
  if (shared.since === undefined) begin();
  return performance.now() - shared.since!; // set by begin()
}
function begin(): void {
  shared.since = performance.now();
  setImmediate(() => shared.since = undefined);
}

/**
 * One budget over all policies, and over the match conditions of all webhooks; each has a budget of its own too, to which its failure policy
 * applies. Above this one the request is rejected: expensive policies must not switch off the others.
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
   * Call it before each expression. Resolves in a later turn of the event loop if the expressions in this one, of all requests, take long; undefined if
   * the work can go on. Where other requests wait, a request begins behind them.
   */
  pause(): Promise<void> | undefined {
    const isBehind = !this.#hasBegun && shared.waiting > 0;
    this.#hasBegun = true;
    return isBehind || spentMs() >= expressionTurnMs ? this.#pause() : undefined;
  }
  /** I/O first: the turn of a caller that is alone begins without it. */
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
