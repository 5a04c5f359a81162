/**
 * The keywords of one schema in a form that is fast to read. Schemas come from JSON, so each has a shape of its own for V8, and one value may be
 * compared with thousands of them.
 */
import type { Json } from "../json.ts";
import { otherMembers, type StructuralSchema } from "../structural-schema.ts";
import { type FormatCheck, formatCheck } from "./formats.ts";
import { type NumberKeywords, numberKeywords } from "./numbers.ts";

/** What the type and the format of a schema accept. */
export interface Typing {
  /** Empty: any type. */
  readonly types: readonly string[];
  /** The format, if it is one that is checked for the type; else "". */
  readonly format: string;
  readonly fits: FormatCheck | undefined;
}

export interface Keywords {
  readonly typing: Typing;
  /** Of a default of a definition: an integer or a string then has the types in `anyOf` of its schema instead of a type. */
  readonly typingOfDefaults: Typing;
  readonly isNullable: boolean;
  readonly number: NumberKeywords;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: string | undefined;
  readonly allowed: readonly Json[] | undefined;
  readonly alternatives: Alternatives | undefined;
  /** The schema of the items of a list; undefined for other types. */
  readonly items: StructuralSchema | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  /** The schemas of the members of an object. */
  readonly properties: Readonly<Record<string, StructuralSchema>>;
  /** The schema of members that are not in `properties`. */
  readonly others: StructuralSchema | undefined;
  readonly isClosed: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];
}

export interface Alternatives {
  readonly anyOf: readonly StructuralSchema[];
  readonly oneOf: readonly StructuralSchema[];
  readonly allOf: readonly StructuralSchema[];
  readonly not: StructuralSchema | undefined;
}

const known = new WeakMap<StructuralSchema, Keywords>();

export function keywordsOf(schema: StructuralSchema): Keywords {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const made = read(schema);
  known.set(schema, made);
  return made;
}

const none: readonly never[] = Object.freeze([]), noMembers: Readonly<Record<string, StructuralSchema>> = Object.freeze({});
const intOrString: readonly string[] = Object.freeze(["integer", "string"]);

function read(schema: StructuralSchema): Keywords {
  const { anyOf = none, oneOf = none, allOf = none, not, enum: allowed = none } = schema;
  const single: readonly string[] = schema.type === undefined || schema.type === "" ? none : [schema.type];
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  return {
    typing: typingOf(isIntOrString ? intOrString : single, schema.format),
    typingOfDefaults: typingOf(single, schema.format),
    isNullable: schema.nullable === true,
    number: numberKeywords(schema),
    maxLength: schema.maxLength,
    minLength: schema.minLength,
    pattern: schema.pattern === "" ? undefined : schema.pattern,
    allowed: allowed.length === 0 ? undefined : allowed,
    alternatives: anyOf.length + oneOf.length + allOf.length === 0 && not === undefined ? undefined : { anyOf, oneOf, allOf, not },
    items: schema.items,
    minItems: schema.minItems,
    maxItems: schema.maxItems,
    properties: schema.properties ?? noMembers,
    others: otherMembers(schema),
    isClosed: schema.additionalProperties === false,
    minProperties: schema.minProperties,
    maxProperties: schema.maxProperties,
    required: schema.required ?? none,
  };
}

function typingOf(types: readonly string[], format = ""): Typing {
  const checked = checkedFormat(format, types);
  return { types, format: checked, fits: formatCheck(checked) };
}

/** Returns the format, if it is one that is checked for the type. */
function checkedFormat(format: string, [type = "", ...more]: readonly string[]): string {
  if (more.length > 0 || type === "" || type === "string") return formatCheck(format) === undefined ? "" : format;
  if (type === "integer") return format === "int32" || format === "int64" ? format : "";
  return type === "number" && (format === "float" || format === "double") ? format : "";
}
