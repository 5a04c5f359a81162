import { type Fold, fold, isObject, type Json } from "../schema.ts";
import { valueText } from "../value-text.ts";

/** Returns the mistakes of a value as a default of a node; none if it is valid. */
type Check = (value: Json, path: string) => readonly string[];

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

function expects(what: string, fits: (value: Json) => boolean): Check {
  return (value, path) => fits(value) ? [] : [`${path}: the default ${defaultText(value)} is not ${what}`];
}
function defaultText(value: Json): string {
  return valueText(value);
}
function isInteger(value: Json, min: bigint, max: bigint): boolean {
  if (typeof value === "number" ? !Number.isSafeInteger(value) : typeof value !== "bigint") return false;
  // Here the value is a number or a bigint, which TypeScript does not infer.
  return BigInt(value as number | bigint) >= min && BigInt(value as number | bigint) <= max;
}
const text = (): Check => expects("a string", (value) => typeof value === "string");

const table: Fold<Check> = {
  boolean: () => expects("true or false", (value) => typeof value === "boolean"),
  string: ({ oneOf }) =>
    oneOf === undefined
      ? expects("a string", (value) => typeof value === "string")
      : expects(`one of ${oneOf.map((each) => valueText(each)).join(", ")}`, (value) => oneOf.some((each) => each === value)),
  int32: () => expects("a 32-bit integer", (value) => isInteger(value, -(2n ** 31n), 2n ** 31n - 1n)),
  int64: () => expects("a 64-bit integer", (value) => isInteger(value, -(2n ** 63n), 2n ** 63n - 1n)),
  double: () => expects("a number", (value) => typeof value === "number"),
  bytes: () => expects("base64", (value) => typeof value === "string" && value.length % 4 === 0 && base64.test(value)),
  quantity: text,
  intOrString: () =>
    expects("an integer or a string", (value) => typeof value === "string" || isInteger(value, -(2n ** 31n), 2n ** 31n - 1n)),
  time: text,
  microTime: text,
  duration: text,
  raw: () => () => [],
  structural: () => () => [],
  fieldsV1: () => expects("an object", isObject),
  list: ({ of }, go) => {
    const check = go(of);
    return (value, path) =>
      Array.isArray(value)
        // Array.isArray loses the type of the elements.
        ? (value as readonly Json[]).flatMap((each, i) => check(each, `${path}[${i}]`))
        : [`${path}: the default ${defaultText(value)} is not a list`];
  },
  record: ({ of }, go) => {
    const check = go(of);
    return (value, path) =>
      isObject(value)
        ? Object.entries(value).flatMap(([key, each]) => check(each, `${path}[${key}]`))
        : [`${path}: the default ${defaultText(value)} is not an object`];
  },
  either: () => () => [],
  struct: ({ name, fields }, go) => (value, path) => {
    if (!isObject(value)) return [`${path}: the default ${defaultText(value)} is not an object`];
    return Object.entries(value).flatMap(([key, each]) =>
      Object.hasOwn(fields, key)
        ? go(fields[key]!.node)(each, `${path}.${key}`)
        : [`${path}: the default has "${key}", which is not a field of ${name}`]
    );
  },
};

/** Returns the mistakes of a published default, by the node of its field. */
export const defaultMistakes = fold<Check>(table, (get) => (value, path) => get()(value, path));
