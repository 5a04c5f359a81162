/** Converts the attributes of a review to those of authorizers. */
import {
  type AuthorizationAttributes,
  type FieldRequirement,
  type LabelRequirement,
  type LabelSelectorRequirement,
  parseFieldSelector,
  parseLabelSelector,
} from "../../toolbox.ts";
import type {
  FieldSelectorAttributes,
  FieldSelectorRequirement,
  LabelSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
} from "./schema.ts";

/** The valid requirements of a selector, and whether all are valid. */
interface Selected<R> {
  readonly requirements: readonly R[];
  readonly isWhole: boolean;
}

/** Attributes, and sentences about selectors that are ignored. */
export interface ReviewedAttributes {
  readonly attributes: AuthorizationAttributes;
  readonly errors: readonly string[];
}

const none = {
  isResourceRequest: false,
  path: "",
  verb: "",
  group: "",
  version: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
};

/** Exactly one of the two is given. Invalid requirements are ignored: the review is then about more objects. */
export function attributesOf(resource: ResourceAttributes | undefined, other: NonResourceAttributes | undefined): ReviewedAttributes {
  if (resource === undefined) {
    const { path = "", verb = "" } = other ?? {};
    return { attributes: { ...none, path, verb }, errors: [] };
  }
  const { fieldSelector, labelSelector, version = "", ...texts } = resource;
  const fields = fieldSelector === undefined ? undefined : fieldsOf(fieldSelector);
  const labels = labelSelector === undefined ? undefined : labelsOf(labelSelector);
  return {
    attributes: {
      ...none,
      ...texts,
      isResourceRequest: true,
      version: version === "" ? "*" : version,
      ...(fields === undefined || fields.requirements.length === 0 ? {} : { fieldSelector: fields.requirements }),
      ...(labels === undefined || labels.requirements.length === 0 ? {} : { labelSelector: labels.requirements }),
    },
    errors: [...errorsOf("fieldSelector", fields), ...errorsOf("labelSelector", labels)],
  };
}

function errorsOf(name: string, selected: Selected<unknown> | undefined): readonly string[] {
  if (selected === undefined || selected.isWhole) return [];
  const how = selected.requirements.length > 0 ? "partially ignored" : "ignored";
  return [`spec.resourceAttributes.${name} ${how} due to parse error`];
}

function fieldsOf({ rawSelector = "", requirements = [] }: FieldSelectorAttributes): Selected<FieldRequirement> {
  if (requirements.length === 0) return parseSelector(parseFieldSelector(rawSelector));
  const found = requirements.map(fieldRequirement).filter((each) => each !== undefined);
  return { requirements: found, isWhole: found.length === requirements.length };
}

/** Field selectors have at most one value, and no existence operators. */
function fieldRequirement({ key: field, operator, values: [value, ...more] = [] }: FieldSelectorRequirement): FieldRequirement | undefined {
  if (value === undefined || more.length > 0) return undefined;
  if (operator === "In") return { field, operator: "=", value };
  return operator === "NotIn" ? { field, operator: "!=", value } : undefined;
}

function labelsOf({ rawSelector = "", requirements = [] }: LabelSelectorAttributes): Selected<LabelRequirement> {
  if (requirements.length === 0) return parseSelector(parseLabelSelector(rawSelector));
  const found = requirements.map(labelRequirement).filter((each) => each !== undefined);
  return { requirements: found, isWhole: found.length === requirements.length };
}

function labelRequirement({ key, operator, values = [] }: LabelSelectorRequirement): LabelRequirement | undefined {
  const known = Object.hasOwn(labelOperators, operator) ? labelOperators[operator] : undefined;
  return known === undefined ? undefined : { key, operator: known, values };
}
const labelOperators: Readonly<Record<string, LabelRequirement["operator"]>> = Object.freeze({
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
});

function parseSelector<R>(selector: { readonly ok: true; readonly requirements: readonly R[] } | { readonly ok: false }): Selected<R> {
  return selector.ok ? { requirements: selector.requirements, isWhole: true } : { requirements: [], isWhole: false };
}
