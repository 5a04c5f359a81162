/** Programs: compiled expressions with their limits. */
import type { CheckedAst, Environment } from "../declarations.ts";
import { runMetered } from "../value/work.ts";
import { CelError, type Value } from "../values.ts";
import { Aborted, CostExceeded, Frame, type Run, type Variables } from "./frame.ts";
import { type Plan, planOf } from "./plan.ts";
import { Unplannable } from "./step.ts";
import { bound } from "../../core/bound.ts";

/** Maximum cost units of one evaluation of a CEL expression (upstream's limit for a call). */
const celCallCostMax = bound(1_000_000);
/**
 * Maximum number of steps of one evaluation of a CEL expression, in addition to the bound of its cost. A step takes some tens of
 * nanoseconds, such as visiting an element. This bounds work that is cheap in cost units, such as comparing large lists in a loop.
 */
export const celCallStepsMax = bound(20_000_000);

/** The result of one evaluation. */
export interface Evaluation {
  /** The value, or a `CelError`. */
  readonly value: Value;
  /** Units that were spent. */
  readonly cost: number;
  /**
   * Why the evaluation was stopped: it has exceeded its cost limit (`cost`) or a bound of work or memory (`work`). Absent if it has ended
   * by itself.
   */
  readonly stopped?: "cost" | "work";
}

/** A compiled expression. It has no state: it can be evaluated any number of times, also within another evaluation. */
export interface Program {
  readonly ast: CheckedAst;
  /** Evaluates the expression. `costMax` is the limit of this call in units. Default: `celCallCostMax`. */
  evaluate(variables: Variables, costMax?: number): Evaluation;
}

const tooCostly = new CelError("operation cancelled: actual cost limit exceeded");
const tooMuchWork = new CelError("operation interrupted");

/** Makes the program of a checked expression; returns a text if it cannot be compiled. */
export function programOf(ast: CheckedAst, environment: Environment): Program | string {
  const plan = planAst(ast, environment);
  if (typeof plan === "string") return plan;
  return { ast, evaluate: (variables, costMax = celCallCostMax) => evaluate(plan, variables, costMax) };
}

function planAst(ast: CheckedAst, environment: Environment): Plan | string {
  try {
    return runMetered(celCallStepsMax, () => planOf(ast, environment)) ?? tooMuchWork.message;
  } catch (error) {
    if (error instanceof Unplannable) return error.message;
    throw error;
  }
}

function evaluate({ run, slots }: Plan, variables: Variables, costMax: number): Evaluation {
  const frame = new Frame(variables, costMax, slots);
  const value = runMetered(celCallStepsMax, () => runToEnd(run, frame));
  if (value === undefined) return { value: tooMuchWork, cost: frame.cost, stopped: "work" };
  return value === tooCostly ? { value, cost: frame.cost, stopped: "cost" } : { value, cost: frame.cost };
}

function runToEnd(run: Run, frame: Frame): Value {
  try {
    return run(frame);
  } catch (error) {
    if (error instanceof CostExceeded) return tooCostly;
    if (error instanceof Aborted) return new CelError(error.message);
    throw error;
  }
}
