/**
 * An object with every field set, for reference pages and golden files. It is deterministic: strings are derived from field names,
 * numbers and times from field numbers. A recursive struct is nested once.
 */
import { base64Of } from "../scalars/base64.ts";
import { fold, type Node, resolve, type Typed } from "../schema.ts";
import { membersOf } from "./members.ts";
import { zeroOf } from "./zero.ts";

/** Returns the sample of a schema. For kinds, `kind` is the name of the struct and `apiVersion` the parameter. */
export function sampleOf<T>(node: Typed<T>, apiVersion: string): T {
  const value = sample(node)("", 0, []);
  const struct = resolve(node);
  const typed = struct.tag === "struct" && struct.typeMeta ? { ...(value as object), kind: struct.name, apiVersion } : value;
  return typed as T; // the fold over Typed<T> makes values of T
}

/** Makes the value of a field from its name and number. `inside`: the enclosing structs. */
type Sample = (name: string, number: number, inside: readonly Node[]) => unknown;

const sample: (node: Node) => Sample = fold<Sample>({
  boolean: () => () => true,
  string: ({ oneOf }) => (name) => oneOf?.[0] ?? `${name}Value`,
  int32: () => (_name, number) => number,
  int64: () => (_name, number) => number,
  double: () => (_name, number) => number + 0.5,
  bytes: () => (_name, number) => base64Of(Uint8Array.of(number & 255)),
  quantity: () => (_name, number) => `${number}Gi`,
  intOrString: () => (name) => `${name}Value`,
  time: () => (_name, number) => `${2000 + number}-01-01T01:01:01Z`,
  microTime: () => (_name, number) => `${2000 + number}-01-01T01:01:01.${String(number).padStart(6, "0")}Z`,
  duration: () => (_name, number) => `${number}s`,
  raw: () => () => ({}),
  structural: () => () => ({}),
  fieldsV1: () => () => ({}),
  list: (node, go) => (name, number, inside) => around(inside, node.of) ? zeroOf(node) : [go(node.of)(name, number, inside)],
  record: (node, go) => (name, number, inside) =>
    around(inside, node.of) ? zeroOf(node) : { [`${name}Key`]: go(node.of)(name, number, inside) },
  either: (node, go) => (name, number, inside) => around(inside, node.object) ? null : go(node.object)(name, number, inside),
  struct: (node, go) => (_name, _number, inside) => {
    const deeper = [...inside, node];
    const members = membersOf(node).filter((member) => !(member.pointer && around(deeper, member.node)));
    return Object.fromEntries(members.map((member) => [member.key, go(member.node)(member.key, member.field.number, deeper)]));
  },
}, (get) => (name, number, inside) => get()(name, number, inside));

function around(inside: readonly Node[], node: Node): boolean {
  return inside.includes(resolve(node));
}
