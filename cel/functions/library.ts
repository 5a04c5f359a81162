/** A library: functions, macros and types that kube-apiservers offer since some version. */
import type { Issue } from "../ast.ts";
import type { CheckedAst, FunctionDeclaration, Macro } from "../declarations.ts";
import type { Type } from "../types.ts";

export interface Library {
  /** The name of the library in upstream. */
  readonly name: string;
  /** The minor version of Kubernetes 1.x that introduced it; 0 if all versions have it. */
  readonly since: number;
  readonly functions: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** The types that expressions can name. */
  readonly typeNames?: ReadonlyMap<string, Type>;
  /** Finds mistakes in calls with constant arguments, after the check of types. */
  readonly validate?: (ast: CheckedAst) => readonly Issue[];
}
