/** The schemas of `apiextensions.k8s.io/v1beta1` as structural schemas. */
import type { Fields } from "../fields.ts";

const keepUnknown = "x-kubernetes-preserve-unknown-fields";
const intOrString = "x-kubernetes-int-or-string";
const junctors = Object.freeze(["allOf", "anyOf", "oneOf"]);
/** Fields that only the structure may have, not a condition. */
const structureOnly = Object.freeze(["type", "description", "default", "additionalProperties", "nullable"]);

/**
 * Adds what follows from the meaning of the old schema, and reports nodes that a structural schema does not allow. With `keepsUnknown` each object keeps the
 * fields that its schema does not name.
 */
export function structuralSchema(root: Fields, keepsUnknown: boolean): void {
  if (!root.has("type")) root.set("type", "object", { before: root.names()[0] ?? "" });
  convertSchema(root, keepsUnknown);
}

function convertSchema(schema: Fields, keepsUnknown: boolean): void {
  const isUntyped = isTrue(schema, keepUnknown) || isTrue(schema, intOrString);
  if (!schema.has("type") && !isUntyped) schema.choice("type", "required in a structural schema");
  if (schema.has("properties") && schema.has("additionalProperties")) {
    schema.choice("additionalProperties", "not allowed beside properties: keep one of them");
  }
  if (keepsUnknown && schema.text("type") === "object" && !schema.has("additionalProperties") && !schema.has(keepUnknown)) {
    schema.set(keepUnknown, true, { after: "type" });
  }
  const properties = schema.fields("properties");
  for (const name of properties?.names() ?? []) {
    const property = properties!.fields(name);
    if (property !== undefined) convertSchema(property, keepsUnknown);
  }
  const items = schema.fields("items");
  if (items !== undefined) convertSchema(items, keepsUnknown);
  if (schema.has("additionalProperties") && schema.scalar("additionalProperties") === undefined) {
    convertSchema(schema.fields("additionalProperties")!, keepsUnknown);
  }
  if (!isTrue(schema, intOrString)) convertConditions(schema);
}

function convertConditions(schema: Fields): void {
  for (const condition of conditionsOf(schema)) {
    for (const name of structureOnly) {
      if (condition.has(name)) {
        condition.choice(name, "not allowed in a condition of a structural schema: move it to the schema that the condition belongs to");
      }
    }
    const inner = condition.fields("properties");
    for (const name of inner?.names() ?? []) {
      const property = inner!.fields(name);
      if (property !== undefined) convertConditions(property);
    }
    convertConditions(condition);
  }
}

function conditionsOf(schema: Fields): readonly Fields[] {
  const negated = schema.fields("not");
  return [...junctors.flatMap((name) => schema.items(name)), ...(negated === undefined ? [] : [negated])];
}

const isTrue = (schema: Fields, name: string) => schema.scalar(name)?.value === true;
