import { defineResource, nameColumn, type Resource } from "../../plugin.ts";
import { createdAtColumn } from "../../toolbox.ts";
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
  create: validateLimitRange,
  update: (next, _prior, context) => validateLimitRange(next, context),
});
