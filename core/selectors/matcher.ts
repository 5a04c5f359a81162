/**
 * Compiles selectors that are matched with many objects. Matching takes time linear in the labels of the object, not in the selector: a
 * selector of a megabyte has fifty thousand requirements, and a list evaluates it for each object.
 */
import { once } from "../async.ts";
import { type FieldRequirement, matchesFields } from "./field.ts";
import { type LabelRequirement, type Labels, matchesLabels } from "./label.ts";

/** Number of keys and values of a selector up to which a loop over its requirements is faster than an index. */
const loopedMax = 16;

/**
 * Makes a function that returns what `matchesLabels` returns for these requirements. The index of a long selector is made at the first
 * call.
 */
export function labelMatcher(requirements: readonly LabelRequirement[]): (labels: Labels | undefined) => boolean {
  const isShort = requirements.length <= loopedMax && requirements.every(({ values }) => values.length <= loopedMax);
  if (isShort) return (labels) => matchesLabels(requirements, labels);
  const index = once(() => indexOf(requirements));
  return (labels = {}) => {
    const { forbidden, rules, required } = index(), own = Object.keys(labels);
    if (required.length > own.length || !required.every((key) => Object.hasOwn(labels, key))) return false;
    return own.every((key) => {
      if (forbidden.has(key)) return false;
      const rule = rules.get(key);
      return rule === undefined || allows(rule, labels, key);
    });
  };
}

interface LabelIndex {
  /** Keys that must be absent. */
  readonly forbidden: ReadonlySet<string>;
  /** Keys that must be present. */
  readonly required: readonly string[];
  /** The rules of values by key. */
  readonly rules: ReadonlyMap<string, ValueRule>;
}
/** All requirements on the value of one key. */
interface ValueRule {
  /** The values that all requirements `in` allow; undefined if there is no such requirement. */
  allowed: ReadonlySet<string> | undefined;
  denied: Values;
  /** The strictest `gt` and the strictest `lt`. */
  bounds: readonly LabelRequirement[];
}
/** A set of values. If there are few, it is a list, which takes less memory. */
type Values = Set<string> | string[];

function indexOf(requirements: readonly LabelRequirement[]): LabelIndex {
  const forbidden = new Set<string>(), required = new Set<string>(), rules = new Map<string, ValueRule>();
  for (const requirement of requirements) {
    const { key, operator, values } = requirement;
    if (operator === "!") {
      forbidden.add(key);
      continue;
    }
    const isDenial = operator === "notin" || operator === "!=";
    if (!isDenial) required.add(key);
    if (operator === "exists") continue;
    let rule = rules.get(key);
    if (rule === undefined) rules.set(key, rule = { allowed: undefined, denied: [], bounds: [] });
    const { allowed } = rule;
    if (isDenial) rule.denied = withValues(rule.denied, values);
    else if (operator === "gt" || operator === "lt") rule.bounds = strictest(rule.bounds, requirement);
    else rule.allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)));
  }
  return { forbidden, required: [...required], rules };
}

function withValues(to: Values, values: readonly string[]): Values {
  if (Array.isArray(to) && to.length + values.length > loopedMax) to = new Set(to);
  for (const value of values) {
    if (Array.isArray(to)) to.push(value);
    else to.add(value);
  }
  return to;
}

function strictest(bounds: readonly LabelRequirement[], bound: LabelRequirement): readonly LabelRequirement[] {
  const other = bounds.find(({ operator }) => operator === bound.operator);
  if (other === undefined) return [...bounds, bound];
  const [a, b] = [other, bound].map(({ values }) => BigInt(values[0]!.replace(/^\+/, ""))) as [bigint, bigint]; // there are two of them
  const isStricter = bound.operator === "gt" ? b > a : b < a;
  return isStricter ? [...bounds.filter((each) => each !== other), bound] : bounds;
}

function allows({ allowed, denied, bounds }: ValueRule, labels: Labels, key: string): boolean {
  const value = labels[key]!;
  const isDenied = Array.isArray(denied) ? denied.includes(value) : denied.has(value);
  return (allowed === undefined || allowed.has(value)) && !isDenied && matchesLabels(bounds, labels);
}

/**
 * Makes a function that returns what `matchesFields` returns for these requirements. The index of a long selector is made at the first
 * call.
 */
export function fieldMatcher(requirements: readonly FieldRequirement[]): (valueOf: (field: string) => string) => boolean {
  if (requirements.length <= loopedMax) return (valueOf) => matchesFields(requirements, valueOf);
  const index = once(() => {
    const rules = new Map<string, { readonly wanted: Set<string>; readonly denied: Set<string> }>();
    for (const { field, operator, value } of requirements) {
      let rule = rules.get(field);
      if (rule === undefined) rules.set(field, rule = { wanted: new Set(), denied: new Set() });
      (operator === "=" ? rule.wanted : rule.denied).add(value);
    }
    return rules;
  });
  return (valueOf) => {
    for (const [field, { wanted, denied }] of index()) {
      const value = valueOf(field);
      if (wanted.size > 1 || (wanted.size === 1 && !wanted.has(value)) || denied.has(value)) return false;
    }
    return true;
  };
}
