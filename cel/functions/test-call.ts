/** Calls library functions without the evaluator, for tests. */
import { environment, libraries } from "../environment.ts";
import { isAssignable } from "../value/type.ts";
import { CelError, type Value } from "../values.ts";
import { jsonPatchLibrary } from "./json-patch.ts";

const { functions } = environment({ libraries: [...libraries, jsonPatchLibrary] });

/** What a call returns and costs. */
export interface Called {
  readonly value: Value;
  readonly cost: number;
}

/**
 * Calls the first overload that takes the arguments. The receiver of a member function is the first argument. As in evaluations, errors are
 * passed on.
 */
export function called(name: string, ...args: readonly Value[]): Called {
  const declaration = functions.get(name);
  const overload = declaration?.overloads.find(({ args: types }) =>
    types.length === args.length && types.every((type, index) => args[index] instanceof CelError || isAssignable(type, args[index]!))
  );
  if (declaration === undefined || overload === undefined) throw new Error(`no overload of ${name}`);
  const error = args.find((arg) => arg instanceof CelError);
  const call = overload.call ?? declaration.call;
  const value = error === undefined || overload.nonStrict ? call!(...args) : error;
  return { value, cost: declaration.cost?.(overload.id, args, value) ?? 1 };
}

/** Returns the value of a call. */
export function valueOf(name: string, ...args: readonly Value[]): Value {
  return called(name, ...args).value;
}
