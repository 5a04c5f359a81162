/** Selectors of a request in the form of a SubjectAccessReview. */
import type { AuthorizationAttributes } from "../../../core/access.ts";
import type { JsonObject } from "../../../core/schema.ts";
import type { LabelOperator } from "../../../core/selectors/label.ts";

/** The members `fieldSelector` and `labelSelector` of a review. */
export function reviewSelectors({ fieldSelector = [], labelSelector = [] }: AuthorizationAttributes): JsonObject {
  const fields = fieldSelector.map(({ field: key, operator, value }) => ({
    key,
    operator: operator === "=" ? "In" : "NotIn",
    values: [value],
  }));
  // Requirements that reviews cannot express are omitted: the review is then about more objects.
  const labels = labelSelector.flatMap(({ key, operator, values }) => {
    const known = labelOperators[operator];
    return known === undefined ? [] : [{ key, operator: known, ...(values.length === 0 ? {} : { values }) }];
  });
  return {
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}
const labelOperators: Readonly<Record<LabelOperator, string | undefined>> = Object.freeze({
  "in": "In",
  "=": "In",
  "==": "In",
  "notin": "NotIn",
  "!=": "NotIn",
  "exists": "Exists",
  "!": "DoesNotExist",
  "gt": undefined,
  "lt": undefined,
});
