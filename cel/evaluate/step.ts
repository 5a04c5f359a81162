/** Defines compiled nodes, and what the compilation of one node needs from others. */
import type { Expr } from "../ast.ts";
import type { CheckedAst, Environment } from "../declarations.ts";
import { CelError, type Value } from "../values.ts";
import type { Chain } from "./chain.ts";
import type { Run } from "./frame.ts";

/** A node of an expression in compiled form. */
export interface Step {
  readonly run: Run;
  /** The value of the node, if it is known before the expression runs. */
  readonly constant?: Value;
  /** The node as a chain, if it is a variable with selectors or a conditional. Further selectors extend it. */
  readonly chain?: Chain;
}

/** The variables of the comprehensions around a node, the innermost first. */
export type Scope = { readonly locals: ReadonlyMap<string, Run>; readonly outer: Scope } | undefined;

/** The state of the compilation of one expression. */
export interface Planning {
  readonly ast: CheckedAst;
  readonly environment: Environment;
  plan(expr: Expr, scope: Scope): Step;
  /** Reserves a slot for a variable of a comprehension. */
  slot(): number;
}

/** Thrown during compilation for an expression that is correct but cannot be compiled, such as `int('x')`. Only `program.ts` catches it. */
export class Unplannable {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export const noOverload: CelError = new CelError("no such overload");

/** Makes a node whose value is known. Constants cost nothing. */
export function constant(value: Value): Step {
  return { run: () => value, constant: value };
}
