/** Label selectors as objects (meta/v1), such as those of claims and capacities, and their validation with upstream's messages. */
import { type FieldError, forbidden, invalid, required } from "../field-error.ts";
import { declared } from "./object-meta.ts";
import { field, list, named, record, string, type StructNode, structsOf, type Typed } from "../schema.ts";
import { validateLabels } from "./labels.ts";
import { labelValue, qualifiedName } from "./names.ts";

const struct = structsOf("meta/v1");

/** A requirement for one label. */
export interface LabelSelectorRequirement {
  /** The key of the label. */
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. `NotIn` and `DoesNotExist` also select objects without the label. */
  readonly operator: string;
  /** The values of `In` and `NotIn`, which need at least one. The other operators have none. */
  readonly values?: readonly string[];
}
/** The schema of `LabelSelectorRequirement`. */
export const LabelSelectorRequirement: Typed<LabelSelectorRequirement, StructNode> = declared<LabelSelectorRequirement>()(
  struct("LabelSelectorRequirement", {
    key: field(1, string, "Key of the label.", { required: true }),
    operator: field(
      2,
      named("v1.LabelSelectorOperator", string),
      "Relation of the label to the values: In, NotIn, Exists or DoesNotExist.",
      {
        required: true,
      },
    ),
    values: field(3, list(string), "Values for In and NotIn, at least one; none for the other operators."),
  }, { doc: "A requirement for one label." }),
);

/** Selects objects by labels. All requirements must hold; an empty selector selects everything. */
export interface LabelSelector {
  /** Labels that an object must have with exactly these values. Absent if none are required. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Further requirements. Absent if there are none. */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}
/** The schema of `LabelSelector`. */
export const LabelSelector: Typed<LabelSelector, StructNode> = declared<LabelSelector>()(struct("LabelSelector", {
  matchLabels: field(1, record(string), "Required labels with their values."),
  matchExpressions: field(2, list(LabelSelectorRequirement), "Further requirements."),
}, { doc: "Selects objects by labels. All requirements must hold; an empty selector selects everything.", atomic: true }));

/** Returns the errors of a selector. `storedValues`: invalid label values are accepted, because the stored selector has one. */
export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: string,
  { storedValues = false }: { readonly storedValues?: boolean } = {},
): readonly FieldError[] {
  if (selector === undefined) return [];
  const { matchLabels, matchExpressions = [] } = selector;
  return [
    ...validateLabels(matchLabels, `${path}.matchLabels`),
    ...matchExpressions.flatMap((each, i) => validateRequirement(each, `${path}.matchExpressions[${i}]`, storedValues)),
  ];
}

function validateRequirement({ key, operator, values = [] }: LabelSelectorRequirement, path: string, storedValues: boolean): FieldError[] {
  const errors = [...validateOperator(operator, values, path)];
  for (const wrong of qualifiedName(key)) errors.push(invalid(`${path}.key`, key, wrong));
  if (storedValues) return errors;
  for (const [i, value] of values.entries()) {
    for (const wrong of labelValue(value)) errors.push(invalid(`${path}.values[${i}]`, value, wrong));
  }
  return errors;
}

function validateOperator(operator: string, values: readonly string[], path: string): readonly FieldError[] {
  if (operator === "In" || operator === "NotIn") {
    return values.length > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (operator === "Exists" || operator === "DoesNotExist") {
    return values.length === 0 ? [] : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
  return [{ ...invalid(`${path}.operator`, operator, "not a valid selector operator"), quoted: "json" }];
}

/** Whether a requirement of the selector has an invalid label value. */
export function hasInvalidLabelValue(selector: LabelSelector | undefined): boolean {
  return (selector?.matchExpressions ?? []).some(({ values = [] }) => values.some((value) => labelValue(value).length > 0));
}

/** Whether a selector selects an object with these labels. An empty selector selects everything. */
export function selectsLabels(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const valueOf = (key: string): string | undefined => Object.hasOwn(labels, key) ? labels[key] : undefined;
  return Object.entries(matchLabels).every(([key, value]) => valueOf(key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = valueOf(key);
      switch (operator) {
        case "In":
          return value !== undefined && values.includes(value);
        case "NotIn":
          return value === undefined || !values.includes(value);
        case "Exists":
          return value !== undefined;
        default:
          return value === undefined && operator === "DoesNotExist";
      }
    });
}
