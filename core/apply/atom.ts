/**
 * Schemas in the form that server-side apply uses: an atom is a scalar, a list or a map (or, if untyped, any of them). Lists and maps are
 * merged item by item or treated as one value. Apply has no other access to schema nodes.
 */
import { once } from "../async.ts";
import { type Member, membersOf } from "../derive/members.ts";
import { fold, type Json, type ListNode, type Node, type StructNode } from "../schema.ts";
import { zeroOf } from "../derive/zero.ts";
import { ObjectMeta } from "../meta/object-meta.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { type Element, memberElement } from "./element.ts";
import { bound } from "../bound.ts";

/** Maximum number of levels of a value without a schema whose fields have owners. Deeper levels are owned as one value. */
export const deducedDepthMax = bound(400);

export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

export interface Atom {
  readonly scalar?: ScalarType;
  readonly list?: ListAtom;
  readonly map?: MapAtom;
}
export interface ListAtom {
  readonly type: "atomic" | "set" | "map";
  /** The keys of a `map` list. `missing` is the value of the key for an item that lacks it. */
  readonly keys: readonly { readonly name: string; readonly missing: Json | undefined }[];
  readonly of: Atom;
  /** The shared empty list that represents Go's nil in decoded objects. Any other empty list was in the request. */
  readonly nil?: unknown;
}
export interface MapAtom {
  readonly atomic: boolean;
  /** The fields of a struct; undefined for other types. */
  readonly fields: ReadonlyMap<string, FieldAtom> | undefined;
  /** The type of every value; only for records and untyped maps. */
  readonly of: Atom | undefined;
}
export interface FieldAtom {
  readonly element: Element;
  readonly atom: Atom;
}

const numeric: Atom = { scalar: "numeric" };
const string: Atom = { scalar: "string" };
const boolean: Atom = { scalar: "boolean" };
const untyped: Atom = { scalar: "untyped" };
/** The atom of a value that one manager owns as a whole, such as an atomic list. */
export const oneValue: Atom = {
  scalar: "untyped",
  get list(): ListAtom {
    return { type: "atomic", keys: [], of: oneValue };
  },
  get map(): MapAtom {
    return { atomic: true, fields: undefined, of: oneValue };
  },
};
const deducedList: ListAtom = { type: "atomic", keys: [], of: oneValue };
/**
 * Makes the atom of a value without a schema. Its maps are merged, and each of its lists is one value. Below `deducedDepthMax` levels maps
 * are one value, too: the walks over values with atoms are recursive, and a value may have ten thousand levels.
 */
function deducedAt(level: number): Atom {
  if (level === deducedDepthMax) return oneValue;
  const map = once((): MapAtom => ({ atomic: false, fields: undefined, of: deducedAt(level + 1) }));
  return {
    scalar: "untyped",
    list: deducedList,
    get map(): MapAtom {
      return map();
    },
  };
}
const deduced = deducedAt(0);
const anyMap: Atom = { map: { atomic: false, fields: undefined, of: deduced } };

/** Returns the atom of a node. There is one for each node. */
export const atomOf: (node: Node) => Atom = fold<Atom>({
  boolean: () => boolean,
  string: () => string,
  int32: () => numeric,
  int64: () => numeric,
  double: () => numeric,
  bytes: () => string,
  quantity: () => untyped,
  intOrString: () => untyped,
  time: () => untyped,
  microTime: () => untyped,
  duration: () => string,
  raw: ({ sorted }) => sorted ? deduced : oneValue,
  structural: ({ schema }, go) => structuralAtom(schema, false, go(ObjectMeta)),
  fieldsV1: () => anyMap,
  list: (node, go) => ({ list: listAtom(node, go) }),
  record: (node, go) => ({ map: { atomic: node.atomic === true, fields: undefined, of: go(node.of) } }),
  either: () => deduced,
  struct: structAtom,
}, (get) => ({
  get list() {
    return get().list!;
  },
  get map() {
    return get().map!;
  },
}));

function listAtom(node: ListNode, go: (node: Node) => Atom): ListAtom {
  const of = go(node.of);
  const keys = (node.keys ?? []).map((name) => ({ name, missing: missingKey(node, name) }));
  return { type: node.type, keys, of, nil: zeroOf(node) };
}

/**
 * Returns the default that upstream publishes for a list key: its declared default, or the zero value of a key that JSON always includes.
 */
