/** Nodes that macros put together. */
import { type Call, type Comprehension, type ConstantValue, type Expr, type Identifier, type ListLiteral, operators } from "../ast.ts";
import type { Macro, MacroContext } from "../declarations.ts";

/** Former name of the accumulator. It is still forbidden as a variable of a macro. */
const formerAccumulator = "__result__";
/** Variable of a comprehension that has no loop. */
const unusedVariable = "#unused";

export const constant = (context: MacroContext, value: ConstantValue): Expr => ({ tag: "constant", id: context.nextId(), value });
export const identifier = (context: MacroContext, name: string): Identifier => ({ tag: "identifier", id: context.nextId(), name });
export const accumulator = (context: MacroContext): Identifier => identifier(context, context.accumulator);
export function list(context: MacroContext, ...elements: readonly Expr[]): ListLiteral {
  return { tag: "list", id: context.nextId(), elements, optional: [] };
}
export function call(context: MacroContext, name: string, ...args: readonly Expr[]): Call {
  return { tag: "call", id: context.nextId(), target: undefined, function: name, args };
}
export function memberCall(context: MacroContext, name: string, target: Expr, ...args: readonly Expr[]): Call {
  return { tag: "call", id: context.nextId(), target, function: name, args };
}

/** Returns a comprehension that folds into the accumulator of macros. */
export function fold(
  context: MacroContext,
  range: Expr,
  variables: readonly [string] | readonly [string, string],
  parts: { readonly initial: Expr; readonly condition: Expr; readonly step: Expr; readonly result: Expr },
): Comprehension {
  const [variable, variable2] = variables;
  return { tag: "comprehension", id: context.nextId(), range, variable, variable2, accumulator: context.accumulator, ...parts };
}

/** Returns a comprehension without a loop: a variable with a value in an expression. */
export function binding(context: MacroContext, name: string, value: Expr, body: Expr): Comprehension {
  return {
    tag: "comprehension",
    id: context.nextId(),
    range: list(context),
    variable: unusedVariable,
    variable2: undefined,
    accumulator: name,
    initial: value,
    condition: constant(context, false),
    step: identifier(context, name),
    result: body,
  };
}

/** Returns an expression that is `step`, or the accumulator as it is if the filter is false. */
export function filtered(context: MacroContext, filter: Expr | undefined, step: Expr): Expr {
  return filter === undefined ? step : call(context, operators.conditional, filter, step, accumulator(context));
}

/** The parts of `all`, `exists` and `exists_one`. */
export const quantifiers = {
  all: (context: MacroContext, predicate: Expr) => ({
    initial: constant(context, true),
    condition: call(context, operators.notStrictlyFalse, accumulator(context)),
    step: call(context, operators.and, accumulator(context), predicate),
    result: accumulator(context),
  }),
  exists: (context: MacroContext, predicate: Expr) => ({
    initial: constant(context, false),
    condition: call(context, operators.notStrictlyFalse, call(context, operators.not, accumulator(context))),
    step: call(context, operators.or, accumulator(context), predicate),
    result: accumulator(context),
  }),
  existsOne: (context: MacroContext, predicate: Expr) => ({
    initial: constant(context, 0n),
    condition: constant(context, true),
    step: filtered(context, predicate, call(context, operators.add, accumulator(context), constant(context, 1n))),
    result: call(context, operators.equals, accumulator(context), constant(context, 1n)),
  }),
} as const;

/** Returns the parts of a comprehension that gathers a list. */
export function gather(context: MacroContext, filter: Expr | undefined, element: Expr) {
  return {
    initial: list(context),
    condition: constant(context, true),
    step: filtered(context, filter, call(context, operators.add, accumulator(context), list(context, element))),
    result: accumulator(context),
  };
}

/** Returns the name of a variable of a macro; undefined after a mistake was reported. */
export function nameOfVariable(context: MacroContext, argument: Expr, mistake: string): string | undefined {
  if (argument.tag !== "identifier") return context.fail(argument, mistake);
  return argument.name;
}
export function overwritesAccumulator(context: MacroContext, argument: Expr, name: string): boolean {
  if (name !== context.accumulator && name !== formerAccumulator) return false;
  context.fail(argument, "iteration variable overwrites accumulator variable");
  return true;
}

/** Returns a macro `target.name(...)`. */
export function memberMacro(
  name: string,
  args: number,
  expand: (context: MacroContext, target: Expr, args: readonly Expr[]) => Expr | undefined,
): Macro {
  return { name, member: true, args, expand: (context, { target, args }) => target && expand(context, target, args) };
}

/** Returns the expression with new ids. */
export function copy(context: MacroContext, expr: Expr): Expr {
  const id = context.idAt(context.position(expr.id));
  const again = (inner: Expr) => copy(context, inner);
  switch (expr.tag) {
    case "constant":
    case "identifier":
      return { ...expr, id };
    case "select":
      return { ...expr, id, operand: again(expr.operand) };
    case "call":
      return { ...expr, id, target: expr.target && again(expr.target), args: expr.args.map(again) };
    case "list":
      return { ...expr, id, elements: expr.elements.map(again) };
    case "map":
      return {
        ...expr,
        id,
        entries: expr.entries.map((entry) => ({ ...entry, id: context.nextId(), key: again(entry.key), value: again(entry.value) })),
      };
    case "struct":
      return { ...expr, id, entries: expr.entries.map((entry) => ({ ...entry, id: context.nextId(), value: again(entry.value) })) };
    case "comprehension":
      return {
        ...expr,
        id,
        range: again(expr.range),
        initial: again(expr.initial),
        condition: again(expr.condition),
        step: again(expr.step),
        result: again(expr.result),
      };
  }
}
