/**
 * Chains: a variable, a computed value or a conditional, with selectors. Upstream evaluates them as one unit, which decides what they cost and
 * how far an optional selector reaches: it makes all selectors after it optional.
 */
import { CelError, OptionalValue, Uint, type Value } from "../values.ts";
import type { Frame, Run } from "./frame.ts";
import { hasMember, isKey, select, selectIfPresent } from "./select.ts";
import { representation } from "../value/type.ts";

export interface Selector {
  /** The key, if it is known before the expression runs. */
  readonly key: Value | undefined;
  readonly run: Run;
  readonly optional: boolean;
  /** Whether it is the last selector of `has`. */
  readonly isTest: boolean;
}

type Source =
  | { readonly tag: "value"; readonly run: Run }
  | { readonly tag: "conditional"; readonly condition: Run; readonly then: Chain; readonly otherwise: Chain };

export interface Chain {
  readonly source: Source;
  readonly selectors: readonly Selector[];
}

const noOverload = new CelError("no such overload");
const none = new OptionalValue(undefined);

/** Returns the chain with one more selector. A selector of a conditional belongs to both of its branches. */
export function extendChain({ source, selectors }: Chain, selector: Selector): Chain {
  if (source.tag === "value") return { source, selectors: [...selectors, selector] };
  const then = extendChain(source.then, selector);
  const otherwise = extendChain(source.otherwise, selector);
  return { source: { ...source, then, otherwise }, selectors: [...selectors, selector] };
}

/** Evaluates a chain. Its start costs one unit if it is a node of its own, and nothing if it is a branch or a key. */
export function runOfChain(chain: Chain): Run {
  const inner = runWithoutStart(chain);
  if (chain.source.tag === "conditional") return chain.selectors.some(({ isTest }) => isTest) ? withDiscount(inner) : inner;
  if (chain.selectors.some(({ isTest }) => isTest)) return inner;
  return (frame) => {
    const value = inner(frame);
    frame.charge(1);
    return value;
  };
}

/** Evaluates `has` of a member of a conditional. Upstream subtracts the start of a chain there without having charged it. */
function withDiscount(inner: Run): Run {
  return (frame) => {
    const value = inner(frame);
    frame.cost--;
    return value;
  };
}

/** Evaluates a chain whose start costs nothing. */
export function runWithoutStart({ source, selectors }: Chain): Run {
  if (source.tag === "conditional") {
    return runConditional(source.condition, runWithoutStart(source.then), runWithoutStart(source.otherwise));
  }
  if (selectors.length === 0) return source.run;
  return runSelectors(source.run, selectors);
}

function runConditional(condition: Run, then: Run, otherwise: Run): Run {
  return (frame) => {
    const value = condition(frame);
    if (value === true) return then(frame);
    if (value === false) return otherwise(frame);
    return value instanceof CelError ? value : noOverload;
  };
}

function runSelectors(source: Run, selectors: readonly Selector[]): Run {
  const first = selectors.findIndex(({ optional }) => optional);
  const certain = first < 0 ? selectors : selectors.slice(0, first);
  const optional = first < 0 ? [] : selectors.slice(first);
  return (frame) => {
    let value = source(frame);
    if (value instanceof OptionalValue) return runOptional(frame, value.value, selectors);
    for (const selector of certain) {
      if (value instanceof CelError) return value;
      value = applySelector(frame, value, selector);
    }
    if (first < 0 || value instanceof CelError) return value;
    return runOptional(frame, value, optional);
  };
}

/** Applies a selector that is not optional. It costs one unit, even if it fails. */
function applySelector(frame: Frame, value: Value, { key, run, isTest }: Selector): Value {
  if (key === undefined) {
    const computed = run(frame);
    frame.charge(1);
    if (computed instanceof CelError) return computed;
    return isKey(computed) || computed instanceof Uint ? select(value, computed) : invalidKey(computed);
  }
  frame.charge(1);
  return isTest ? hasMember(value, key as string) : select(value, key); // the key of `has` is the name of a field
}

/** Applies selectors to the value of an optional. Each costs one unit if there is a value. */
function runOptional(frame: Frame, start: Value | undefined, selectors: readonly Selector[]): Value {
  let value = start;
  for (const { key, run, isTest } of selectors) {
    if (value === undefined) break;
    const computed = key === undefined ? run(frame) : key;
    if (computed instanceof CelError) return computed;
    if (!isKey(computed) && !(computed instanceof Uint)) return invalidKey(computed);
    const member = selectIfPresent(value, computed);
    if (member instanceof CelError) return member;
    if (member !== undefined) frame.charge(1);
    value = member;
    if (isTest) return value !== undefined;
  }
  if (value !== undefined) return new OptionalValue(value);
  return selectors.at(-1)?.isTest === true ? false : none;
}

function invalidKey(key: Value): CelError {
  return new CelError(`invalid qualifier type: ${representation(key)}`);
}
