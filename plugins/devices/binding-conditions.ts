/** The rules of binding conditions, which devices and allocated devices have. */
import { duplicate, type FieldError, invalid } from "../../plugin.ts";
import { bindingConditionsMax } from "./bounds.ts";
import { validateList } from "./lists.ts";
import { validateLabelName } from "./names.ts";

interface WithConditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

/** Checks both lists: each type of condition occurs once, and one list needs the other. */
export function validateBindingConditions(
  { bindingConditions: awaited = [], bindingFailureConditions: failures = [] }: WithConditions,
  path: string,
): readonly FieldError[] {
  const at = `${path}.bindingConditions`, failuresAt = `${path}.bindingFailureConditions`;
  return [
    ...validateList(awaited, bindingConditionsMax, validateLabelName, at),
    ...validateList(failures, bindingConditionsMax, validateLabelName, failuresAt),
    ...repeated(awaited, at, new Set()),
    ...repeated(failures, failuresAt, new Set(awaited)),
    ...(awaited.length === 0 && failures.length > 0
      ? [invalid(at, null, "bindingConditions are required to use bindingFailureConditions")]
      : []),
    ...(failures.length === 0 && awaited.length > 0
      ? [invalid(failuresAt, null, "bindingFailureConditions are required to use bindingConditions")]
      : []),
  ];
}

/** Reports what occurs again, or in the other list. */
function repeated(list: readonly string[], path: string, others: ReadonlySet<string>): readonly FieldError[] {
  const seen = new Set<string>(), errors: FieldError[] = [];
  for (const [i, each] of list.entries()) {
    const at = `${path}[${i}]`;
    if (seen.has(each)) errors.push(duplicate(at, each));
    seen.add(each);
    if (others.has(each)) errors.push(invalid(at, each, "bindingFailureConditions must not overlap with bindingConditions"));
  }
  return errors;
}
