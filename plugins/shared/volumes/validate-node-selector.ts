/** Validation of node and topology selectors, with upstream's order and texts. */
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../plugin.ts";
import { append, dns1123Subdomain, labelValue, type Names, qualifiedName, valueText } from "../../../toolbox.ts";
import { deprecatedNodeLabel } from "../node-labels.ts";
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySelectorLabelRequirement,
  TopologySelectorTerm,
} from "./node-selector.ts";
import { fieldErrorsOfListMax } from "../../../core/meta/bounds.ts";

/** Validates a node selector. `storedValues` skips label values, because the stored object has invalid ones from before the check. */
export function validateNodeSelector(selector: NodeSelector, path: string, storedValues = false): readonly FieldError[] {
  const { nodeSelectorTerms } = selector;
  const at = `${path}.nodeSelectorTerms`;
  if (nodeSelectorTerms.length === 0) return [required(at, "must have at least one node selector term")];
  return nodeSelectorTerms.flatMap(({ matchExpressions = [], matchFields = [] }, i) => [
    ...matchExpressions.flatMap((each, j) => validateExpression(each, `${at}[${i}].matchExpressions[${j}]`, storedValues)),
    ...matchFields.flatMap((each, j) => validateFieldRequirement(each, `${at}[${i}].matchFields[${j}]`)),
  ]);
}

/** Whether the selector has an invalid label value. */
export function hasInvalidNodeLabelValue({ nodeSelectorTerms }: NodeSelector): boolean {
  return nodeSelectorTerms.flatMap(({ matchExpressions = [] }) => matchExpressions).flatMap(({ values = [] }) => values)
    .some((value) => labelValue(value).length > 0);
}

function validateExpression(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: string,
  storedValues: boolean,
): readonly FieldError[] {
  return [
    ...validateOperator(operator, values, path),
    ...qualifiedName(key).map((wrong) => invalid(`${path}.key`, key, wrong)),
    ...(storedValues ? [] : values).flatMap((value, i) => labelValue(value).map((wrong) => invalid(`${path}.values[${i}]`, value, wrong))),
  ];
}

function validateOperator(operator: string, values: readonly string[], path: string): readonly FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0 ? [] : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      return values.length === 1 ? [] : [required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [{ ...invalid(`${path}.operator`, operator, "not a valid selector operator"), quoted: "json" }];
  }
}

/** Checks a requirement on a field. Only metadata.name with one value is supported. */
function validateFieldRequirement({ key, operator, values = [] }: NodeSelectorRequirement, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    errors.push({ ...invalid(`${path}.operator`, operator, "not a valid selector operator"), quoted: "json" });
  } else if (values.length !== 1) {
    errors.push(required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  if (key !== "metadata.name") return [...errors, invalid(`${path}.key`, key, "not a valid field selector key")];
  return [
    ...errors,
    ...values.flatMap((value, i) => dns1123Subdomain(value).map((wrong) => invalid(`${path}.values[${i}]`, value, wrong))),
  ];
}

/** Warnings about deprecated labels in a node selector. */
export function warnOfNodeSelector({ nodeSelectorTerms }: NodeSelector, path: string, names: Names): readonly string[] {
  return nodeSelectorTerms.flatMap((term, i) => warnOfTerm(term, `${path}.nodeSelectorTerms[${i}]`, names));
}
/** Warnings about a preferred term, also about invalid label values, which are no errors there. */
export function warnOfPreference(term: NodeSelectorTerm, path: string, names: Names): readonly string[] {
  return warnOfTerm(term, path, names, true);
}
function warnOfTerm({ matchExpressions = [] }: NodeSelectorTerm, path: string, names: Names, values = false): readonly string[] {
  return matchExpressions.flatMap((each, i) => {
    const text = deprecatedNodeLabel(each.key, names), at = `${path}.matchExpressions[${i}]`;
    return [
      ...(text === undefined ? [] : [`${at}.key: ${each.key} is ${text}`]),
      ...(values ? each.values ?? [] : []).flatMap((value, j) =>
        labelValue(value).map((wrong) => `${at}.values[${j}]: ${value} is invalid, ${wrong}`)
      ),
    ];
  });
}

/** Validates topology terms, which must not be equal in any order. As upstream, a term without requirements gives one error per term. */
export function validateTopologies(terms: readonly TopologySelectorTerm[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  // The number of equal terms before the current one. Each of them gives an error.
  const before = new Map([[topologyText(new Map()), terms.length]]);
  let duplicates = 0;
  for (const [i, { matchLabelExpressions = [] }] of terms.entries()) {
    const requirements = new Map<string, readonly string[]>();
    for (const [j, each] of matchLabelExpressions.entries()) {
      const at = `${path}[${i}].matchLabelExpressions[${j}]`;
      append(errors, validateTopologyRequirement(each, at));
      if (requirements.has(each.key)) errors.push(duplicate(`${at}.key`, each.key));
      requirements.set(each.key, each.values);
    }
    const own = topologyText(requirements), count = before.get(own) ?? 0;
    for (let each = 0; each < count && duplicates < fieldErrorsOfListMax; each++, duplicates++) {
      errors.push(duplicate(`${path}[${i}].matchLabelExpressions`, ""));
    }
    before.set(own, count + 1);
  }
  return errors;
}

/** A canonical text of the requirements, independent of the order of keys and values. */
function topologyText(requirements: ReadonlyMap<string, readonly string[]>): string {
  const keys = [...requirements.keys()].sort();
  return valueText(keys.map((key) => [key, [...new Set(requirements.get(key))].sort()]));
}

function validateTopologyRequirement({ key, values }: TopologySelectorLabelRequirement, path: string): readonly FieldError[] {
  const errors: FieldError[] = values.length === 0 ? [required(`${path}.values`, "")] : [];
  const seen = new Set<string>();
  for (const [i, value] of values.entries()) {
    if (seen.has(value)) errors.push(duplicate(`${path}.values[${i}]`, value));
    seen.add(value);
  }
  return [...errors, ...qualifiedName(key).map((wrong) => invalid(`${path}.key`, key, wrong))];
}
