/** The rules in CEL of a structural schema. */
import type { FieldError } from "../../../plugin.ts";
import type { SchemaProps } from "../schema-props.ts";
import type { RuleChecker } from "./openapi.ts";
import type { RootOptions } from "./options.ts";

/** Compiles the rules of one schema and adds up their cost. */
export class SchemaRules implements RuleChecker {
  constructor(_root: SchemaProps, _options: RootOptions) {}

  check(): readonly FieldError[] {
    return [];
  }
  /** The errors of all rules together. */
  totalCostErrors(_path: string): readonly FieldError[] {
    return [];
  }
}
