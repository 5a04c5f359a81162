/** Compiles the rules in the schemas of definitions, for the validation of their objects. */
import type { RulesOfSchema } from "../../core/definition/validate.ts";
import { storedRules } from "../schema/environments.ts";
import { validateRules } from "../schema/validate.ts";
import { rulesOf } from "../schema/validator.ts";

/** Returns the rules of a stored definition's schema. They are compiled when a value that has rules is first validated. */
export const rulesOfDefinition: RulesOfSchema = (schema) => {
  const rules = rulesOf(schema, true, storedRules);
  return rules === undefined ? undefined : (next, prior) => validateRules(rules, next, prior);
};
