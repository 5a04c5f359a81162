/** Makes nodes with ids and positions, and expands macros. */
import type { Call, Constant, ConstantValue, Expr, Issue } from "../ast.ts";
import type { Macro, MacroContext } from "../declarations.ts";
import { bound } from "../../core/bound.ts";

/** Nodes of a CEL expression with its macros expanded: macros of optionals copy their argument, so that a chain of them doubles it. */
export const celNodesMax = bound(200_000);

/** Name of the variable that comprehensions fold into. It cannot be written in an expression. */
export const accumulatorName = "@result";

/** Makes the nodes of one expression. */
export class Builder {
  readonly issues: Issue[] = [];
  readonly positions = new Map<number, number>();
  readonly macroCalls = new Map<number, Expr>();
  readonly #macros = new Map<string, Macro[]>();
  readonly #tooLarge: () => never;
  #last = 0;

  /** @param tooLarge Ends the parser: macros that copy their arguments made more nodes than an expression may have. */
  constructor(macros: readonly Macro[], tooLarge: () => never) {
    for (const macro of macros) this.#macros.set(macro.name, [macro, ...this.#macros.get(macro.name) ?? []]);
    this.#tooLarge = tooLarge;
  }

  /** A new id, at a position. */
  id(position: number): number {
    if (this.#last === celNodesMax) this.#tooLarge();
    this.positions.set(++this.#last, position);
    return this.#last;
  }

  constant(position: number, value: ConstantValue): Constant {
    return { tag: "constant", id: this.id(position), value };
  }

  /** Reports a mistake, and returns an expression to go on with. */
  fail(position: number, message: string): Expr {
    this.issues.push({ position, message });
    return this.constant(position, null);
  }

  /** The call, or what its macro expands to. */
  call(id: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const call: Call = { tag: "call", id, target, function: name, args };
    return this.#expanded(call) ?? call;
  }

  /** A balanced tree of `&&` or `||`. */
  logic(name: string, terms: readonly Expr[], ids: readonly number[]): Expr {
    const tree = (low: number, high: number): Expr => {
      const middle = (low + high + 1) >> 1;
      const left = middle === low ? terms[middle]! : tree(low, middle - 1);
      const right = middle === high ? terms[middle + 1]! : tree(middle + 1, high);
      return { tag: "call", id: ids[middle]!, target: undefined, function: name, args: [left, right] };
    };
    return terms.length === 1 ? terms[0]! : tree(0, ids.length - 1);
  }

  /** What the macro of a call expands to. Undefined if it is the call of a function. */
  #expanded(call: Call): Expr | undefined {
    const macro = this.#macroOf(call);
    if (macro === undefined) return undefined;
    const position = this.positions.get(call.id) ?? -1;
    let failed: Expr | undefined;
    const context: MacroContext = {
      accumulator: accumulatorName,
      nextId: () => this.id(position),
      fail: (at, message) => {
        failed = this.fail(this.positions.get(at.id) ?? position, message);
        return undefined;
      },
      position: (of) => this.positions.get(of) ?? position,
      idAt: (at) => this.id(at),
    };
    const expr = macro.expand(context, call);
    if (expr !== undefined && failed === undefined) this.macroCalls.set(expr.id, call);
    return failed ?? expr;
  }

  #macroOf(call: Call): Macro | undefined {
    const named = this.#macros.get(call.function);
    const fits = named?.filter(({ member }) => member === (call.target !== undefined));
    return fits?.find(({ args }) => args === call.args.length) ?? fits?.find(({ args }) => args === undefined);
  }
}
