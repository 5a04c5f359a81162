/** The environments of the rules of schemas. */
import type { Environment } from "../declarations.ts";
import { allVersions, environment } from "../environment.ts";
import type { RuleEnvironments } from "./rule.ts";

/** Minor version of Kubernetes 1.x that new expressions must be compatible with: the one before the server's. */
export const compatibleVersion = 34;

const made: { fresh?: Environment; stored?: Environment } = {};

function freshEnvironment(): Environment {
  return made.fresh ??= environment({ version: compatibleVersion });
}
function storedEnvironment(): Environment {
  return made.stored ??= environment({ version: allVersions });
}

/** For rules that are stored already. */
export const storedRules: RuleEnvironments = { rule: storedEnvironment, message: storedEnvironment };

/** For the rules of a definition that is written: expressions of the stored definition may use the libraries of all versions. */
export function rulesWithStored(rules: ReadonlySet<string>, messages: ReadonlySet<string>): RuleEnvironments {
  const of = (stored: ReadonlySet<string>) => (expression: string) => stored.has(expression) ? storedEnvironment() : freshEnvironment();
  return { rule: of(rules), message: of(messages) };
}
