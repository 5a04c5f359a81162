/** Options of requests that are no objects of the API. */
import { type Field, type Shape, struct, type StructNode, type StructOptions, type Typed } from "./schema.ts";

/** Makes a struct with `kind` and `apiVersion`, but without metadata: options of a subresource that connects. */
export function optionsStruct<const F extends Readonly<Record<string, Field<any, any>>>>(
  name: string,
  fields: F,
  options: StructOptions,
): Typed<Shape<F>, StructNode> {
  return Object.freeze({ ...struct(name, fields, options), typeMeta: true }) as Typed<Shape<F>, StructNode>; // its type has no typeMeta
}
