/** One rule of a schema: its expressions compiled, with the worst case of their costs. */
import type { ValidationRule } from "../../core/structural-schema.ts";
import { findField } from "../../core/structural/field-path.ts";
import { analyse, compileChecked, type Program } from "../compile.ts";
import { estimateCost } from "../cost/estimate.ts";
import type { CheckedAst, Environment } from "../declarations.ts";
import { extend } from "../environment.ts";
import { formatIssues } from "../issues.ts";
import { optionalType, type Type } from "../types.ts";
import { type Declared, requestBytes, sizesOf } from "./declared.ts";
import type { StructuralSchema } from "./structural.ts";
import { SchemaTypes } from "./types.ts";

/** The environments of expressions: those of stored ones may have more libraries. */
export interface RuleEnvironments {
  rule(expression: string): Environment;
  message(expression: string): Environment;
}

/** A compiled rule. A rule without text has neither a program nor an error. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly error?: string;
  readonly program?: Program;
  readonly usesOldSelf: boolean;
  /** Largest cost of one evaluation; 0 if the rule does not compile. */
  readonly costMax: bigint;
  readonly messageError?: string;
  readonly message?: Program;
  readonly messageCostMax: bigint;
  /** `fieldPath` in the form of error paths; "" if there is none. */
  readonly fieldPath: string;
}

/** Name of the type of `self`. Expressions cannot rely on it. */
const selfTypeName = "selfType0";
/** Names of the variables. */
export const self = "self";
export const oldSelf = "oldSelf";

/** Returns how often a value of a type can occur in a request. */
export function occurrencesMax({ bytesMin }: Declared): bigint {
  return BigInt(Math.floor(requestBytes / (bytesMin + 1)));
}

/** Compiles the rules of one node of a schema. */
export function compileRules(
  rules: readonly ValidationRule[],
  schema: StructuralSchema,
  declared: Declared,
  environments: RuleEnvironments,
): readonly CompiledRule[] {
  const types = new SchemaTypes(declared, selfTypeName);
  const node: Node = { schema, declared, types, environments };
  return rules.map((rule) => compileRule(rule, node));
}

interface Node {
  readonly schema: StructuralSchema;
  readonly declared: Declared;
  readonly types: SchemaTypes;
  readonly environments: RuleEnvironments;
}

const nothing = { usesOldSelf: false, costMax: 0n, messageCostMax: 0n, fieldPath: "" };

function compileRule(rule: ValidationRule, node: Node): CompiledRule {
  const { messageExpression = "", fieldPath = "" } = rule;
  if (rule.rule.trim() === "") return { rule, ...nothing };
  const compiled = compileExpression(rule.rule, node.environments.rule(rule.rule), rule, node, "bool");
  if ("error" in compiled) {
    const { error, at, usesOldSelf } = compiled;
    return { rule, ...nothing, usesOldSelf, error: `${ruleErrors[at]}${error}` };
  }
  const own = { ...nothing, ...compiled, rule };
  let message: Partial<CompiledRule> = {};
  if (messageExpression !== "") {
    const text = compileExpression(messageExpression, node.environments.message(messageExpression), rule, node, "string");
    // The path is not checked if the message is invalid.
    if ("error" in text) return { ...own, messageError: `${messageErrors[text.at]}${text.error}` };
    message = { message: text.program, messageCostMax: text.costMax };
  }
  const found = fieldPath === "" ? undefined : findField(fieldPath, node.schema);
  return { ...own, ...message, fieldPath: found === undefined || typeof found === "string" ? "" : found.path };
}

type Failed = { readonly error: string; readonly at: "compilation" | "type" | "program"; readonly usesOldSelf: boolean };
type Succeeded = { readonly program: Program; readonly usesOldSelf: boolean; readonly costMax: bigint };

const ruleErrors = {
  compilation: "compilation failed: ",
  type: "cel expression must evaluate to a bool",
  program: "program instantiation failed: ",
};
const messageErrors = {
  compilation: "messageExpression compilation failed: ",
  type: "messageExpression must evaluate to a string",
  program: "messageExpression instantiation failed: ",
};

function compileExpression(
  text: string,
  base: Environment,
  { optionalOldSelf }: ValidationRule,
  { declared, types }: Node,
  output: Type["tag"],
): Failed | Succeeded {
  const old: Type = optionalOldSelf === true ? optionalType(types.self) : types.self;
  const environment = extend(base, { types, variables: [{ name: self, type: types.self }, { name: oldSelf, type: old }] });
  const analysed = analyse(text, environment);
  if (!analysed.ok) return { error: formatIssues(text, analysed.issues), at: "compilation", usesOldSelf: false };
  if (analysed.checked.outputType.tag !== output) return { error: "", at: "type", usesOldSelf: false };
  const usesOldSelf = refersTo(analysed.checked, oldSelf);
  const compiled = compileChecked(analysed.checked, environment);
  if (compiled.tag === "failed") return { error: compiled.message, at: "program", usesOldSelf };
  if (compiled.tag === "issues") return { error: formatIssues(text, compiled.issues), at: "compilation", usesOldSelf };
  return { program: compiled.program, usesOldSelf, costMax: estimateCost(analysed.checked, environment, sizesOf(declared)).max };
}

function refersTo({ references }: CheckedAst, variable: string): boolean {
  for (const reference of references.values()) if (reference.tag === "variable" && reference.name === variable) return true;
  return false;
}
