/** The rules of capacities and their request policies, with upstream's texts and order. */
import { type FieldError, forbidden, invalid, required } from "../../plugin.ts";
import { amountOf, compareQuantities, integerOf, type Quantity, quantityText, roundUp, sumOf } from "../../toolbox.ts";
import { policyValuesMax } from "./bounds.ts";
import { validateSet } from "./lists.ts";
import type { DeviceCapacity } from "./slice-schema.ts";

type Policy = NonNullable<DeviceCapacity["requestPolicy"]>;
type PolicyRange = NonNullable<Policy["validRange"]>;

/** Checks a capacity. Only a device that can be allocated several times has a policy. */
export function validateCapacity({ value, requestPolicy: policy }: DeviceCapacity, path: string, isShared: boolean): readonly FieldError[] {
  const at = `${path}.requestPolicy`;
  if (policy === undefined) return [];
  if (!isShared) return [forbidden(at, "allowMultipleAllocations must be true")];
  const { validValues = [], validRange } = policy, standard = policy.default ?? undefined;
  if (validValues.length > 0 && validRange !== undefined) {
    return [forbidden(at, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')];
  }
  if (validValues.length > 0) {
    return standard === undefined
      ? [required(`${at}.default`, "required when validValues is defined")]
      : validateValues(validValues, standard, value, `${at}.validValues`);
  }
  if (validRange === undefined) return [];
  return standard === undefined
    ? [required(`${at}.default`, "required when validRange is defined")]
    : validateRange(validRange, standard, value, `${at}.validRange`);
}

const isMore = (a: Quantity, b: Quantity) => compareQuantities(a, b) > 0;
/** The amount in whole units, rounded up, as Go's `Value()`. */
const whole = (amount: Quantity): bigint => integerOf(roundUp(amountOf(amount), 0)) ?? 0n; // quantities are below 2^63

function validateValues(values: readonly Quantity[], standard: Quantity, value: Quantity, path: string): readonly FieldError[] {
  const unsorted = values.flatMap((each, i) =>
    i > 0 && isMore(values[i - 1]!, each) ? [invalid(`${path}[${i}]`, each, "values must be sorted in ascending order")] : []
  );
  const isListed = values.length <= policyValuesMax && values.some((each) => compareQuantities(each, standard) === 0);
  return [
    ...unsorted,
    ...validateSet(
      values,
      policyValuesMax,
      (each, at) => isMore(each, value) ? [invalid(at, each, `option is larger than capacity value: ${value}`)] : [],
      (each) => `${whole(each)}`,
      path,
    ),
    ...(isListed ? [] : [invalid(path, standard, "default value is not valid according to the requestPolicy")]),
  ];
}

function validateRange({ min, max, step }: PolicyRange, standard: Quantity, value: Quantity, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const check = (key: string, isWrong: boolean, shown: Quantity, detail: string) => {
    if (isWrong) errors.push(invalid(`${path}.${key}`, shown, detail));
  };
  if (min === undefined || min === null) return [required(`${path}.min`, "required when validRange is defined")];
  check("min", isMore(min, value), min, `min is larger than capacity value: ${value}`);
  check("min", isMore(min, standard), standard, `default is less than min: ${min}`);
  if (max !== undefined) {
    check("max", isMore(min, max), min, `min is larger than max: ${max}`);
    check("max", isMore(max, value), max, `max is larger than capacity value: ${value}`);
    check("max", isMore(standard, max), standard, `default is more than max: ${max}`);
  }
  if (step === undefined) return errors;
  const added = quantityText(sumOf(amountOf(min), amountOf(step)));
  check("step", isMore(added, value), step, `one step ${added} is larger than capacity value: ${value}`);
  for (const amount of max === undefined ? [standard] : [standard, max]) {
    const size = whole(step), isOff = size === 0n || (whole(amount) - whole(min)) % size !== 0n;
    check("step", isOff, amount, `value is not a multiple of a given step (${step}) from (${min})`);
  }
  return errors;
}
