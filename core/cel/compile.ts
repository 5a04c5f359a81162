/** Text and environment to a program. */
import type { Issue } from "./ast.ts";
import { check } from "./check/check.ts";
import type { CheckedAst, Environment } from "./declarations.ts";
import { type Program, programOf } from "./evaluate/program.ts";
import { parse } from "./parse/parse.ts";

export type { Variables } from "./evaluate/frame.ts";
export type { Evaluation, Program } from "./evaluate/program.ts";

/** The result of a compilation. */
export type Compiled =
  | { readonly tag: "program"; readonly program: Program }
  | { readonly tag: "issues"; readonly issues: readonly Issue[] }
  /** The expression is correct, but it fails before it runs, as `int('x')`. Upstream's "program instantiation failed". */
  | { readonly tag: "failed"; readonly message: string };

/** Compiles an expression. */
export function compile(text: string, environment: Environment): Compiled {
  const parsed = parse(text, environment);
  if (parsed.ast === undefined) return { tag: "issues", issues: parsed.issues };
  const result = check(parsed.ast, environment);
  if (!result.ok) return { tag: "issues", issues: result.issues };
  const issues = environment.validators.flatMap((validate) => validate(result.checked));
  return issues.length > 0 ? { tag: "issues", issues } : compileChecked(result.checked, environment);
}

/** Compiles an expression that is parsed and checked. */
export function compileChecked(ast: CheckedAst, environment: Environment): Compiled {
  const program = programOf(ast, environment);
  return typeof program === "string" ? { tag: "failed", message: program } : { tag: "program", program };
}
