/** The rules of taints. */
import { type FieldError, notSupported, required } from "../../plugin.ts";
import { validateLabelName, validateLabelValue } from "./names.ts";
import { type DeviceTaint, taintEffects } from "./parts-schema.ts";

/** Checks a taint. The effect of the stored taint is not checked again. */
export function validateTaint({ key, value = "", effect }: DeviceTaint, path: string, stored?: string): readonly FieldError[] {
  const effects: readonly string[] = taintEffects, own: string = effect;
  return [
    ...validateLabelName(key, `${path}.key`),
    ...(value === "" ? [] : validateLabelValue(value, `${path}.value`)),
    ...(own === stored || effects.includes(own)
      ? []
      : [own === "" ? required(`${path}.effect`, "") : notSupported(`${path}.effect`, own, effects)]),
  ];
}

/** The taint with the time at which it was added. */
export function withTime<T extends DeviceTaint>(taint: T, now: string): T {
  return taint.timeAdded === undefined || taint.timeAdded === null ? { ...taint, timeAdded: now } : taint;
}
