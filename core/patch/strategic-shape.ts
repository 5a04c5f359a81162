/** Schemas in the form that strategic merge uses: the shape of each member, and the merge strategy of lists and maps. */
import { membersOf } from "../derive/members.ts";
import { type Field, fold, type Node } from "../schema.ts";
import { mergeError } from "./strategic-error.ts";
import { valueText } from "../value-text.ts";

export interface Shape {
  /** The reflect.Kind of the type in Go. */
  readonly kind: string;
  /** The member of a key. Throws upstream's 500 for an unknown key, or for a type without members. */
  member(key: string): ShapeMember;
  /** The shape of the items of a list; undefined for other types. */
  item(): Shape | undefined;
}
export interface ShapeMember {
  readonly shape: Shape;
  /** Without a strategy maps are merged and lists are replaced. */
  readonly strategy: "merge" | "replace" | undefined;
  /** The merge key of a list; "" if it has none. */
  readonly mergeKey: string;
}

/** The shape of a schema. The merge strategy is that of the field's `patch` option; list types are for apply only. */
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
  raw: ({ sorted }) => opaque(sorted ? "JSON" : "RawExtension"),
  // Strategic merge patches of custom resources are refused.
  structural: () => opaque("interface"),
  fieldsV1: () => opaque("FieldsV1"),
  list: ({ of }, go) => ({ ...scalar("slice"), item: () => go(of) }),
  record: ({ of }, go) => ({ ...scalar("map"), member: () => ({ shape: go(of), strategy: undefined, mergeKey: "" }) }),
  either: ({ name }) => opaque(name),
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
/** Returns a struct whose fields are not in its JSON. */
function opaque(name: string): Shape {
  return { kind: "struct", member: (key) => noField(name, key), item: () => undefined };
}
function noField(struct: string, key: string): never {
  throw mergeError(`unable to find api field in struct ${struct} for the json field ${valueText(key)}`);
}
