/** Compiles calls of functions and operators: the choice of the overload, the arguments and the cost. */
import type { Call } from "../ast.ts";
import type { FunctionDeclaration, Overload } from "../declarations.ts";
import { hasStandardCost, standardCost } from "../functions/standard/costs.ts";
import { isMatch, patternOf } from "../value/pattern.ts";
import { isAssignable, typeNameOf } from "../value/type.ts";
import { CelError, type Value } from "../values.ts";
import { Frame, type Run } from "./frame.ts";
import { membership } from "./membership.ts";
import { constant, noOverload, type Planning, type Scope, type Step, Unplannable } from "./step.ts";

/** Conversions that are evaluated before the expression runs if their argument is constant. */
const conversions: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

/** A call whose arguments are compiled. */
interface Planned {
  readonly declaration: FunctionDeclaration;
  /** The id of the overload; empty if it depends on the types of the arguments at run time. */
  readonly overload: string;
  readonly args: readonly Step[];
}

/** Compiles a call of a function without a special form in the evaluator. */
export function planCall(call: Call, scope: Scope, planning: Planning): Step {
  const declaration = planning.environment.functions.get(call.function);
  const parts = call.target === undefined ? call.args : [call.target, ...call.args];
  const args = parts.map((part) => planning.plan(part, scope));
  if (declaration === undefined) throw new Unplannable(`no such overload: ${call.function}`);
  const reference = planning.ast.references.get(call.id);
  const overloads = reference?.tag === "function" ? reference.overloads : [];
  const overload = overloads.length === 1 ? overloads[0]! : "";
  return foldCall({ declaration, overload, args });
}

/** Evaluates a call before the expression runs, in the cases in which upstream does. */
function foldCall(planned: Planned): Step {
  const { declaration, overload, args } = planned;
  const [first, second] = args;
  if (overload === "in_list" && second?.constant !== undefined) {
    const member = membership(first!.run, second.constant);
    if (member !== undefined) return member;
  }
  if (args.length === 1 && first!.constant !== undefined && conversions.has(declaration.name)) {
    const value = runOf(planned)(new Frame(() => undefined, Infinity, 0));
    if (value instanceof CelError) throw new Unplannable(value.message);
    return constant(value);
  }
  const pattern = declaration.patternArgument === undefined ? undefined : args[declaration.patternArgument]?.constant;
  return { run: typeof pattern === "string" ? runPattern(planned, pattern) : runOf(planned) };
}

/** Compiles a call with a constant pattern. */
function runPattern(planned: Planned, text: string): Run {
  const checked = patternOf(text);
  if (checked instanceof CelError) throw new Unplannable(checked.message);
  const { declaration, overload, args } = planned;
  if (declaration.name !== "matches") return runVariadic(planned, withShortError(planned, implementationOf(declaration, overload)));
  const charge = chargeOf(declaration, overload);
  const subject = args[0]!.run;
  return (frame) => {
    const value = subject(frame);
    if (value instanceof CelError) return value;
    const pattern = patternOf(text);
    if (pattern instanceof CelError) return pattern;
    const result = typeof value === "string" ? isMatch(pattern, value) : noOverload;
    charge(frame, [value, text], result);
    return result;
  };
}

/** Makes the implementation for a constant pattern. Upstream's error for arguments of wrong types does not name them in this case. */
function withShortError({ declaration, overload }: Planned, call: Implementation): Implementation {
  const types = declaration.overloads.find(({ id }) => id === overload)?.args;
  if (types === undefined) return call;
  return (...args) => args.every((value, index) => isAssignable(types[index]!, value)) ? call(...args) : noOverload;
}

/** The implementation of a function. It gets no arguments that are errors. */
type Implementation = (...args: Value[]) => Value;

function implementationOf(declaration: FunctionDeclaration, id: string): Implementation {
  if (declaration.call !== undefined) return declaration.call;
  const overload = declaration.overloads.find((overload) => overload.id === id);
  if (overload !== undefined) return chooseOverload(declaration.name, [overload]);
  return chooseOverload(declaration.name, declaration.overloads);
}

