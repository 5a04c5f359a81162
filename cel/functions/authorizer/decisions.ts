/**
 * Decisions of an authorizer for expressions. Evaluation is synchronous and authorizers are not, so an evaluation looks decisions up in a table. A
 * check without a decision there is an error of that evaluation; it is decided, and the expression is evaluated again.
 */
import type { AuthorizationAttributes, AuthorizationDecision } from "../../../core/access.ts";
import type { Caller } from "../../../core/user-info.ts";
import { valueText } from "../../../core/value-text.ts";

/** A check that an expression makes: whether a user may do something. */
export interface AccessCheck {
  readonly user: Caller;
  readonly attributes: AuthorizationAttributes;
  /** Why a selector could not be parsed. Its requirements are then not in the attributes. */
  readonly fieldSelectorError?: string;
  readonly labelSelectorError?: string;
}

/** Answers checks while an expression runs. */
export interface AccessPort {
  /** Returns the decision; undefined if it is not known yet. */
  decide(check: AccessCheck): AuthorizationDecision | undefined;
}

/** A table of decisions. Use one for all expressions of a request, so that equal checks are decided once. */
export class DecisionTable implements AccessPort {
  readonly #known = new Map<string, AuthorizationDecision>();
  /** The first check of the last evaluation that was not in the table. */
  #missing: AccessCheck | undefined;

  decide(check: AccessCheck): AuthorizationDecision | undefined {
    const known = this.#known.get(keyOf(check));
    if (known === undefined) this.#missing ??= check;
    return known;
  }

  /**
   * Evaluates until the table has all decisions that the evaluation needs. Checks after the first missing one are not decided yet, because
   * with the decision the expression may not need them. The cost of a check allows at most two in an evaluation. Only one evaluation at a
   * time may use a table.
   */
  async evaluate<T>(run: () => T | Promise<T>, authorize: (check: AccessCheck) => Promise<AuthorizationDecision>): Promise<T> {
    for (;;) {
      this.#missing = undefined;
      const result = await run();
      // `decide` has set this while `run` was running.
      const missing = this.#missing as AccessCheck | undefined;
      if (missing === undefined) return result;
      this.#known.set(keyOf(missing), await authorize(missing));
    }
  }
}

function keyOf(check: AccessCheck): string {
  return valueText(check);
}
