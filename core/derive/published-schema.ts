/**
 * Kinds as structural schemas with the types that OpenAPI documents publish: what the type checker of policies sees. As upstream, a quantity
 * and any value without a published type are hidden, a duration is a string, and a struct within itself is an object without fields.
 */
import { ObjectMeta } from "../meta/object-meta.ts";
import { type Node, resolve, type StructNode } from "../schema.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { publish, type Published } from "../structural/openapi.ts";

/** Returns the schema of a kind. Made once for each kind. */
export function publishedSchema(kind: StructNode): StructuralSchema {
  let schema = made.get(kind);
  if (schema === undefined) made.set(kind, schema = structOf(kind, new Set([kind])));
  return schema;
}
const made = new WeakMap<StructNode, StructuralSchema>();

const text: StructuralSchema = Object.freeze({ type: "string" });
const moment: StructuralSchema = Object.freeze({ type: "string", format: "date-time" });
const integer: StructuralSchema = Object.freeze({ type: "integer" });
const noFields: StructuralSchema = Object.freeze({ type: "object" });
/** Values that expressions do not see. */
const hidden: StructuralSchema = Object.freeze({});

/** `above`: the structs that contain the node. */
function schemaOf(unresolved: Node, above: ReadonlySet<StructNode>): StructuralSchema {
  const node = resolve(unresolved);
  switch (node.tag) {
    case "boolean":
      return { type: "boolean" };
    case "string":
    case "duration":
      return text;
    case "bytes":
      return { type: "string", format: "byte" };
    case "time":
    case "microTime":
      return moment;
    case "int32":
    case "int64":
      return integer;
    case "double":
      return { type: "number" };
    case "intOrString":
      return { "x-kubernetes-int-or-string": true };
    case "quantity":
    case "either":
      return hidden;
    case "raw":
      return node.sorted ? hidden : noFields;
    case "fieldsV1":
      return noFields;
    case "structural":
      return publish(node.schema, { version: "v3", embedded: embedded() }) as StructuralSchema; // the keywords of a schema
    case "list":
      return { type: "array", items: schemaOf(node.of, above) };
    case "record":
      return { type: "object", additionalProperties: schemaOf(node.of, above) };
    case "struct":
      return above.has(node) ? noFields : structOf(node, new Set([...above, node]));
  }
}

function structOf({ fields, typeMeta }: StructNode, above: ReadonlySet<StructNode>): StructuralSchema {
  const properties: Record<string, StructuralSchema> = typeMeta ? { apiVersion: text, kind: text } : {};
  const add = (each: StructNode["fields"]) => {
    for (const [key, { node, inline }] of Object.entries(each)) {
      const inner = resolve(node);
      if (inline && inner.tag === "struct") add(inner.fields);
      else properties[key] = schemaOf(inner, above);
    }
  };
  add(fields);
  return { type: "object", properties };
}

/** Returns the properties of embedded resources. */
function embedded(): Readonly<Record<string, Published>> {
  const metadata: unknown = publishedSchema(resolve(ObjectMeta) as StructNode); // declared as a struct
  return { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: metadata as Published }; // a schema is JSON
}
