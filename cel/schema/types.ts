/** Names of the types of a schema: the root has a name, fields are `root.field`, elements `root.field.@idx`, entries `root.field.@elem`. */
import { type FieldType, listType, mapType, objectType, stringType, type Type, type TypeSource } from "../types.ts";
import { isReserved } from "./escape.ts";
import type { Declared } from "./declared.ts";

/** Types of one schema. They are named when they are reached, so a rule does not pay for the whole schema. */
export class SchemaTypes implements TypeSource {
  readonly self: Type;
  readonly #objects = new Map<string, Declared>();

  constructor(self: Declared, name: string) {
    this.self = this.#type(self, name);
  }

  #type(declared: Declared, name: string): Type {
    switch (declared.tag) {
      case "scalar":
        return declared.type;
      case "list":
        return listType(this.#type(declared.of, `${name}.@idx`));
      case "map":
        return mapType(stringType, this.#type(declared.of, `${name}.@elem`));
      case "object":
        this.#objects.set(name, declared);
        return objectType(name);
    }
  }

  hasType(name: string): boolean {
    return this.#objects.has(name);
  }
  field(type: string, field: string): FieldType | undefined {
    const object = this.#objects.get(type);
    if (object?.tag !== "object") return undefined;
    // Reserved words can be written without their escapes.
    const declared = object.fields.get(field) ?? (isReserved(field) ? object.fields.get(`__${field}__`) : undefined);
    return declared === undefined ? undefined : { type: this.#type(declared, `${type}.${field}`) };
  }
  /** Returns no names, because expressions cannot construct objects of a schema. */
  fieldNames(): readonly string[] {
    return [];
  }
}
