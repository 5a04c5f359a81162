/** Enumerations of schemas, as sets that are made once for each schema. */
import { spendSteps } from "../budget.ts";
import { type FieldError, notSupported } from "../field-error.ts";
import type { Json } from "../json.ts";
import { goJson } from "../tree/json-text.ts";

interface Enumeration {
  readonly texts: ReadonlySet<string>;
  /** Integers among the values: a number is converted to the type of the allowed value, as in Go. */
  readonly integers: ReadonlySet<number>;
  /** The list of values in an error; made at the first one, because most enumerations are never violated. */
  detail: string | undefined;
}

const known = new WeakMap<readonly Json[], Enumeration>();

/** Returns the error of a value that is not allowed; undefined if it is. Errors share the text that lists the allowed values. */
export function enumError(place: { readonly path: string }, value: Json, allowed: readonly Json[]): FieldError | undefined {
  const { texts, integers } = enumerationOf(allowed);
  if (typeof value === "number" && integers.has(Math.trunc(value))) return undefined;
  const text = goJson(value);
  spendSteps(1 + (text.length >> 3));
  return texts.has(text) ? undefined : { ...notSupported(place.path, value, []), detail: detailOf(allowed) };
}

function enumerationOf(allowed: readonly Json[]): Enumeration {
  const before = known.get(allowed);
  if (before !== undefined) return before;
  spendSteps(allowed.length * 4);
  const integers = allowed.filter((each): each is number => typeof each === "number" && Number.isInteger(each));
  const made = { texts: new Set(allowed.map((each) => goJson(each))), integers: new Set(integers), detail: undefined };
  known.set(allowed, made);
  return made;
}

function detailOf(allowed: readonly Json[]): string {
  const of = enumerationOf(allowed);
  return of.detail ??= notSupported("", null, allowed.map((each) => typeof each === "string" ? each : goJson(each))).detail;
}
