/** Compiles a checked expression to closures. There is one for each node, and it is made once. */
import { type Call, type Expr, type Identifier, operators, type Select } from "../ast.ts";
import type { CheckedAst, Environment } from "../declarations.ts";
import { representation } from "../value/type.ts";
import { CelError, TypeValue, Uint, type Value } from "../values.ts";
import { planCall } from "./call.ts";
import { extendChain, runOfChain, runWithoutStart, type Selector } from "./chain.ts";
import { planList, planMap, planStruct } from "./construct.ts";
import { planFold } from "./fold.ts";
import type { Run } from "./frame.ts";
import { chainOf, conditional, connective, optionalOr, optionalOrValue } from "./logic.ts";
import { isKey } from "./select.ts";
import { constant, type Planning, type Scope, type Step, Unplannable } from "./step.ts";

/** A compiled expression and the number of slots that its comprehensions need. */
export interface Plan {
  readonly run: Run;
  readonly slots: number;
}

/** Compiles an expression. Throws `Unplannable` if it cannot be compiled. */
export function planOf(ast: CheckedAst, environment: Environment): Plan {
  let slots = 0;
  const planning: Planning = {
    ast,
    environment,
    plan: (expr, scope) => plan(expr, scope, planning),
    slot: () => slots++,
  };
  const { run } = planning.plan(ast.expr, undefined);
  return { run, slots };
}

function plan(expr: Expr, scope: Scope, planning: Planning): Step {
  switch (expr.tag) {
    case "constant":
      return constant(expr.value);
    case "identifier":
      return planName(expr, expr.name, scope, planning);
    case "select":
      return planSelect(expr, scope, planning);
    case "call":
      return planOperator(expr, scope, planning);
    case "list":
      return planList(expr, scope, planning);
    case "map":
      return planMap(expr, scope, planning);
    case "struct":
      return planStruct(expr, typeNameOf(expr, planning), scope, planning);
    case "comprehension":
      return planFold(expr, scope, planning);
  }
}

function typeNameOf({ id, type }: { readonly id: number; readonly type: string }, { ast }: Planning): string {
  const known = ast.types.get(id);
  return known?.tag === "object" ? known.name : type;
}

/** Compiles a variable or the name of a type. `text` is the name as it is written. */
function planName({ id }: Identifier | Select, text: string, scope: Scope, { ast, environment }: Planning): Step {
  const reference = ast.references.get(id);
  if (reference?.tag === "type") {
    const name = text.startsWith(".") ? text.slice(1) : text;
    if (!environment.typeNames.has(name) && !environment.types.hasType(name)) {
      throw new Unplannable(`reference to undefined type: ${name}`);
    }
    return constant(new TypeValue(reference.type));
  }
  const name = reference?.tag === "variable" ? reference.name : text;
  const chain = { source: { tag: "value", run: localOf(name, scope) ?? globalOf(name) }, selectors: [] } as const;
  return { run: runOfChain(chain), chain };
}

function localOf(name: string, scope: Scope): Run | undefined {
  for (let at = scope; at !== undefined; at = at.outer) {
    const local = at.locals.get(name);
    if (local !== undefined) return local;
  }
  return undefined;
}

function globalOf(name: string): Run {
  const missing = new CelError(`no such attribute(s): ${name}`);
  return (frame) => {
    const value = frame.variables(name);
    return value === undefined ? missing : value;
  };
}

function planSelect(expr: Select, scope: Scope, planning: Planning): Step {
  if (planning.ast.references.has(expr.id)) return planName(expr, qualifiedName(expr), scope, planning);
  const operand = planning.plan(expr.operand, scope);
  return withSelector(operand, { key: expr.field, run: () => expr.field, optional: false, isTest: expr.testOnly });
}

/** Returns the name that an identifier with selectors spells. */
function qualifiedName(expr: Expr): string {
  if (expr.tag === "identifier") return expr.name;
  return expr.tag === "select" ? `${qualifiedName(expr.operand)}.${expr.field}` : "";
}

function withSelector(operand: Step, selector: Selector): Step {
  const chain = extendChain(chainOf(operand), selector);
  // The result of a presence test is a value: selectors after it do not extend its chain.
  return selector.isTest ? { run: runOfChain(chain) } : { run: runOfChain(chain), chain };
}

function planOperator(call: Call, scope: Scope, planning: Planning): Step {
  const { args } = call;
  switch (call.function) {
    case operators.and:
    case operators.or:
      return connective(args.map((arg) => planning.plan(arg, scope)), call.function === operators.or);
    case operators.conditional: {
      const [condition, then, otherwise] = args.map((arg) => planning.plan(arg, scope)) as [Step, Step, Step]; // the parser makes three arguments
      return conditional(condition, then, otherwise);
    }
    case operators.index:
    case operators.optionalIndex:
    case operators.optionalSelect:
      return planIndex(call, scope, planning);
    case "or":
    case "orValue":
      return planAlternative(call, scope, planning) ?? planCall(call, scope, planning);
    default:
      return planCall(call, scope, planning);
  }
}

function planIndex({ args, function: name }: Call, scope: Scope, planning: Planning): Step {
  const operand = planning.plan(args[0]!, scope);
  const index = planning.plan(args[1]!, scope);
  if (index.constant !== undefined && !isSelectorKey(index.constant)) {
    throw new Unplannable(`invalid qualifier type: ${representation(index.constant)}`);
  }
  // If the key is a chain, its start is not charged. Another computed key is charged as a chain of its own.
  const run = index.chain === undefined ? index.run : runWithoutStart(index.chain);
  return withSelector(operand, { key: index.constant, run, optional: name !== operators.index, isTest: false });
}

function isSelectorKey(value: Value): boolean {
  return isKey(value) || value instanceof Uint;
}

/** Compiles `or` and `orValue` of optionals; undefined for other functions with these names. */
function planAlternative(call: Call, scope: Scope, planning: Planning): Step | undefined {
  const { target, args, id } = call;
  if (target === undefined || args.length !== 1) return undefined;
  const reference = planning.ast.references.get(id);
  const overloads = reference?.tag === "function" ? reference.overloads : [];
  const own = call.function === "or" ? "optional_or_optional" : "optional_orValue_value";
  if (overloads.length === 1 && overloads[0] !== own) return undefined;
  const first = planning.plan(target, scope).run, second = planning.plan(args[0]!, scope).run;
  return call.function === "or" ? optionalOr(first, second) : optionalOrValue(first, second);
}
