/** The keys of a struct's JSON object, in order, with the rules for omitting each. */
import { type Field, type Node, resolve, string, type StructNode } from "../schema.ts";

/** One key of the JSON object, of the struct or of an inlined struct. */
export interface Member {
  readonly key: string;
  readonly field: Field;
  readonly node: Node;
  /** Names of the inlined structs around the key, outermost first. */
  readonly through: readonly string[];
  readonly pointer: boolean;
  /** Present in objects even if zero. An absent pointer is null. */
  readonly always: boolean;
  /** An empty list or map is written as null, because storage makes it Go's nil. */
  readonly emptyIsNull: boolean;
  /** An empty map or list of a request stays in the object until it is stored. */
  readonly keepsEmpty: boolean;
  /** Null is a value, not absence (custom resources). */
  readonly keepsNull: boolean;
}

const typeMetaField = (number: number, doc: string): Field => Object.freeze({ number, node: string, doc });
/** kind and apiVersion: always present in objects; not encoded if empty. */
const typeMeta: readonly Member[] = (["kind", "apiVersion"] as const).map((key) => ({
  key,
  field: typeMetaField(0, key === "kind" ? "Kind of the object." : "Group and version in which the object is written."),
  node: string,
  through: ["TypeMeta"],
  pointer: false,
  always: true,
  emptyIsNull: false,
  keepsEmpty: false,
  keepsNull: false,
}));

/** Returns all keys in the order of JSON: for kinds kind and apiVersion first, then the fields, with the fields of inlined structs in place. */
export function membersOf(node: StructNode): readonly Member[] {
  return [...(node.typeMeta ? typeMeta : []), ...ownMembers(node, [])];
}

function ownMembers(node: StructNode, through: readonly string[]): Member[] {
  return Object.entries(node.fields).flatMap(([key, field]): Member[] => {
    const inner = resolve(field.node);
    if (field.inline && inner.tag === "struct") return ownMembers(inner, [...through, inner.name]);
    // Go's omitempty never drops a struct value; fields with omitzero declare it.
    const always = field.written === undefined ? inner.tag === "struct" && !field.pointer : field.written === "always";
    const emptyIsNull = always && (inner.tag === "list" || inner.tag === "record") && field.made !== true;
    const keepsEmpty = field.keepsEmpty === true;
    return [{
      key,
      field,
      node: inner,
      through,
      pointer: field.pointer === true,
      always,
      emptyIsNull,
      keepsEmpty,
      keepsNull: inner.tag === "structural",
    }];
  });
}
