/** Checks `format` calls with a literal string and a literal list: the clauses, and the number and types of arguments. */
import type { Call, Expr, Issue } from "../../ast.ts";
import { descendants } from "../../descendants.ts";
import type { CheckedAst } from "../../declarations.ts";
import type { Type } from "../../types.ts";
import { typeName } from "../../value/type.ts";
import { parseClauses } from "./clauses.ts";
import { mistakes } from "./mistakes.ts";

type Verb = keyof typeof mistakes;

/** The types that each clause accepts. Lists and maps are checked by their elements. */
const accepted: Readonly<Record<Verb, ReadonlySet<string>>> = {
  s: new Set([
    "list",
    "map",
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "timestamp",
    "bytes",
    "duration",
    "type",
    "null",
  ]),
  d: new Set(["int", "uint"]),
  // "NaN", "Infinity" and "-Infinity" may be strings.
  f: new Set(["double", "string"]),
  e: new Set(["double", "string"]),
  b: new Set(["int", "uint", "bool"]),
  x: new Set(["int", "uint", "string", "bytes"]),
  o: new Set(["int", "uint"]),
};

/** Returns the mistakes of all calls of `format`. */
export function checkFormatCalls(ast: CheckedAst): readonly Issue[] {
  const issues: Issue[] = [];
  for (const expr of descendants(ast.expr)) {
    const issue = expr.tag === "call" && isFormatCall(ast, expr) ? checkCall(ast, expr) : undefined;
    if (issue !== undefined) issues.push(issue);
  }
  return issues;
}

function isFormatCall(ast: CheckedAst, call: Call): boolean {
  if (call.function !== "format" || call.target === undefined) return false;
  const reference = ast.references.get(call.id);
  return reference === undefined || reference.tag === "function" && reference.overloads.includes("string_format");
}

function checkCall(ast: CheckedAst, call: Call): Issue | undefined {
  const { target, args: [list, ...others] } = call;
  if (target?.tag !== "constant" || typeof target.value !== "string" || list?.tag !== "list" || others.length > 0) return undefined;
  const issue = (id: number, message: string): Issue => ({ message, position: ast.positions.get(id) ?? -1 });
  let requested = 0;
  for (const clause of parseClauses(target.value, list.elements.length, true)) {
    if (clause.tag === "mistake") return issue(call.id, clause.message);
    if (clause.tag === "text") continue;
    requested++;
    const verb = clause.verb.toLowerCase() as Verb;
    const wrong = wrongArgument(ast, verb, list.elements[clause.argument]!);
    if (wrong !== undefined) {
      const type = typeOf(ast, wrong);
      return issue(wrong.id, `error during formatting: ${mistakes[verb]}${type === undefined ? "" : typeName(type)}`);
    }
  }
  const given = list.elements.length;
  if (given <= requested) return undefined;
  return issue(call.id, `too many arguments supplied to string.format (expected ${requested}, got ${given})`);
}

function typeOf(ast: CheckedAst, expr: Expr): Type | undefined {
  return ast.types.get(expr.id);
}

/** Returns the expression whose type the clause does not accept: the argument, or a part of a list or map. */
function wrongArgument(ast: CheckedAst, verb: Verb, argument: Expr): Expr | undefined {
  const type = typeOf(ast, argument);
  const tag = type?.tag === "wrapper" ? type.of.tag : type?.tag;
  if (tag !== undefined && tag !== "dyn" && !accepted[verb].has(tag)) return argument;
  if (verb !== "s") return undefined;
  const inner = argument.tag === "list"
    ? argument.elements
    : argument.tag === "map"
    ? argument.entries.flatMap(({ key, value }) => [key, value])
    : [];
  for (const each of inner) {
    const wrong = wrongArgument(ast, verb, each);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
