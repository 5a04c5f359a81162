/** Expressions in configurations of access. The libraries of all versions are available, because a configuration is not an object. */
import { type FieldError, invalid } from "../../core/field-error.ts";
import type { Json } from "../../core/schema.ts";
import { operators } from "../ast.ts";
import { analyse, compileChecked, type Program } from "../compile.ts";
import type { Environment } from "../declarations.ts";
import { descendants } from "../descendants.ts";
import { environment, extend } from "../environment.ts";
import { formatIssues } from "../issues.ts";
import { fullTypeName } from "../policy/type-name.ts";
import { valueOfJson } from "../value/json.ts";
import { CelError, type Value } from "../values.ts";
import { accessTypes, claimsType, reviewType, userType } from "./types.ts";
import { valueOfClaims } from "./values.ts";

/** The variable that an expression reads: the claims of a token, its user, or the review of a request. */
export type AccessVariable = "claims" | "user" | "request";

/** A compiled expression. */
export interface AccessExpression {
  readonly text: string;
  /** Evaluates the expression. `json` is the value of the variable. Throws an Error if the evaluation fails or exceeds its cost. */
  evaluate(json: Json): Value;
  /** Whether the expression selects this field of the variable, as `claims.email` and `claims.?email` do. */
  selects(field: string): boolean;
}

const base = environment({ types: accessTypes });
const environments: Readonly<Record<AccessVariable, Environment>> = Object.freeze({
  claims: extend(base, { variables: [{ name: "claims", type: claimsType }] }),
  user: extend(base, { variables: [{ name: "user", type: userType }] }),
  request: extend(base, { variables: [{ name: "request", type: reviewType }] }),
});
const valueOf: Readonly<Record<AccessVariable, (json: Json) => Value>> = Object.freeze({
  claims: valueOfClaims,
  user: valueOfClaims,
  request: valueOfJson,
});

/** The types that the result of an expression may have. */
export type AccessResult = "any" | "bool";

/** Compiles an expression, or returns a field error with upstream's message. `path` is that of the expression's field. */
export function compileAccess(
  text: string,
  { path, variable, result }: { readonly path: string; readonly variable: AccessVariable; readonly result: AccessResult },
): AccessExpression | FieldError {
  const declared = environments[variable];
  const analysed = analyse(text, declared);
  if (!analysed.ok) return invalid(path, text, `compilation failed: ${formatIssues(text, analysed.issues)}`);
  const { outputType } = analysed.checked;
  if (result === "bool" && outputType.tag !== "bool") {
    const shown = variable === "request" ? ` but got ${fullTypeName(outputType)}` : "";
    return invalid(path, text, `must evaluate to bool${shown}`);
  }
  const compiled = compileChecked(analysed.checked, declared);
  if (compiled.tag === "program") return expressionOf(text, variable, compiled.program);
  const why = compiled.tag === "failed" ? compiled.message : formatIssues(text, compiled.issues);
  return { type: "Internal", path, detail: `program instantiation failed: ${why}` };
}

/** Whether the compilation succeeded. */
export function isAccessExpression(compiled: AccessExpression | FieldError): compiled is AccessExpression {
  return "evaluate" in compiled;
}

function expressionOf(text: string, variable: AccessVariable, program: Program): AccessExpression {
  return {
    text,
    evaluate(json) {
      const given = valueOf[variable](json);
      const { value } = program.evaluate((name) => name === variable ? given : undefined);
      if (value instanceof CelError) throw new Error(`expression '${text}' resulted in error: ${value.message}`);
      return value;
    },
    selects: (field) =>
      [...descendants(program.ast.expr)].some((each) => {
        if (each.tag === "select") return each.field === field && each.operand.tag === "identifier" && each.operand.name === variable;
        if (each.tag !== "call" || each.function !== operators.optionalSelect) return false;
        const [operand, name] = each.args;
        return operand?.tag === "identifier" && operand.name === variable && name?.tag === "constant" && name.value === field;
      }),
  };
}
