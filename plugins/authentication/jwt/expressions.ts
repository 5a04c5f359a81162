/** The expressions of an issuer: mappings of claims to a user, and rules for both. */
import { type AccessExpression, type AccessVariable, compileAccess, isAccessExpression } from "../../../cel/access/expressions.ts";
import { ListValue, type Value } from "../../../cel/values.ts";
import { fieldErrorText } from "../../../core/field-error.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { Json, JsonObject } from "../../../core/schema.ts";
import type { Caller } from "../../../core/user-info.ts";
import type { IssuerConfig } from "../configuration/schema.ts";
import { TokenRefusal } from "../../../core/token-authenticator.ts";
import { bound } from "../../../core/bound.ts";

/** Groups that a token may name. */
export const claimGroupsMax = bound(5_000);

interface Rule {
  readonly expression: AccessExpression;
  readonly message: string;
}
/** The compiled expressions of an issuer. */
export interface IssuerExpressions {
  readonly username: AccessExpression | undefined;
  readonly groups: AccessExpression | undefined;
  readonly uid: AccessExpression | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: AccessExpression }[];
  readonly claimRules: readonly Rule[];
  readonly userRules: readonly Rule[];
}

/** Compiles the expressions of a valid configuration. Throws an Error for one that does not compile. */
export function expressionsOf({ claimMappings, claimValidationRules = [], userValidationRules = [] }: IssuerConfig): IssuerExpressions {
  const { username, groups, uid, extra = [] } = claimMappings;
  return {
    username: mappingOf(username.expression),
    groups: mappingOf(groups.expression),
    uid: mappingOf(uid.expression),
    extra: extra.map(({ key = "", valueExpression = "" }) => ({ key, expression: compiled(valueExpression, "claims") })),
    claimRules: claimValidationRules.flatMap((rule) => ruleOf(rule, "claims")),
    userRules: userValidationRules.flatMap((rule) => ruleOf(rule, "user")),
  };
}

function mappingOf(text: string | undefined): AccessExpression | undefined {
  return text === undefined || text === "" ? undefined : compiled(text, "claims");
}

function ruleOf({ expression = "", message = "" }: { expression?: string; message?: string }, variable: AccessVariable): readonly Rule[] {
  return expression === "" ? [] : [{ expression: compiled(expression, variable), message }];
}

function compiled(text: string, variable: AccessVariable): AccessExpression {
  const found = compileAccess(text, { path: "expression", variable, result: "any" });
  if (isAccessExpression(found)) return found;
  throw new Error(fieldErrorText(found));
}

/** The result as text. `what`: the claim in messages. Throws a TokenRefusal. */
export function textOf(expression: AccessExpression, claims: Json, what: string): string {
  const value = evaluated(expression, claims, what);
  if (typeof value !== "string") {
    throw new TokenRefusal(`oidc: error evaluating ${what} expression: ${what} expression must return a string`);
  }
  return value;
}

/** The result as texts: a string or a list of strings, of which empty ones are left out. Throws a TokenRefusal. */
export function textsOf(expression: AccessExpression, claims: Json, what: string): readonly string[] {
  const value = evaluated(expression, claims, what);
  if (value === null) return [];
  const values = value instanceof ListValue ? Array.from({ length: value.size }, (_, index) => value.at(index)) : [value];
  if (values.length > claimGroupsMax) {
    throw new TokenRefusal(`oidc: error evaluating ${what} expression: it has more than ${claimGroupsMax} values`);
  }
  if (!values.every((each) => typeof each === "string")) {
    throw new TokenRefusal(`oidc: error evaluating ${what} expression: expression must return a string or a list of strings`);
  }
  return values.filter((each) => each !== "");
}

/** Throws a TokenRefusal if a rule is not true. */
export function checkRules(rules: readonly Rule[], json: Json, what: string): void {
  for (const { expression, message } of rules) {
    const value = evaluated(expression, json, what, "");
    if (typeof value !== "boolean") throw new TokenRefusal(`oidc: error evaluating ${what}: validation expression must return a boolean`);
    if (!value) {
      throw new TokenRefusal(`oidc: error evaluating ${what}: validation expression '${expression.text}' failed: ${message}`);
    }
  }
}

function evaluated(expression: AccessExpression, json: Json, what: string, noun = " expression"): Value {
  try {
    return expression.evaluate(json);
  } catch (error) {
    throw new TokenRefusal(`oidc: error evaluating ${what}${noun}: ${reasonOf(error)}`);
  }
}

/** A user as rules see it. */
export function jsonOfUser({ name, uid = "", groups, extra = {} }: Caller): JsonObject {
  return { username: name, uid, groups, extra };
}
