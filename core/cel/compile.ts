/** Text and environment to a program, and its evaluation. */
import type { Issue } from "./ast.ts";
import type { CheckedAst, Environment } from "./declarations.ts";
import type { Value } from "./values.ts";

/** Values of variables by name; undefined if a variable has no value. */
export type Variables = (name: string) => Value | undefined;

/** The outcome of one evaluation. */
export interface Evaluation {
  /** The result, or a `CelError`. */
  readonly value: Value;
  /** Units that were spent. */
  readonly cost: number;
  /** The evaluation was stopped, because it exceeded its cost limit (`cost`) or a bound of work or memory (`work`). */
  readonly stopped?: "cost" | "work";
}

/** A compiled expression. It has no state: it can be evaluated any number of times, also within another evaluation. */
export interface Program {
  readonly ast: CheckedAst;
  /** Evaluates it. `costMax` is the limit of this call in units. Default: `limits.celCallCostMax`. */
  evaluate(variables: Variables, costMax?: number): Evaluation;
}

/** The result of a compilation. */
export type Compiled =
  | { readonly tag: "program"; readonly program: Program }
  | { readonly tag: "issues"; readonly issues: readonly Issue[] };

/** Compiles an expression. */
export function compile(_text: string, _environment: Environment): Compiled {
  return { tag: "issues", issues: [{ message: "the parser is missing", position: -1 }] };
}
