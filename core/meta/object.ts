import { type ApiObject, ObjectMeta } from "./object-meta.ts";
import { type Field, field, type Shape, struct, type StructNode, type StructOptions, type Typed } from "../schema.ts";

/**
 * Makes the schema of a kind: `kind`, `apiVersion` and `metadata`, then `fields`. Metadata has protobuf number 1, so fields begin at 2. A
 * field `status` gives the kind the status subresource. `Infer<typeof Widget>` is the TypeScript type of its objects.
 */
export function object<const F extends Readonly<Record<string, Field<any, any>>>>(
  name: string,
  fields: F,
  options: StructOptions = {},
): Typed<ApiObject & Shape<F>, StructNode> {
  const metadata = field(1, ObjectMeta, "Standard object's metadata.", { written: "always" });
  // The fields of ApiObject are those that typeMeta and `metadata` describe.
  return Object.freeze({ ...struct(name, { metadata, ...fields }, options), typeMeta: true }) as Typed<ApiObject & Shape<F>, StructNode>;
}
