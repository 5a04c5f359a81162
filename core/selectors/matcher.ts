/**
 * Selectors compiled for many objects. Matching takes time linear in the labels of the object, not in the selector: a selector of a megabyte
 * has fifty thousand requirements, and a list evaluates it for each object.
 */
import { type FieldRequirement, matchesFields } from "./field.ts";
import { type LabelRequirement, type Labels, matchesLabels } from "./label.ts";

/** Keys and values of a selector up to which a loop over its requirements is faster than an index. */
const loopedMax = 16;

/** A function that returns what `matchesLabels` returns for these requirements. */
export function labelMatcher(requirements: readonly LabelRequirement[]): (labels: Labels | undefined) => boolean {
  const isShort = requirements.length <= loopedMax && requirements.every(({ values }) => values.length <= loopedMax);
  if (isShort) return (labels) => matchesLabels(requirements, labels);
  const rules = new Map<string, LabelRule>();
  for (const requirement of requirements) {
    let rule = rules.get(requirement.key);
    if (rule === undefined) {
      rules.set(requirement.key, rule = { allowed: undefined, denied: new Set(), required: false, forbidden: false, bounds: [] });
    }
    addLabelRequirement(rule, requirement);
  }
  const required = [...rules].filter(([, rule]) => rule.required).map(([key]) => key);
  return (labels = {}) => {
    const own = Object.keys(labels);
    if (required.length > own.length || !required.every((key) => Object.hasOwn(labels, key))) return false;
    return own.every((key) => {
      const rule = rules.get(key);
      return rule === undefined || allows(rule, labels, key);
    });
  };
}

/** All requirements of one key. */
interface LabelRule {
  /** The label must be present. */
  required: boolean;
  /** The label must be absent. */
  forbidden: boolean;
  /** The values of all requirements `in`; undefined without one. */
  allowed: ReadonlySet<string> | undefined;
  readonly denied: Set<string>;
  /** The strictest `gt` and the strictest `lt`. */
  bounds: readonly LabelRequirement[];
}

function addLabelRequirement(rule: LabelRule, requirement: LabelRequirement): void {
  const { operator, values } = requirement;
  if (operator === "!") rule.forbidden = true;
  else if (operator === "notin" || operator === "!=") { for (const value of values) rule.denied.add(value); }
  else {
    rule.required = true;
    if (operator === "gt" || operator === "lt") rule.bounds = strictest(rule.bounds, requirement);
    else if (operator !== "exists") {
      const { allowed } = rule;
      rule.allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)));
    }
  }
}

function strictest(bounds: readonly LabelRequirement[], bound: LabelRequirement): readonly LabelRequirement[] {
  const other = bounds.find(({ operator }) => operator === bound.operator);
  if (other === undefined) return [...bounds, bound];
  const [a, b] = [other, bound].map(({ values }) => BigInt(values[0]!.replace(/^\+/, ""))) as [bigint, bigint]; // of two
  const isStricter = bound.operator === "gt" ? b > a : b < a;
  return isStricter ? [...bounds.filter((each) => each !== other), bound] : bounds;
}

function allows({ forbidden, allowed, denied, bounds }: LabelRule, labels: Labels, key: string): boolean {
  const value = labels[key]!;
  return !forbidden && (allowed === undefined || allowed.has(value)) && !denied.has(value) && matchesLabels(bounds, labels);
}

/** A function that returns what `matchesFields` returns for these requirements. */
export function fieldMatcher(requirements: readonly FieldRequirement[]): (valueOf: (field: string) => string) => boolean {
  if (requirements.length <= loopedMax) return (valueOf) => matchesFields(requirements, valueOf);
  const rules = new Map<string, { readonly wanted: Set<string>; readonly denied: Set<string> }>();
  for (const { field, operator, value } of requirements) {
    let rule = rules.get(field);
    if (rule === undefined) rules.set(field, rule = { wanted: new Set(), denied: new Set() });
    (operator === "=" ? rule.wanted : rule.denied).add(value);
  }
  return (valueOf) => {
    for (const [field, { wanted, denied }] of rules) {
      const value = valueOf(field);
      if (wanted.size > 1 || (wanted.size === 1 && !wanted.has(value)) || denied.has(value)) return false;
    }
    return true;
  };
}
