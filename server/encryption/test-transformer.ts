/** Transformers for tests. */
import { Transformer, valueKey } from "./transformer.ts";

/** The keys in their order; "identity" for values in the clear. */
export function testTransformer(...keys: readonly (Readonly<Parameters<typeof valueKey>> | "identity")[]): Transformer {
  return new Transformer(keys.map((key) => key === "identity" ? undefined : valueKey(...key)));
}
