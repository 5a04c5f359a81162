/** The condition of definitions that were stored before schemas had to be structural. */
import { invalid } from "../../../plugin.ts";
import { append, fieldErrorText } from "../../../toolbox.ts";
import type { CustomResourceDefinition, DefinitionStatus } from "../schema.ts";
import { Convertible } from "../validate/convertible.ts";
import { Patterns } from "../validate/patterns.ts";
import { validateStructural } from "../validate/structural.ts";
import { joinErrors } from "../aggregated.ts";
import { type ConditionNews, conditionOf, isEquivalent, withCondition, withoutCondition } from "../condition.ts";

const type = "NonStructuralSchema";

/** Returns the condition of a definition; undefined if all schemas are structural. */
export function nonStructuralCondition({ spec }: CustomResourceDefinition): ConditionNews | undefined {
  const errors = spec.preserveUnknownFields === true ? [invalid("spec.preserveUnknownFields", true, "must be false")] : [];
  for (const [i, { name, schema }] of spec.versions.entries()) {
    const root = schema?.openAPIV3Schema;
    if (root === undefined) continue;
    const mistake = new Convertible().mistake(root);
    if (mistake !== undefined) {
      const message = `failed to check validation schema for version ${name}: ${mistake}`;
      return { type, status: "Unknown", reason: "StructuralError", message };
    }
    append(errors, validateStructural(root, `spec.versions[${i}].schema.openAPIV3Schema`, new Patterns()));
  }
  if (errors.length === 0) return undefined;
  return { type, status: "True", reason: "Violations", message: joinErrors(errors.map(fieldErrorText)) };
}

/**
 * Returns the status with or without the condition; undefined if nothing changes. `news` is the result of `nonStructuralCondition` for the
 * definition.
 */
export function statusWithNonStructural(
  { status }: CustomResourceDefinition,
  news: ConditionNews | undefined,
  now: string,
): DefinitionStatus | undefined {
  const { conditions = [] } = status;
  if (isEquivalent(news, conditionOf(conditions, type))) return undefined;
  return { ...status, conditions: news === undefined ? withoutCondition(conditions, type) : withCondition(conditions, news, now) };
}
