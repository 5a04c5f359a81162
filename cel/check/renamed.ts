/** Gives the calls of an expression the full names of their functions. */
import type { Expr } from "../ast.ts";

/**
 * Returns the expression with renamed calls, or the same value if there are none. A renamed call has no receiver, because the receiver was
 * part of the name.
 */
export function renameCalls(expr: Expr, names: ReadonlyMap<number, string>): Expr {
  return names.size === 0 ? expr : renameIn(expr, names);
}

function renameIn(expr: Expr, names: ReadonlyMap<number, string>): Expr {
  const go = (each: Expr) => renameIn(each, names);
  switch (expr.tag) {
    case "constant":
    case "identifier":
      return expr;
    case "select":
      return { ...expr, operand: go(expr.operand) };
    case "call": {
      const name = names.get(expr.id), args = expr.args.map(go);
      if (name !== undefined) return { ...expr, target: undefined, function: name, args };
      return { ...expr, target: expr.target && go(expr.target), args };
    }
    case "list":
      return { ...expr, elements: expr.elements.map(go) };
    case "map":
      return { ...expr, entries: expr.entries.map((entry) => ({ ...entry, key: go(entry.key), value: go(entry.value) })) };
    case "struct":
      return { ...expr, entries: expr.entries.map((entry) => ({ ...entry, value: go(entry.value) })) };
    case "comprehension":
      return {
        ...expr,
        range: go(expr.range),
        initial: go(expr.initial),
        condition: go(expr.condition),
        step: go(expr.step),
        result: go(expr.result),
      };
  }
}