/** Makes a function that calls the first overload whose types the arguments have. */
function chooseOverload(name: string, overloads: readonly Overload[]): Implementation {
  return (...args) => {
    for (const { args: types, call, nonStrict = false } of overloads) {
      if (call === undefined || types.length !== args.length) continue;
      const accepts = (value: Value, index: number): boolean => value instanceof CelError ? nonStrict : isAssignable(types[index]!, value);
      if (args.every(accepts)) return call(...args);
    }
    const failed = args.find((value) => value instanceof CelError);
    if (failed !== undefined) return failed;
    return new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(", ")})`);
  };
}

/** Charges the cost of a call that was made. */
type Charge = (frame: Frame, args: readonly Value[], result: Value) => void;

function chargeOf({ cost }: FunctionDeclaration, overload: string): Charge {
  if (cost === undefined || cost === standardCost && !hasStandardCost(overload)) return (frame) => frame.charge(1);
  return (frame, args, result) => frame.charge(cost(overload, args, result));
}

function isFlat({ cost }: FunctionDeclaration, overload: string): boolean {
  return cost === undefined || cost === standardCost && !hasStandardCost(overload);
}

function runOf(planned: Planned): Run {
  const { declaration, overload, args } = planned;
  const call = implementationOf(declaration, overload);
  if (args.length === 0) return runWithout(planned, call);
  const isNonStrict = declaration.overloads.some(({ nonStrict }) => nonStrict === true);
  if (isNonStrict) return runNonStrict(planned, call);
  // If the arguments choose one of several overloads, evaluation stops at the first argument that fails.
  const isChosen = overload === "" && declaration.call === undefined && declaration.overloads.length > 1;
  const isVariadic = declaration.overloads.find(({ id }) => id === overload)?.variadic === true;
  if (args.length > 2 || isChosen || isVariadic) return runVariadic(planned, call);
  return args.length === 1 ? runUnary(planned, call) : runBinary(planned, call);
}

function runWithout({ declaration, overload }: Planned, call: Implementation): Run {
  const charge = chargeOf(declaration, overload);
  return (frame) => {
    const result = call();
    charge(frame, [], result);
    return result;
  };
}

function runUnary({ declaration, overload, args }: Planned, call: Implementation): Run {
  const argument = args[0]!.run;
  const charge = chargeOf(declaration, overload);
  if (isFlat(declaration, overload)) {
    return (frame) => {
      const value = argument(frame);
      frame.charge(1);
      return value instanceof CelError ? value : call(value);
    };
  }
  return (frame) => {
    const value = argument(frame);
    const result = value instanceof CelError ? value : call(value);
    charge(frame, [value], result);
    return result;
  };
}

function runBinary({ declaration, overload, args }: Planned, call: Implementation): Run {
  const left = args[0]!.run, right = args[1]!.run;
  const charge = chargeOf(declaration, overload);
  if (isFlat(declaration, overload)) {
    return (frame) => {
      const first = left(frame);
      const second = right(frame);
      frame.charge(1);
      if (first instanceof CelError) return first;
      return second instanceof CelError ? second : call(first, second);
    };
  }
  return (frame) => {
    const first = left(frame);
    const second = right(frame);
    const result = first instanceof CelError ? first : second instanceof CelError ? second : call(first, second);
    charge(frame, [first, second], result);
    return result;
  };
}

/** Stops at the first argument that fails. The call is only charged if all arguments, or all but the last, have succeeded. */
function runVariadic({ declaration, overload, args }: Planned, call: Implementation): Run {
  const runs = args.map(({ run }) => run);
  const charge = chargeOf(declaration, overload);
  return (frame) => {
    const values: Value[] = [];
    for (const run of runs) {
      const value = run(frame);
      values.push(value);
      if (!(value instanceof CelError)) continue;
      if (values.length === runs.length) charge(frame, values, value);
      return value;
    }
    const result = call(...values);
    charge(frame, values, result);
    return result;
  };
}

function runNonStrict({ declaration, overload, args }: Planned, call: Implementation): Run {
  const runs = args.map(({ run }) => run);
  const charge = chargeOf(declaration, overload);
  return (frame) => {
    const values = runs.map((run) => run(frame));
    const result = call(...values);
    charge(frame, values, result);
    return result;
  };
}
