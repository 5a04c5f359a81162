/** Validation of limit ranges, with upstream's order and texts. */
import { duplicate, type FieldError, forbidden, type HookContext, invalid, required } from "../../plugin.ts";
import { amountOf, append, compareQuantities, integerOf, type Names, qualifiedName, roundUp } from "../../toolbox.ts";
import { canOvercommit, containerResourceName, resourceName } from "../shared/resource-names.ts";
import type { LimitRange, LimitRangeItem } from "./limit-range-schema.ts";

const types = ["Pod", "Container", "PersistentVolumeClaim"];

export function validateLimitRange({ spec: { limits = [] } }: LimitRange, { names }: HookContext): readonly FieldError[] {
  const errors: FieldError[] = [], seen = new Set<string>();
  for (const [i, item] of limits.entries()) {
    const path = `spec.limits[${i}]`;
    append(errors, validateType(item.type, `${path}.type`));
    if (seen.has(item.type)) errors.push({ ...duplicate(`${path}.type`, item.type), quoted: "json" });
    seen.add(item.type);
    append(errors, validateNames(item, path, names), validateBounds(item, path, names));
  }
  return errors;
}

function validateType(type: string, path: string): readonly FieldError[] {
  const wrong = qualifiedName(type);
  const texts = wrong.length > 0 || type.includes("/") || types.includes(type)
    ? wrong
    : ["must be a standard limit type or fully qualified"];
  return texts.map((text) => ({ ...invalid(path, type, text), quoted: "json" }));
}

const sortedKeys = (amounts: Readonly<Record<string, unknown>> | undefined) => Object.keys(amounts ?? {}).sort();

/** Checks the names of all resources, and that each type has the bounds that it needs and no others. */
function validateNames(item: LimitRangeItem, path: string, names: Names): readonly FieldError[] {
  const { type, max = {}, min = {} } = item, errors: FieldError[] = [];
  const rule = type === "Pod" || type === "Container" ? containerResourceName : resourceName;
  const check = (key: "max" | "min" | "default" | "defaultRequest" | "maxLimitRequestRatio") => {
    for (const name of sortedKeys(item[key])) append(errors, rule(name, `${path}.${key}[${name}]`, names));
  };
  check("max");
  check("min");
  for (const key of ["default", "defaultRequest"] as const) {
    if (type !== "Pod") check(key);
    else if (sortedKeys(item[key]).length > 0) errors.push(forbidden(`${path}.${key}`, "may not be specified when `type` is 'Pod'"));
  }
  if (type === "PersistentVolumeClaim" && !Object.hasOwn(min, "storage") && !Object.hasOwn(max, "storage")) {
    errors.push(required(`${path}.limits`, "either minimum or maximum storage value is required, but neither was provided"));
  }
  check("maxLimitRequestRatio");
  return errors;
}

/** The bounds of one resource in an item. */
interface Bounds {
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly limit: string | undefined;
  readonly request: string | undefined;
  readonly ratio: string | undefined;
}

function validateBounds(item: LimitRangeItem, path: string, names: Names): readonly FieldError[] {
  // Defaults of the type Pod are rejected by `validateNames`, so they are not compared here.
  const { min = {}, max = {}, maxLimitRequestRatio = {} } = item;
  const { default: limits = {}, defaultRequest: requests = {} } = item.type === "Pod" ? {} : item;
  const all = [min, max, limits, requests, maxLimitRequestRatio];
  const of = (amounts: Readonly<Record<string, string>>, name: string) => Object.hasOwn(amounts, name) ? amounts[name] : undefined;
  return [...new Set(all.flatMap((amounts) => Object.keys(amounts)))].sort().flatMap((name) => {
    const [least, most, limit, request, ratio] = all.map((amounts) => of(amounts, name));
    const bounds = { min: least, max: most, limit, request, ratio };
    return [
      ...validateOrder(bounds, path, name),
      ...validateRatio(bounds, `${path}.maxLimitRequestRatio[${name}]`),
      ...validateFixed(bounds, path, name, names),
    ];
  });
}

/** Whether both amounts are given and the first is greater. */
function exceeds(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
}

function validateOrder({ min, max, limit, request }: Bounds, path: string, name: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const wrong = (key: string, value: string | undefined, why: string) => errors.push(invalid(`${path}.${key}[${name}]`, value, why));
  if (exceeds(min, max)) wrong("min", min, `min value ${min} is greater than max value ${max}`);
  if (exceeds(min, request)) wrong("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  if (exceeds(request, max)) wrong("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  if (exceeds(request, limit)) {
    wrong("defaultRequest", request, `default request value ${request} is greater than default limit value ${limit}`);
  }
  // As upstream, the value of these two errors is that of the bound.
  if (exceeds(min, limit)) wrong("default", min, `min value ${min} is greater than default value ${limit}`);
  if (exceeds(limit, max)) wrong("default", max, `default value ${limit} is greater than max value ${max}`);
  return errors;
}

/** The largest amount that is compared in thousandths; larger ones are compared as integers. */
const millisMax = (2n ** 63n - 1n) / 1000n;

/** Returns the amount in steps of 10^-`digits`, rounded away from zero. As upstream, it is 0 beyond 64 bits. */
function scale(amount: string, digits: 0 | 3): bigint {
  const rounded = roundUp(amountOf(amount), -digits);
  const value = integerOf(rounded.digits === "" ? rounded : { ...rounded, exponent: rounded.exponent + digits }) ?? 0n;
  return BigInt.asIntN(64, value) === value ? value : 0n;
}

function validateRatio({ min, max, ratio }: Bounds, path: string): readonly FieldError[] {
  if (ratio === undefined) return [];
  const errors: FieldError[] = compareQuantities(ratio, "1") < 0 ? [invalid(path, ratio, `ratio ${ratio} is less than 1`)] : [];
  if (min === undefined || max === undefined) return errors;
  const inMillis = [ratio, min, max].every((amount) => scale(amount, 0) < millisMax);
  const digits = inMillis ? 3 : 0, factor = inMillis ? 1000 : 1;
  const most = Number(scale(max, digits)) / Number(scale(min, digits));
  if (Number(scale(ratio, digits)) / factor > most) {
    errors.push(invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${goFloat(most)}`));
  }
  return errors;
}
/** Writes a number in Go's format `%f`. */
function goFloat(value: number): string {
  return value === -Infinity ? "-Inf" : value.toFixed(6);
}

/** Checks that a resource that cannot be overcommitted has equal limits and requests. */
function validateFixed({ limit, request }: Bounds, path: string, name: string, names: Names): readonly FieldError[] {
  if (limit === undefined || request === undefined || canOvercommit(name, names) || compareQuantities(limit, request) === 0) return [];
  return [
    invalid(`${path}.defaultRequest[${name}]`, request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`),
  ];
}
