/** What strategic merge needs to know of a schema: what a key leads to, and how lists and maps there are merged. */
import { membersOf } from "../derive/members.ts";
import { type Field, fold, type Node } from "../schema.ts";
import { mergeError } from "./strategic-error.ts";

export interface Shape {
  /** The kind that Go's reflection gives the type. */
  readonly kind: string;
  /** What a key of this object leads to. Throws upstream's 500 for a key that the type has not, or a type that has no keys. */
  member(key: string): ShapeMember;
  /** The shape of a list's items, undefined for what is no list. */
  item(): Shape | undefined;
}
export interface ShapeMember {
  readonly shape: Shape;
  /** `merge` and `replace`; what neither says is the way of its kind: maps merge, lists are replaced. */
  readonly strategy: "merge" | "replace" | undefined;
  /** The merge key of a list, "" where there is none. */
  readonly mergeKey: string;
}

/** The shape that a schema has for strategic merge. Fields say themselves how they are patched: list types are for apply alone. */
export const shapeOf: (node: Node) => Shape = fold<Shape>({
  boolean: () => scalar("bool"),
  string: () => scalar("string"),
  int32: () => scalar("int32"),
  int64: () => scalar("int64"),
  double: () => scalar("float64"),
  bytes: () => scalar("slice"),
  quantity: () => opaque("Quantity"),
  intOrString: () => opaque("IntOrString"),
  time: () => opaque("Time"),
  microTime: () => opaque("MicroTime"),
  duration: () => opaque("Duration"),
  raw: () => opaque("RawExtension"),
  fieldsV1: () => opaque("FieldsV1"),
  list: ({ of }, go) => ({ ...scalar("slice"), item: () => go(of) }),
  record: ({ of }, go) => ({ ...scalar("map"), member: () => ({ shape: go(of), strategy: undefined, mergeKey: "" }) }),
  struct: (node, go) => {
    const members = new Map(membersOf(node).map(({ key, field, node }) => [key, memberOf(field, go(node))]));
    return { ...opaque(node.name), member: (key) => members.get(key) ?? noField(node.name, key) };
  },
}, (get) => ({
  get kind() {
    return get().kind;
  },
  member: (key) => get().member(key),
  item: () => get().item(),
}));

function memberOf({ patch }: Field, shape: Shape): ShapeMember {
  const strategy = patch?.strategy?.find((each) => each !== "retainKeys");
  return { shape, strategy, mergeKey: patch?.mergeKey ?? "" };
}

function scalar(kind: string): Shape {
  return {
    kind,
    member: () => {
      throw mergeError(`merging an object in json but data type is not struct, instead is: ${kind}`);
    },
    item: () => undefined,
  };
}
/** A struct of whose fields JSON shows nothing. */
function opaque(name: string): Shape {
  return { kind: "struct", member: (key) => noField(name, key), item: () => undefined };
}
function noField(struct: string, key: string): never {
  throw mergeError(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(key)}`);
}
