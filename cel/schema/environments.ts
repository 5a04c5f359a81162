/** The environments of expressions: new ones have the libraries of the oldest compatible release, stored ones those of all. */
import { minorOf, type Release } from "../../core/releases.ts";
import type { Environment } from "../declarations.ts";
import { allVersions, environment } from "../environment.ts";
import type { RuleEnvironments } from "./rule.ts";

const made = new Map<number, Environment>();

/** Returns the environment with the libraries of a version; there is one for each. */
function environmentOf(version: number): Environment {
  const known = made.get(version) ?? environment({ version });
  made.set(version, known);
  return known;
}

/** Returns the environment of new expressions, which servers of the release `minCompatibility` must be able to compile. */
export function newExpressions(minCompatibility: Release): Environment {
  return environmentOf(minorOf(minCompatibility));
}

/** Returns the environment of expressions that are stored already, and of their evaluation. */
export function storedExpressions(): Environment {
  return environmentOf(allVersions);
}

/** For rules that are stored already. */
export const storedRules: RuleEnvironments = { rule: storedExpressions, message: storedExpressions };

/**
 * Returns the environment for the rules of a definition that is written. Expressions of the stored definition may use the libraries of
 * all versions.
 */
export function rulesWithStored(
  rules: ReadonlySet<string>,
  messages: ReadonlySet<string>,
  minCompatibility: Release,
): RuleEnvironments {
  const of = (stored: ReadonlySet<string>) => (expression: string) =>
    stored.has(expression) ? storedExpressions() : newExpressions(minCompatibility);
  return { rule: of(rules), message: of(messages) };
}
