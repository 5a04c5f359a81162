/** Compares recorded and actual results. */
import type { Json } from "../../core/json.ts";
import { parseQuantity, quantityText } from "../../core/scalars/quantity.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";
import type { Expected, OracleCase } from "./cases.ts";
import { runPolicyCase } from "./policy-case.ts";
import { anonymous, byText, runRuleCase } from "./rule-case.ts";

export interface Difference {
  readonly case: OracleCase;
  readonly field: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** Changed objects: patches of mutations are not part of the language. */
const notCompared = ["patched", "patchError"];

/** The differences of a case; the error if it could not be run. */
export function differencesOf(given: OracleCase, run: (given: OracleCase) => Expected): readonly Difference[] {
  let actual: Expected;
  try {
    actual = run(given);
  } catch (error) {
    return [{
      case: given,
      field: "thrown",
      expected: undefined,
      actual: error instanceof Error ? error.stack ?? error.message : String(error),
    }];
  }
  const fields = new Set([...Object.keys(given.expect), ...(given.mode === "rule" ? ["crdErrors"] : ["compileError", "error", "value"])]);
  for (const field of notCompared) fields.delete(field);
  return [...fields].flatMap((field) => {
    const expected = normal(field, given.expect[field]), found = normal(field, actual[field]);
    return JSON.stringify(expected) === JSON.stringify(found) ? [] : [{ case: given, field, expected, actual: found }];
  });
}

/** Whether two tagged values are the same. */
export function sameValue(first: Json, second: Json): boolean {
  return JSON.stringify(sortedMembers(first)) === JSON.stringify(sortedMembers(second));
}

export function runCase(given: OracleCase): Expected {
  return given.mode === "rule" ? runRuleCase(given) : runPolicyCase(given);
}

function canonicalText(text: string): string {
  const amount = parseQuantity(text);
  return amount instanceof Unreadable ? text : quantityText(amount);
}

/** Lists whose order does not count are sorted, and so are members. */
function normal(field: string, value: Json | undefined): Json | undefined {
  if (value === undefined) return undefined;
  const sorted = sortedMembers(value);
  const isUnordered = field === "crdErrors" || field === "rules" || field === "errors";
  return isUnordered && Array.isArray(sorted) ? [...sorted as readonly Json[]].sort(byText) : sorted;
}

function sortedMembers(value: Json): Json {
  if (typeof value === "string") return anonymous(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if ("double" in value) return { double: Object.is(Number(value.double), -0) ? "-0" : String(Number(value.double)) };
  // Upstream keeps the text of a quantity, here it is canonical.
  if ("quantity" in value && typeof value.quantity === "string") return { quantity: canonicalText(value.quantity) };
  if ("map" in value && Array.isArray(value.map)) return { map: [...value.map.map(sortedMembers)].sort(byText) };
  if (Array.isArray(value)) return (value as readonly Json[]).map(sortedMembers);
  const object = value as { readonly [key: string]: Json };
  return Object.fromEntries(Object.keys(object).sort().map((key) => [key, sortedMembers(object[key]!)]));
}
