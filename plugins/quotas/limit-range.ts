import { defineResource, nameColumn, type Resource } from "../../plugin.ts";
import { createdAtColumn, metaRulesOf, validateObjectMeta } from "../../toolbox.ts";
import { validateLimitRange } from "./limit-range-rules.ts";
import { LimitRange } from "./limit-range-schema.ts";

export const limitRanges: Resource<LimitRange> = defineResource({
  kind: "LimitRange",
  scope: "Namespaced",
  shortNames: ["limits"],
  summary: "Bounds for what each claim of a namespace requests.",
  storedAs: "v1",
  storedUnder: "limitranges",
  served: { v1: { schema: LimitRange, introduced: "1.0", columns: [nameColumn, createdAtColumn] } },
  strategy: { createOnUpdate: true, coreFinalizers: true },
  // As upstream, an object without a name gets one, and an update checks all metadata again.
  prepare: (next, prior) =>
    prior !== undefined || (next.metadata.name ?? "") !== ""
      ? next
      : { ...next, metadata: { ...next.metadata, name: crypto.randomUUID() } },
  create: validateLimitRange,
  update: (next, _prior, context) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(limitRanges, context.names)),
    ...validateLimitRange(next, context),
  ],
});
