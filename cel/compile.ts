/** Compiles a text to a program, in an environment. */
import type { Issue } from "./ast.ts";
import { check, type CheckResult } from "./check/check.ts";
import type { CheckedAst, Environment } from "./declarations.ts";
import { type Program, programOf } from "./evaluate/program.ts";
import { parse } from "./parse/parse.ts";

export type { Variables } from "./evaluate/frame.ts";
export type { Evaluation, Program } from "./evaluate/program.ts";

/** The result of a compilation. */
export type Compiled =
  | { readonly tag: "program"; readonly program: Program }
  | { readonly tag: "issues"; readonly issues: readonly Issue[] }
  /** The expression is correct but fails before it runs, as `int('x')` does. Upstream calls this "program instantiation failed". */
  | { readonly tag: "failed"; readonly message: string };

/** Compiles an expression. */
export function compile(text: string, environment: Environment): Compiled {
  const analysed = analyse(text, environment);
  return analysed.ok ? compileChecked(analysed.checked, environment) : { tag: "issues", issues: analysed.issues };
}

/** Parses and checks an expression, without making a program. */
export function analyse(text: string, environment: Environment): CheckResult {
  const parsed = parse(text, environment);
  if (parsed.ast === undefined) return { ok: false, issues: parsed.issues };
  const result = check(parsed.ast, environment);
  if (!result.ok) return result;
  const issues = environment.validators.flatMap((validate) => validate(result.checked));
  return issues.length === 0 ? result : { ok: false, issues };
}

/** Compiles an expression that has been parsed and checked. */
export function compileChecked(ast: CheckedAst, environment: Environment): Compiled {
  const program = programOf(ast, environment);
  return typeof program === "string" ? { tag: "failed", message: program } : { tag: "program", program };
}
