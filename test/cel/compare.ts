/** Compares what was recorded with what happened. */
import type { Json } from "../../core/json.ts";
import type { Expected, OracleCase } from "./cases.ts";
import { anonymous, byText, runRuleCase } from "./rule-case.ts";

export interface Difference {
  readonly case: OracleCase;
  readonly field: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

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
  return [...fields].flatMap((field) => {
    const expected = normal(field, given.expect[field]), found = normal(field, actual[field]);
    return JSON.stringify(expected) === JSON.stringify(found) ? [] : [{ case: given, field, expected, actual: found }];
  });
}

export function runCase(given: OracleCase): Expected {
  if (given.mode === "rule") return runRuleCase(given);
  throw new Error("policies are not run yet");
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
  if (Array.isArray(value)) return (value as readonly Json[]).map(sortedMembers);
  const object = value as { readonly [key: string]: Json };
  return Object.fromEntries(Object.keys(object).sort().map((key) => [key, sortedMembers(object[key]!)]));
}