function missingKey(node: ListNode, name: string): Json | undefined {
  let element = node.of;
  while (element.tag === "lazy") element = element.get();
  const member = element.tag === "struct" ? membersOf(element).find(({ key }) => key === name) : undefined;
  if (member === undefined) return undefined;
  if (member.field.default !== undefined) return member.field.default;
  return member.always && !member.pointer ? zeroOf(member.node) as Json : undefined; // keys are scalars, so their zero values are JSON
}

/**
 * Makes the atom of a value of a custom resource (upstream: kube-openapi `schemaconv`). `keepsUnknown`: a schema around this one keeps
 * unknown members; `metadata`: the atom of ObjectMeta, for embedded resources.
 */
function structuralAtom(schema: StructuralSchema, keepsUnknown: boolean, metadata: Atom): Atom {
  const keeps = keepsUnknown || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const list = once(() => structuralList(schema, keeps, metadata));
  const map = once(() => structuralMap(schema, keeps, metadata));
  switch (schema["x-kubernetes-int-or-string"] === true ? "" : schema.type ?? "") {
    case "object":
      return {
        get map() {
          return map();
        },
      };
    case "array":
      return {
        get list() {
          return list();
        },
      };
    case "integer":
    case "number":
      return numeric;
    case "boolean":
      return boolean;
    case "string":
      return schema.format === undefined || schema.format === "byte" ? string : untyped;
    default:
      return {
        scalar: "untyped",
        get list() {
          return list();
        },
        get map() {
          return map();
        },
      };
  }
}

function structuralList(schema: StructuralSchema, keeps: boolean, metadata: Atom): ListAtom {
  const { items } = schema;
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []).map((name) => ({ name, missing: items?.properties?.[name]?.default }));
  return {
    type: schema["x-kubernetes-list-type"] ?? "atomic",
    keys,
    of: items === undefined ? oneValue : structuralAtom(items, keeps, metadata),
  };
}

function structuralMap(schema: StructuralSchema, keeps: boolean, metadata: Atom): MapAtom {
  const { properties = {}, additionalProperties } = schema;
  const fields = new Map(
    Object.entries(properties).map(([key, inner]) => [key, { element: memberElement(key), atom: structuralAtom(inner, keeps, metadata) }]),
  );
  if (schema["x-kubernetes-embedded-resource"] === true) {
    for (const key of ["apiVersion", "kind"]) fields.set(key, { element: memberElement(key), atom: string });
    fields.set("metadata", { element: memberElement("metadata"), atom: metadata });
  }
  const others = additionalProperties === undefined
    ? keeps || fields.size === 0 ? deduced : undefined
    : additionalProperties === true
    ? deduced
    : additionalProperties === false
    ? undefined
    : structuralAtom(additionalProperties, keeps, metadata);
  return { atomic: schema["x-kubernetes-map-type"] === "atomic", fields, of: others };
}

function structAtom(node: StructNode, go: (node: Node) => Atom): Atom {
  // As upstream, which publishes a struct without members as an object of any members.
  if (Object.keys(node.fields).length === 0 && node.whole === undefined && node.rest === undefined) return anyMap;
  const keeps = node.whole?.["x-kubernetes-preserve-unknown-fields"] === true;
  const fields = new Map(
    membersOf(node).map((member: Member) => {
      const atom = keeps && member.node.tag === "structural" ? structuralAtom(member.node.schema, true, go(ObjectMeta)) : go(member.node);
      return [member.key, { element: memberElement(member.key), atom: member.field.granular ? granular(atom) : atom }];
    }),
  );
  return { map: { atomic: node.atomic === true, fields, of: node.rest === undefined ? undefined : go(node.rest) } };
}

function granular(atom: Atom): Atom {
  return atom.map === undefined ? atom : { map: { ...atom.map, atomic: false } };
}

export type Shape = "map" | "scalar" | "list";

/** Returns the form of an atom for a value. Null fits every form: it gets the first of map, scalar and list that the atom has. */
export function shapeOf(atom: Atom, value: Json | undefined): Shape {
  if (value !== null && value !== undefined) {
    if (typeof value !== "object") {
      if (atom.scalar !== undefined) return "scalar";
    } else if (Array.isArray(value)) {
      if (atom.list !== undefined) return "list";
    } else if (atom.map !== undefined) return "map";
  }
  return atom.map !== undefined ? "map" : atom.scalar !== undefined ? "scalar" : "list";
}

/** Returns the type of a member of a map; undefined if the schema has no member with this name. */
export function memberAtom(map: MapAtom, key: string): Atom | undefined {
  return map.fields?.get(key)?.atom ?? map.of;
}
export function elementOf(map: MapAtom, key: string): Element {
  return map.fields?.get(key)?.element ?? memberElement(key);
}
