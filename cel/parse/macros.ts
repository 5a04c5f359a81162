/** The macros of the language, and those of libraries. */
import { type Expr, operators } from "../ast.ts";
import type { Macro, MacroContext } from "../declarations.ts";
import {
  accumulator,
  binding,
  call,
  constant,
  copy,
  filtered,
  fold,
  gather,
  identifier,
  memberCall,
  memberMacro,
  nameOfVariable,
  overwritesAccumulator,
  quantifiers,
} from "./nodes.ts";

const noName = "argument is not an identifier", notSimple = "argument must be a simple name";

const has: Macro = {
  name: "has",
  member: false,
  args: 1,
  expand(context, { args: [argument] }) {
    if (argument?.tag !== "select") return argument && context.fail(argument, "invalid argument to has() macro");
    return { ...argument, id: context.nextId(), testOnly: true };
  },
};

/** Returns a macro whose first argument is its variable. */
function macroOfOne(name: string, args: number, mistake: string, parts: (context: MacroContext, args: readonly Expr[]) => Parts): Macro {
  return memberMacro(name, args, (context, target, args) => {
    const name = nameOfVariable(context, args[0]!, mistake);
    if (name === undefined || overwritesAccumulator(context, args[0]!, name)) return undefined;
    return fold(context, target, [name], parts(context, args));
  });
}
type Parts = Parameters<typeof fold>[3];

/** Macros of the language: `has`, `all`, `exists`, `exists_one`, `map`, `filter`. */
export const standardMacros: readonly Macro[] = [
  has,
  macroOfOne("all", 2, notSimple, (context, args) => quantifiers.all(context, args[1]!)),
  macroOfOne("exists", 2, notSimple, (context, args) => quantifiers.exists(context, args[1]!)),
  macroOfOne("exists_one", 2, notSimple, (context, args) => quantifiers.existsOne(context, args[1]!)),
  macroOfOne("map", 2, noName, (context, args) => gather(context, undefined, args[1]!)),
  macroOfOne("map", 3, noName, (context, args) => gather(context, args[1]!, args[2]!)),
  macroOfOne("filter", 2, noName, (context, args) => gather(context, args[1]!, args[0]!)),
];

/** Returns a macro whose first two arguments are its variables. */
function macroOfTwo(
  name: string,
  args: number,
  parts: (context: MacroContext, variables: readonly [string, string], args: readonly Expr[]) => Parts,
): Macro {
  return memberMacro(name, args, (context, target, [first, second, ...rest]) => {
    const variables = twoVariables(context, first!, second!);
    return variables && fold(context, target, variables, parts(context, variables, rest));
  });
}

function twoVariables(context: MacroContext, first: Expr, second: Expr): readonly [string, string] | undefined {
  const name = nameOfVariable(context, first, notSimple);
  const name2 = name === undefined ? undefined : nameOfVariable(context, second, notSimple);
  if (name === undefined || name2 === undefined) return undefined;
  if (name === name2) return context.fail(second, `duplicate variable name: ${name}`);
  if (overwritesAccumulator(context, first, name) || overwritesAccumulator(context, second, name2)) return undefined;
  return [name, name2];
}

/** Returns a transformation with an optional filter before it: three or four arguments. */
function transformation(name: string, initial: (context: MacroContext) => Expr, step: Step): readonly Macro[] {
  return [3, 4].map((args) =>
    macroOfTwo(name, args, (context, [variable], rest) => {
      const filter = rest.length === 2 ? rest[0] : undefined;
      return {
        initial: initial(context),
        condition: constant(context, true),
        step: filtered(context, filter, step(context, variable, rest.at(-1)!)),
        result: accumulator(context),
      };
    })
  );
}
type Step = (context: MacroContext, variable: string, transform: Expr) => Expr;

const mapInsert = "cel.@mapInsert";
const emptyMap = (context: MacroContext): Expr => ({ tag: "map", id: context.nextId(), entries: [] });
const emptyList = (context: MacroContext): Expr => ({ tag: "list", id: context.nextId(), elements: [], optional: [] });

/** Macros of two-variable comprehensions (cel-go's extension `TwoVarComprehensions`). */
export const twoVariableMacros: readonly Macro[] = [
  macroOfTwo("all", 3, (context, _variables, args) => quantifiers.all(context, args[0]!)),
  macroOfTwo("exists", 3, (context, _variables, args) => quantifiers.exists(context, args[0]!)),
  macroOfTwo("existsOne", 3, (context, _variables, args) => quantifiers.existsOne(context, args[0]!)),
  macroOfTwo("exists_one", 3, (context, _variables, args) => quantifiers.existsOne(context, args[0]!)),
  ...transformation("transformList", emptyList, (context, _variable, transform) => gather(context, undefined, transform).step),
  ...transformation(
    "transformMap",
    emptyMap,
    (context, variable, transform) => call(context, mapInsert, accumulator(context), identifier(context, variable), transform),
  ),
  ...transformation("transformMapEntry", emptyMap, (context, _variable, entry) => call(context, mapInsert, accumulator(context), entry)),
];

/** Returns a macro that computes with the value of an optional. */
function macroOfOptional(name: string, result: (context: MacroContext, bound: Expr) => Expr): Macro {
  return memberMacro(name, 2, (context, target, [first, body]) => {
    const variableName = nameOfVariable(context, first!, `${name}() variable name must be a simple identifier`);
    if (variableName === undefined) return undefined;
    const value = memberCall(context, "value", copy(context, target));
    return call(
      context,
      operators.conditional,
      memberCall(context, "hasValue", target),
      result(context, binding(context, variableName, value, body!)),
      call(context, "optional.none"),
    );
  });
}

/** Macros of optional values. */
export const optionalMacros: readonly Macro[] = [
  macroOfOptional("optMap", (context, bound) => call(context, "optional.of", bound)),
  macroOfOptional("optFlatMap", (_context, bound) => bound),
];
