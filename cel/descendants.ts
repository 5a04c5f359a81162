/** Visits all parts of an expression. */
import type { Expr } from "./ast.ts";

/** Yields the expression and its parts, each before its own parts, in the order in which they are written. */
export function* descendants(expr: Expr): Generator<Expr, void> {
  // The loop uses a stack and no recursion, because only the length of expressions bounds their nesting.
  const pending: Expr[] = [expr];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next;
    for (const part of partsOf(next).reverse()) pending.push(part);
  }
}

/** Returns the direct parts of an expression, as a new array. */
function partsOf(expr: Expr): Expr[] {
  switch (expr.tag) {
    case "constant":
    case "identifier":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? [...expr.args] : [expr.target, ...expr.args];
    case "list":
      return [...expr.elements];
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.entries.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.initial, expr.condition, expr.step, expr.result];
  }
}
