/** Go's zero values in canonical form: the values of absent fields, and the values that `omitempty` omits. */
import { once } from "../async.ts";
import { fold, type Node } from "../schema.ts";
import { membersOf } from "./members.ts";

/** The zero value of a node. Objects and lists are shared and frozen. */
export const zeroOf: (node: Node) => unknown = (node) => zero(node)();

const nothing: readonly never[] = Object.freeze([]);
const noEntries: Readonly<Record<string, never>> = Object.freeze({});

const zero = fold<() => unknown>({
  boolean: () => () => false,
  string: () => () => "",
  int32: () => () => 0,
  int64: () => () => 0,
  double: () => () => 0,
  bytes: () => () => "",
  quantity: () => () => "0",
  intOrString: () => () => 0,
  time: () => () => null,
  microTime: () => () => null,
  duration: () => () => "0s",
  raw: () => () => null,
  structural: () => () => null,
  fieldsV1: () => () => null,
  either: () => () => null,
  list: () => () => nothing,
  record: () => () => noEntries,
  struct: (node, go) => {
    const kept = membersOf(node).filter((member) => member.always).map((member) => ({
      ...member,
      zero: member.pointer ? () => null : go(member.node),
    }));
    const object = once(() => Object.freeze(Object.fromEntries(kept.map(({ key, zero }) => [key, zero()]))));
    return object;
  },
}, (get) => () => get()());

/** Whether `omitempty` omits a value of the node: Go's zero value, nil or empty. */
export const isZero: (node: Node) => (value: unknown) => boolean = fold<(value: unknown) => boolean>({
  boolean: () => (value) => value === false,
  string: () => (value) => value === "",
  int32: () => (value) => value === 0,
  int64: () => (value) => value === 0,
  double: () => (value) => value === 0,
  bytes: () => (value) => value === "",
  quantity: () => (value) => value === "0",
  intOrString: () => (value) => value === 0,
  time: () => (value) => value === null,
  microTime: () => (value) => value === null,
  duration: () => (value) => value === "0s",
  raw: () => (value) => value === null,
  structural: () => () => false,
  fieldsV1: () => (value) => value === null,
  either: () => (value) => value === null,
  list: () => (value) => value === null || (value as readonly unknown[]).length === 0,
  record: () => isEmpty,
  struct: () => isEmpty,
}, (get) => (value) => get()(value));

function isEmpty(value: unknown): boolean {
  for (const key in value as object) if (Object.hasOwn(value as object, key)) return false;
  return true;
}
