/** The warnings of definitions. */
import { goQuote } from "../../plugin.ts";
import { isKnownFormat } from "./formats.ts";
import type { Spec } from "./schema.ts";
import { rootSchemas, schemasIn } from "./schema-walk.ts";

/** One warning for each format that is not supported, and that the stored definition does not have. */
export function formatWarnings(next: Spec, prior: Spec | undefined): readonly string[] {
  const stored = prior === undefined ? undefined : unknownFormats(prior);
  return [...unknownFormats(next)].filter((format) => stored?.has(format) !== true).map((format) =>
    `unrecognized format ${goQuote(format)}`
  );
}

function unknownFormats(spec: Spec): ReadonlySet<string> {
  const found = new Set<string>();
  for (const root of rootSchemas(spec)) {
    for (const { type = "", format = "" } of schemasIn(root)) if (format !== "" && !isKnownFormat(type, format)) found.add(format);
  }
  return found;
}
