/** Expressions without the parser, for tests. Calls name their overload as the checker would. */
import type { Call, ConstantValue, Expr } from "../ast.ts";
import type { CheckedAst, Environment, Reference } from "../declarations.ts";
import { environment } from "../environment.ts";
import { dynType } from "../types.ts";
import type { Value } from "../values.ts";
import { type Evaluation, programOf } from "./program.ts";

const ids = { next: 1 };
const overloads = new Map<number, string>();

function id(): number {
  return ids.next++;
}

export function constant(value: ConstantValue): Expr {
  return { tag: "constant", id: id(), value };
}
export function name(name: string): Expr {
  return { tag: "identifier", id: id(), name };
}
export function select(operand: Expr, field: string, testOnly = false): Expr {
  return { tag: "select", id: id(), operand, field, testOnly };
}
/** Returns a call; an empty overload is one that is chosen while the expression runs. */
export function call(name: string, overload: string, ...args: readonly Expr[]): Call {
  const expr: Call = { tag: "call", id: id(), target: undefined, function: name, args };
  if (overload !== "") overloads.set(expr.id, overload);
  return expr;
}
export function list(...elements: readonly Expr[]): Expr {
  return { tag: "list", id: id(), elements, optional: [] };
}
/** Returns the expression `range.map(x, value)`. */
export function mapping(range: Expr, variable: string, value: Expr): Expr {
  return {
    tag: "comprehension",
    id: id(),
    range,
    variable,
    variable2: undefined,
    accumulator: "@result",
    initial: list(),
    condition: constant(true),
    step: call("_+_", "add_list", name("@result"), list(value)),
    result: name("@result"),
  };
}
/** Returns the expression `range.all(x, predicate)`. */
export function all(range: Expr, variable: string, predicate: Expr): Expr {
  return {
    tag: "comprehension",
    id: id(),
    range,
    variable,
    variable2: undefined,
    accumulator: "@result",
    initial: constant(true),
    condition: call("@not_strictly_false", "not_strictly_false", name("@result")),
    step: call("_&&_", "logical_and", name("@result"), predicate),
    result: name("@result"),
  };
}

export function checked(expr: Expr): CheckedAst {
  const references = new Map<number, Reference>();
  for (const [id, overload] of overloads) references.set(id, { tag: "function", overloads: [overload] });
  return {
    expr,
    source: "",
    positions: new Map(),
    macroCalls: new Map(),
    types: new Map(),
    references,
    outputType: dynType,
  };
}

/** Evaluates an expression. */
export function evaluated(
  expr: Expr,
  variables: Readonly<Record<string, Value>> = {},
  costMax?: number,
  within: Environment = environment(),
): Evaluation {
  const program = programOf(checked(expr), within);
  if (typeof program === "string") throw new Error(program);
  return program.evaluate((name) => Object.hasOwn(variables, name) ? variables[name] : undefined, costMax);
}
