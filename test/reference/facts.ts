/** Facts about kube-apiserver 1.35 (`npm run reference:refresh` writes them), and their comparison with the served API. */
import { readFileSync } from "node:fs";

export type Value = null | boolean | number | string | readonly Value[] | Fields;
export type Fields = { readonly [key: string]: Value };

/** A difference: its location, the reference's value and ours. Undefined is an absent value. */
export interface Difference {
  readonly at: string;
  readonly theirs: Value | undefined;
  readonly ours: Value | undefined;
}

const folder = new URL("facts/", import.meta.url);

export function readFacts<T>(file: string): T {
  // `as`: a file of the repository; a wrong shape fails the test that reads it.
  return JSON.parse(readFileSync(new URL(file, folder), "utf8")) as T;
}

/** Every difference of two values; the order of keys is ignored, that of lists is not. */
export function differences(at: string, theirs: Value | undefined, ours: Value | undefined): readonly Difference[] {
  if (isFields(theirs) && isFields(ours)) {
    const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    const of = (fields: Fields, key: string) => Object.hasOwn(fields, key) ? fields[key] : undefined;
    return [...keys].flatMap((key) => differences(at === "" ? key : `${at}.${key}`, of(theirs, key), of(ours, key)));
  }
  return JSON.stringify(theirs) === JSON.stringify(ours) ? [] : [{ at, theirs, ours }];
}

export function isFields(value: Value | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Intended differences by location, with the reason. */
export type Exceptions = Readonly<Record<string, string>>;

/** Unintended differences, one line each, and unused exceptions. */
export function unexplained(found: readonly Difference[], exceptions: Exceptions): readonly string[] {
  const text = (value: Value | undefined) => value === undefined ? "nothing" : JSON.stringify(value);
  const met = new Set(found.map(({ at }) => at));
  return [
    ...found.filter(({ at }) => !Object.hasOwn(exceptions, at)).map(({ at, theirs, ours }) =>
      `${at}: the reference has ${text(theirs)}, we have ${text(ours)}`
    ),
    ...Object.keys(exceptions).filter((at) => !met.has(at)).map((at) => `${at}: is an exception and no difference`),
  ];
}
