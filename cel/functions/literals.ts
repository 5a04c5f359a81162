/** Checks of literals after the check of types: arguments of `duration`, `timestamp` and `matches`, and elements of lists and maps of one type. */
import type { Call, Expr, Issue } from "../ast.ts";
import { sameType } from "../check/substitutions.ts";
import { typeText } from "../check/type-text.ts";
import { descendants } from "../descendants.ts";
import type { CheckedAst } from "../declarations.ts";
import type { Type } from "../types.ts";
import { patternOf } from "../value/pattern.ts";
import { durationOf, isTimestampRange, timestampOf } from "../value/time.ts";
import { CelError, Timestamp, type Value } from "../values.ts";
import type { Library } from "./library.ts";

function issueAt(ast: CheckedAst, expr: Expr, message: string): Issue {
  return { message, position: ast.positions.get(expr.id) ?? -1 };
}

/**
 * Checks of the first argument of each function, if it is a literal. Upstream also checks the first argument of `matches(text, pattern)`.
 */
const accepted: Readonly<Record<string, (value: Value) => boolean>> = {
  duration: (value) => typeof value === "string" && durationOf(value) !== undefined,
  timestamp: (value) =>
    typeof value === "bigint" && isTimestampRange(value) || typeof value === "string" && timestampOf(value) instanceof Timestamp,
  matches: (value) => typeof value === "string" && !(patternOf(value) instanceof CelError),
};

/** Finds calls of one function with literals that it does not accept. */
function checkCalls(name: string): (ast: CheckedAst) => readonly Issue[] {
  const isAccepted = accepted[name]!;
  const isWrong = ({ args: [literal] }: Call): boolean => literal?.tag === "constant" && !isAccepted(literal.value as Value);
  return (ast) => {
    const issues: Issue[] = [];
    for (const expr of descendants(ast.expr)) {
      if (expr.tag === "call" && expr.function === name && isWrong(expr)) {
        issues.push(issueAt(ast, expr.args[0]!, `invalid ${name} argument`));
      }
    }
    return issues;
  };
}

/** Returns the type of a part without its wrapper; for an optional part, the type of its value. */
function partType(ast: CheckedAst, part: Expr, optional: boolean): Type | undefined {
  const type = ast.types.get(part.id);
  const inner = optional && type?.tag === "opaque" ? type.parameters[0] : type;
  return inner?.tag === "wrapper" ? inner.of : inner;
}

function mismatch(ast: CheckedAst, part: Expr, expected: Type | undefined, found: Type | undefined): Issue | undefined {
  if (expected === undefined || found === undefined || sameType(expected, found)) return undefined;
  return issueAt(ast, part, `expected type '${typeText(expected)}' but found '${typeText(found)}'`);
}

/** Finds lists and maps whose elements, keys or values differ in type, except in arguments of `format`. */
function checkTypesOfElements(ast: CheckedAst): readonly Issue[] {
  const exempt = new Set<Expr>();
  for (const expr of descendants(ast.expr)) {
    if (expr.tag !== "call" || expr.function !== "format") continue;
    for (const part of descendants(expr)) if (part !== expr) exempt.add(part);
  }
  const lists: Issue[] = [], maps: Issue[] = [];
  for (const expr of descendants(ast.expr)) {
    if (exempt.has(expr)) continue;
    if (expr.tag === "list") {
      const optional = new Set(expr.optional);
      const types = expr.elements.map((element, index) => partType(ast, element, optional.has(index)));
      const wrong = expr.elements.map((element, index) => mismatch(ast, element, types[0], types[index])).find((issue) =>
        issue !== undefined
      );
      if (wrong !== undefined) lists.push(wrong);
    } else if (expr.tag === "map") {
      const [first] = expr.entries;
      for (const { key, value, optional } of expr.entries) {
        const wrongKey = mismatch(ast, key, partType(ast, first!.key, false), partType(ast, key, false));
        const wrongValue = mismatch(ast, value, partType(ast, first!.value, first!.optional), partType(ast, value, optional));
        if (wrongKey !== undefined) maps.push(wrongKey);
        if (wrongValue !== undefined) maps.push(wrongValue);
      }
    }
  }
  return [...lists, ...maps];
}

const checks = [checkCalls("duration"), checkCalls("timestamp"), checkCalls("matches"), checkTypesOfElements];

export const literalsLibrary: Library = {
  name: "cel.validator.literals",
  since: 29,
  functions: [],
  validate: (ast) => checks.flatMap((check) => check(ast)),
};
