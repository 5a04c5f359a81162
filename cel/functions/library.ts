/** A library: functions, macros and types that kube-apiservers offer from some version on. */
import type { Issue } from "../ast.ts";
import type { CheckedAst, FunctionDeclaration, Macro } from "../declarations.ts";
import type { Type } from "../types.ts";

export interface Library {
  /** Upstream's name. */
  readonly name: string;
  /** Minor version of Kubernetes 1.x that introduced it; 0 if all versions have it. */
  readonly since: number;
  readonly functions: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Types that expressions can name. */
  readonly typeNames?: ReadonlyMap<string, Type>;
  /** Mistakes in calls with constant arguments, found after the check of types. */
  readonly validate?: (ast: CheckedAst) => readonly Issue[];
}
