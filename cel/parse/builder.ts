/** Makes nodes with ids and positions, and expands macros. */
import type { Call, Constant, ConstantValue, Expr, Issue } from "../ast.ts";
import type { Macro, MacroContext } from "../declarations.ts";
import { bound } from "../../core/bound.ts";

/** Nodes of a CEL expression with its macros expanded: macros of optionals copy their argument, so that a chain of them doubles it. */
export const celNodesMax = bound(200_000);

/** Name of the variable that comprehensions fold into. It cannot be written in an expression. */
export const accumulatorName = "@result";

export interface Builder {
  readonly issues: Issue[];
  readonly positions: Map<number, number>;
  readonly macroCalls: Map<number, Expr>;
  /** A new id, at a position. */
  id(position: number): number;
  constant(position: number, value: ConstantValue): Constant;
  /** Reports a mistake, and returns an expression to go on with. */
  fail(position: number, message: string): Expr;
  /** The call, or what its macro expands to. */
  call(id: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr;
  /** A balanced tree of `&&` or `||`. */
  logic(name: string, terms: readonly Expr[], ids: readonly number[]): Expr;
}

/** @param tooLarge Ends the parser: macros that copy their arguments made more nodes than an expression may have. */
export function builder(macros: readonly Macro[], tooLarge: () => never): Builder {
  const issues: Issue[] = [];
  const positions = new Map<number, number>();
  const macroCalls = new Map<number, Expr>();
  const byName = new Map<string, Macro[]>();
  for (const macro of macros) byName.set(macro.name, [macro, ...byName.get(macro.name) ?? []]);
  let last = 0;

  const id = (position: number) => {
    if (last === celNodesMax) tooLarge();
    positions.set(++last, position);
    return last;
  };
  const fail = (position: number, message: string): Expr => {
    issues.push({ position, message });
    return { tag: "constant", id: id(position), value: null };
  };

  function expanded(call: Call): Expr | undefined {
    const named = byName.get(call.function);
    if (named === undefined) return undefined;
    const fits = named.filter(({ member }) => member === (call.target !== undefined));
    const macro = fits.find(({ args }) => args === call.args.length) ?? fits.find(({ args }) => args === undefined);
    if (macro === undefined) return undefined;
    const position = positions.get(call.id) ?? -1;
    let failed: Expr | undefined;
    const context: MacroContext = {
      accumulator: accumulatorName,
      nextId: () => id(position),
      fail(at, message) {
        failed = fail(positions.get(at.id) ?? position, message);
        return undefined;
      },
      position: (of) => positions.get(of) ?? position,
      idAt: id,
    };
    const expr = macro.expand(context, call);
    if (expr !== undefined && failed === undefined) macroCalls.set(expr.id, call);
    return failed ?? expr;
  }

  return {
    issues,
    positions,
    macroCalls,
    id,
    fail,
    constant: (position, value) => ({ tag: "constant", id: id(position), value }),
    call(callId, name, target, args) {
      const call: Call = { tag: "call", id: callId, target, function: name, args };
      return expanded(call) ?? call;
    },
    logic(name, terms, ids) {
      const tree = (low: number, high: number): Expr => {
        const middle = (low + high + 1) >> 1;
        const left = middle === low ? terms[middle]! : tree(low, middle - 1);
        const right = middle === high ? terms[middle + 1]! : tree(middle + 1, high);
        return { tag: "call", id: ids[middle]!, target: undefined, function: name, args: [left, right] };
      };
      return terms.length === 1 ? terms[0]! : tree(0, ids.length - 1);
    },
  };
}
