/**
 * The step budget of a request: one bound of all work whose amount is the size of a body times the size of something else, such as a schema,
 * a list of alternatives, a pattern, or the policies that apply. Steps are counted, not timed, so a bound holds on any machine.
 *
 *     const budget = new Budget(requestStepsMax, () => tooLargeError("..."));
 *     budget.run(() => validate(object)); // `spendSteps` inside of it charges this budget
 */

/** A bound of one part of a request's work: a total of the request's steps, and what is thrown above it. */
export interface Share {
  readonly stepsMax: number;
  readonly exceeded: () => unknown;
}

/** Thrown where a request goes on in another thread. It is no failure: what isolates failures, such as those of one policy, passes it on. */
export abstract class MovedWork {}

/** The steps of one request. */
export class Budget {
  readonly #whole: Share;
  #spent = 0;

  /** `exceeded` makes what is thrown when the request has spent more than `stepsMax`. */
  constructor(stepsMax: number, exceeded: () => unknown) {
    this.#whole = { stepsMax, exceeded };
  }

  /** Steps that the request has spent. */
  get spent(): number {
    return this.#spent;
  }

  /**
   * Runs synchronous work that charges this budget. Work within the work of another budget charges the inner one.
   *
   * @param share the bound while the work runs, if it is smaller than that of the request
   */
  run<T>(work: () => T, share: Share = this.#whole): T {
    const { budget, bound } = running;
    running.budget = this;
    running.bound = share.stepsMax < this.#whole.stepsMax ? share : this.#whole;
    try {
      return work();
    } finally {
      running.budget = budget;
      running.bound = bound;
    }
  }

  /** Charges steps; throws above the bound. Within `run`, `spendSteps` does it. */
  spend(steps: number, { stepsMax, exceeded }: Share = this.#whole): void {
    this.#spent += steps;
    if (this.#spent > stepsMax) throw exceeded();
  }
}

/** Work under a budget is synchronous, so that the budget in force is in one place, and validators need no parameter for it. */
const running: { budget: Budget | undefined; bound: Share } = {
  budget: undefined,
  bound: { stepsMax: Infinity, exceeded: () => new Error("no budget") },
};

/**
 * Charges the budget in force; no effect outside of one. A step is the work of about ten nanoseconds, of some tens at most: about ten
 * characters that are compared, one character that is made. A value that is compared with a schema, and an error, are some tens of steps.
 */
export function spendSteps(steps: number): void {
  running.budget?.spend(steps, running.bound);
}

/** Whether work of a request runs that has a budget. */
export function isBudgeted(): boolean {
  return running.budget !== undefined;
}

/** Steps that are left of the budget in force; `Infinity` outside of one. */
export function stepsLeft(): number {
  return running.budget === undefined ? Infinity : Math.max(0, running.bound.stepsMax - running.budget.spent);
}
