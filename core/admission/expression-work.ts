/** The work of the expressions of policies and webhooks for one request. */
import { limits } from "../limits.ts";
import { tooLargeError } from "../status-error.ts";
import { nextTurn, Turns } from "../turns.ts";

/** Requests with long work take turns. */
const turns = new Turns(limits.expressionTurnMs);

/**
 * One budget over all policies, and over the match conditions of all webhooks; each has a budget of its own too, to which its failure policy
 * applies. Above this one the request is rejected: expensive policies must not switch off the others.
 */
export class ExpressionWork {
  #spent = 0;
  /** Start of the work in this turn of the event loop (performance.now()). */
  #since = performance.now();

  /** Charges the cost units of an expression. Throws 413 above the bound. */
  spend(cost: number): void {
    this.#spent += cost;
    if (this.#spent <= limits.celRequestCostMax) return;
    throw tooLargeError(
      `the expressions of the policies and webhooks for this request cost more than ${limits.celRequestCostMax} units together`,
    );
  }
  /** Call it between two expressions. Resolves in a later turn of the event loop if this one is long; undefined if the work can go on. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < limits.expressionTurnMs) return undefined;
    return this.#pause();
  }
  /** I/O first: the turn of a caller that is alone begins without it. */
  async #pause(): Promise<void> {
    await nextTurn();
    await turns.next();
    this.#since = performance.now();
  }
}
