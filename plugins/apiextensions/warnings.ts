/** Makes the warnings of definitions. */
import { goQuote, sameValue } from "../../toolbox.ts";
import { isKnownFormat } from "./formats.ts";
import type { Spec } from "./schema.ts";
import { costWarningsOf } from "./validate/root.ts";
import { rootSchemas, schemasIn } from "./schema-walk.ts";

/** Returns a warning for each format that is not supported and that the stored definition does not have. */
export function formatWarnings(next: Spec, prior: Spec | undefined): readonly string[] {
  const stored = prior === undefined ? undefined : unknownFormats(prior);
  return [...unknownFormats(next)].filter((format) => stored?.has(format) !== true).map((format) =>
    `unrecognized format ${goQuote(format)}`
  );
}

/**
 * Returns a warning for each rule that uses more than half of its budget, unless the schemas are those of the stored definition. Upstream
 * has no such warnings.
 */
export function costWarnings(next: Spec, prior: Spec | undefined): readonly string[] {
  if (prior !== undefined && sameValue(next.versions, prior.versions)) return [];
  return rootSchemas(next).flatMap((root) => costWarningsOf(root));
}

function unknownFormats(spec: Spec): ReadonlySet<string> {
  const found = new Set<string>();
  for (const root of rootSchemas(spec)) {
    for (const { type = "", format = "" } of schemasIn(root)) if (format !== "" && !isKnownFormat(type, format)) found.add(format);
  }
  return found;
}
