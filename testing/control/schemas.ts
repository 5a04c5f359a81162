/** Parts of bodies and answers that several operations have. */
import type { StructuralSchema } from "../../core/structural-schema.ts";

/** Characters of a name in a body. */
const nameCharactersMax = 512;

/** A text. */
export const text = (description: string, more: StructuralSchema = {}): StructuralSchema => ({
  type: "string",
  description,
  maxLength: nameCharactersMax,
  ...more,
});
/** A text of any length in an answer. */
export const anyText = (description: string): StructuralSchema => ({ type: "string", description });
/** A whole number. */
export const integer = (description: string, more: StructuralSchema = {}): StructuralSchema => ({ type: "integer", description, ...more });
/** A list. */
export const listOf = (items: StructuralSchema, description: string, more: StructuralSchema = {}): StructuralSchema => ({
  type: "array",
  items,
  description,
  ...more,
});
/** An object with these members. */
export const object = (
  properties: Readonly<Record<string, StructuralSchema>>,
  required: readonly string[] = [],
  description?: string,
): StructuralSchema => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
  ...(description === undefined ? {} : { description }),
});
/** An object whose members are always there. */
export const whole = (properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema =>
  object(properties, Object.keys(properties));
/** Any value. */
export const anything = (description: string): StructuralSchema => ({ description, "x-kubernetes-preserve-unknown-fields": true });
/** A duration of Go. */
export const duration = (description: string): StructuralSchema =>
  text(`${description} A duration of Go, such as \`1m30s\`.`, { maxLength: 64 });

/** An answer that says nothing. */
export const nothing: StructuralSchema = object({});
/** The answer to what begins something: its name in later paths. */
export const identity: StructuralSchema = whole({ id: anyText("The name in the paths of later requests.") });
