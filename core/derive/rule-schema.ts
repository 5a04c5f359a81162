/** Nodes as structural schemas, for rules in CEL: the types that expressions see, and the rules of structs and fields. */
import { type Field, type Node, resolve, type StructNode, structsIn } from "../schema.ts";
import type { StructuralSchema, ValidationRule } from "../structural-schema.ts";

/** Returns the schema of a kind with its rules; undefined if it has none. */
export function ruleSchema(kind: StructNode): StructuralSchema | undefined {
  const hasRules = structsIn(kind).some(({ rules = [], fields }) =>
    rules.length > 0 || Object.values(fields).some((field) => (field.rules ?? []).length > 0)
  );
  if (!hasRules) return undefined;
  const { metadata: _metadata, ...fields } = kind.fields;
  return structOf({ ...kind, fields }, new Set());
}

/** Values that expressions do not see. */
const hidden: StructuralSchema = Object.freeze({ "x-kubernetes-preserve-unknown-fields": true });

/** `above`: the structs that contain the node. Values of a struct within itself are hidden, because types of expressions are finite. */
function schemaOf(unresolved: Node, above: ReadonlySet<StructNode>): StructuralSchema {
  const node = resolve(unresolved);
  switch (node.tag) {
    case "boolean":
      return { type: "boolean" };
    case "string":
      return { type: "string", ...(node.oneOf === undefined ? {} : { enum: node.oneOf }) };
    case "quantity":
      return { type: "string" };
    case "bytes":
      return { type: "string", format: "byte" };
    case "time":
    case "microTime":
      return { type: "string", format: "date-time", nullable: true };
    case "duration":
      return { type: "string", format: "duration" };
    case "int32":
    case "int64":
      return { type: "integer" };
    case "double":
      return { type: "number" };
    case "intOrString":
      return { "x-kubernetes-int-or-string": true };
    case "raw":
    case "fieldsV1":
    case "either":
      return hidden;
    case "structural":
      return node.schema;
    case "list":
      return {
        type: "array",
        items: schemaOf(node.of, above),
        "x-kubernetes-list-type": node.type,
        ...(node.keys === undefined ? {} : { "x-kubernetes-list-map-keys": node.keys }),
      };
    case "record":
      return { type: "object", additionalProperties: schemaOf(node.of, above) };
    case "struct":
      return above.has(node) ? hidden : structOf(node, new Set([...above, node]));
  }
}

function structOf({ fields, rules }: StructNode, above: ReadonlySet<StructNode>): StructuralSchema {
  const properties: Record<string, StructuralSchema> = {}, required: string[] = [];
  const add = (each: StructNode["fields"]) => {
    for (const [key, field] of Object.entries(each)) {
      const inner = resolve(field.node);
      if (field.inline && inner.tag === "struct") {
        add(inner.fields);
        continue;
      }
      properties[key] = fieldOf(field, above);
      if (field.required) required.push(key);
    }
  };
  add(fields);
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }), ...rulesMember(rules) };
}

/** Returns the schema of a field: `publish` has the bounds that limit the estimated cost of a rule. */
function fieldOf({ node, publish, rules }: Field, above: ReadonlySet<StructNode>): StructuralSchema {
  const schema = schemaOf(node, above);
  const both = [...schema["x-kubernetes-validations"] ?? [], ...rules ?? []];
  return { ...schema, ...publish, ...rulesMember(both) };
}

function rulesMember(rules: readonly ValidationRule[] | undefined): Pick<StructuralSchema, "x-kubernetes-validations"> {
  return rules === undefined || rules.length === 0 ? {} : { "x-kubernetes-validations": rules };
}
