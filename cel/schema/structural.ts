/** Reading structural schemas as upstream's structural form has them. */
import type { StructuralSchema } from "../../core/structural-schema.ts";

export type { StructuralSchema } from "../../core/structural-schema.ts";

/** Returns the schema of `additionalProperties`; undefined if it is missing or a boolean. */
export function otherSchema({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  return typeof additionalProperties === "object" && additionalProperties !== null ? additionalProperties : undefined;
}
