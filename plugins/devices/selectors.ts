/** Checks of selectors and configurations, which classes and claims have. */
import { type FieldError, forbidden, type HookContext, invalid, required, tooLong } from "../../plugin.ts";
import { isObject } from "../../core/json.ts";
import { spendSteps } from "../../core/budget.ts";
import { bound } from "../../core/bound.ts";
import { type SelectorMistake, selectorMistake } from "../../cel/device/selector.ts";
import { inlineExpressionsLengthMax } from "../shared/bounds.ts";
import { type Json, utf8Length, valueText } from "../../toolbox.ts";
import { expressionBytesMax, parametersBytesMax, selectorsMax } from "./bounds.ts";
import { gates } from "./gates.ts";
import { validateList } from "./lists.ts";
import { validateDriver } from "./names.ts";
import type { DeviceConfiguration, DeviceSelector } from "./parts-schema.ts";

/** Steps of a request's budget for each UTF-16 unit of an expression of a device selector that is compiled. */
export const stepsOfExpressionUnit = bound(20);

/** Checks the selectors of one object. An expression that occurs again is compiled once. */
export class SelectorChecker {
  readonly #context: HookContext;
  readonly #known = new Map<string, SelectorMistake | undefined>();

  constructor(context: HookContext) {
    this.#context = context;
  }

  /** Checks a list of selectors. `isStored`: the stored object has the same list, so its expressions may use all libraries. */
  check(selectors: readonly DeviceSelector[] | undefined, path: string, isStored = false): readonly FieldError[] {
    return validateList(selectors, selectorsMax, ({ cel }, at) => {
      if (cel === undefined || cel === null) return [required(`${at}.cel`, "")];
      return this.#expression(cel.expression, `${at}.cel.expression`, isStored);
    }, path);
  }

  #expression(text: string, path: string, isStored: boolean): readonly FieldError[] {
    if (utf8Length(text) > expressionBytesMax) return [tooLong(path, expressionBytesMax)];
    const mistake = this.#mistake(text, isStored);
    switch (mistake?.tag) {
      case undefined:
        return [];
      case "invalid":
        return [invalid(path, text, mistake.detail)];
      case "internal":
        return [{ type: "Internal", path, detail: mistake.detail }];
      case "expensive":
        return [forbidden(path, "too complex, exceeds cost limit")];
    }
  }

  #mistake(text: string, isStored: boolean): SelectorMistake | undefined {
    const key = `${isStored} ${text}`;
    if (this.#known.has(key)) return this.#known.get(key);
    spendSteps(text.length * stepsOfExpressionUnit);
    const mistake = selectorMistake(text, {
      minCompatibility: isStored ? undefined : this.#context.minCompatibility,
      hasConsumableCapacity: this.#context.gates(gates.consumableCapacity),
    });
    this.#known.set(key, mistake);
    return mistake;
  }
}

/** Whether lists of selectors are so long that they are compiled in the heavy thread. Lists of a request are not checked yet. */
export function areLong(lists: Iterable<unknown>): boolean {
  let length = 0;
  for (const selectors of lists) {
    if (!Array.isArray(selectors)) continue;
    for (const each of selectors) {
      const expression: unknown = each?.cel?.expression;
      if (typeof expression === "string") length += expression.length;
    }
  }
  return length > inlineExpressionsLengthMax;
}

/** Checks the one configuration. `isStored`: it may be longer than a new one. */
export function validateConfiguration({ opaque }: DeviceConfiguration, path: string, isStored = false): readonly FieldError[] {
  if (opaque === undefined || opaque === null) return [required(`${path}.opaque`, "")];
  return [
    ...validateDriver(opaque.driver, `${path}.opaque.driver`),
    ...validateParameters(opaque.parameters, `${path}.opaque.parameters`, isStored),
  ];
}

/** Checks a JSON object. `isStored`: it may be longer than a new one. */
export function validateParameters(value: Json, path: string, isStored = false): readonly FieldError[] {
  if (value === null || value === undefined) return [required(path, "")];
  if (!isStored && utf8Length(valueText(value)) > parametersBytesMax) return [tooLong(path, parametersBytesMax)];
  return isObject(value) ? [] : [invalid(path, "<value omitted>", "must be a valid JSON object")];
}
