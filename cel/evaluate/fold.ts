/** Compiles comprehensions: loops that fold a list or map into an accumulator. They cost what their parts cost. */
import type { Comprehension } from "../ast.ts";
import { finish, MutableList, MutableMap } from "../value/collections.ts";
import { representation } from "../value/type.ts";
import { spend } from "../value/work.ts";
import { CelError, ListValue, MapValue, type Value } from "../values.ts";
import type { Frame, Run } from "./frame.ts";
import type { Planning, Scope, Step } from "./step.ts";

/** The parts of a comprehension, and the slots of its variables. */
interface Fold {
  readonly accumulator: number;
  readonly variable: number;
  readonly variable2: number;
  readonly condition: Run;
  readonly step: Run;
}

export function planFold(expr: Comprehension, scope: Scope, planning: Planning): Step {
  const accumulator = planning.slot(), variable = planning.slot(), variable2 = planning.slot();
  const range = planning.plan(expr.range, scope).run;
  const initial = planning.plan(expr.initial, scope).run;
  // The accumulator is evaluated when it is first read, because `bind` may never read it.
  const readAccumulator: Run = (frame) => {
    const known = frame.locals[accumulator];
    if (known !== undefined) return known;
    return frame.locals[accumulator] = mutable(initial(frame));
  };
  const locals = new Map<string, Run>([[expr.variable, (frame) => frame.locals[variable]!]]);
  if (expr.variable2 !== undefined) locals.set(expr.variable2, (frame) => frame.locals[variable2]!);
  locals.set(expr.accumulator, readAccumulator);
  const inner: Scope = { locals, outer: scope };
  const fold: Fold = {
    accumulator,
    variable,
    variable2,
    condition: planning.plan(expr.condition, inner).run,
    step: planning.plan(expr.step, inner).run,
  };
  const outside: Scope = { locals: new Map([[expr.accumulator, readAccumulator]]), outer: scope };
  const result = planning.plan(expr.result, outside).run;
  const loop = expr.variable2 === undefined ? loopOne : loopTwo;
  return {
    run: (frame) => {
      const value = range(frame);
      if (value instanceof CelError) return value;
      frame.locals[accumulator] = undefined;
      const failed = loop(frame, value, fold);
      return failed ?? finish(result(frame));
    },
  };
}

/** Returns a list or map that the steps of the comprehension extend in place, if `value` is an empty one. */
function mutable(value: Value): Value {
  if (value instanceof ListValue && value.size === 0) return new MutableList();
  return value instanceof MapValue && value.size === 0 ? new MutableMap() : value;
}

/** Runs one iteration. Returns false if the loop ends before it. */
function iterate(frame: Frame, { condition, step, accumulator }: Fold): boolean {
  spend(1);
  const goesOn = condition(frame);
  if (goesOn === false) return false;
  frame.locals[accumulator] = step(frame);
  return true;
}

function loopOne(frame: Frame, range: Value, fold: Fold): CelError | undefined {
  if (range instanceof ListValue) {
    for (let index = 0, size = range.size; index < size; index++) {
      frame.locals[fold.variable] = range.at(index);
      if (!iterate(frame, fold)) break;
    }
    return undefined;
  }
  if (!(range instanceof MapValue)) return new CelError(`got '${representation(range)}', expected iterable type`);
  for (const key of range.keys()) {
    frame.locals[fold.variable] = key;
    if (!iterate(frame, fold)) break;
  }
  return undefined;
}

function loopTwo(frame: Frame, range: Value, fold: Fold): CelError | undefined {
  if (range instanceof ListValue) {
    for (let index = 0, size = range.size; index < size; index++) {
      frame.locals[fold.variable] = BigInt(index);
      frame.locals[fold.variable2] = range.at(index);
      if (!iterate(frame, fold)) break;
    }
    return undefined;
  }
  if (!(range instanceof MapValue)) return new CelError(`unsupported comprehension range type: ${representation(range)}`);
  for (const key of range.keys()) {
    frame.locals[fold.variable] = key;
    frame.locals[fold.variable2] = range.find(key)!;
    if (!iterate(frame, fold)) break;
  }
  return undefined;
}
