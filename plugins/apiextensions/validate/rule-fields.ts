/** Validates the fields of `x-kubernetes-validations`, apart from the expressions. */
import { type FieldError, invalid, notSupported, required } from "../../../plugin.ts";
import { ruleReasons, type SchemaProps } from "../schema-props.ts";
import type { Convertible } from "./convertible.ts";
import { findField } from "../../../core/structural/field-path.ts";

type Rule = NonNullable<SchemaProps["x-kubernetes-validations"]>[number];

export function validateRuleFields(
  rules: readonly Rule[],
  schema: SchemaProps,
  path: string,
  convertible: Convertible,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, rule] of rules.entries()) validateRule(rule, schema, `${path}.x-kubernetes-validations[${i}]`, convertible, errors);
  return errors;
}

function validateRule(rule: Rule, schema: SchemaProps, path: string, convertible: Convertible, errors: FieldError[]): void {
  const { message = "", messageExpression = "", reason, fieldPath = "" } = rule;
  const text = rule.rule.trim(), shown = message.trim();
  if (text === "") errors.push(required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && shown === "") errors.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
  else if (hasLineBreak(shown)) errors.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  else if (hasLineBreak(text) && shown === "") {
    errors.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (reason !== undefined && !(ruleReasons as readonly string[]).includes(reason)) {
    errors.push(notSupported(`${path}.reason`, reason, ruleReasons));
  }
  const at = `${path}.fieldPath`;
  if (fieldPath !== "" && fieldPath.trim() === "") errors.push(invalid(at, fieldPath, "must be non-empty if specified"));
  if (hasLineBreak(fieldPath)) errors.push(invalid(at, fieldPath, "must not contain line breaks"));
  if (fieldPath !== "" && convertible.mistake(schema) === undefined && typeof findField(fieldPath, schema) === "string") {
    errors.push(invalid(at, fieldPath, "must be a valid path"));
  }
}

function hasLineBreak(text: string): boolean {
  return text.includes("\n") || text.includes("\r");
}
