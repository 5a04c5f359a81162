/**
 * Writes canonical objects as upstream's deterministic CBOR encoder: the same fields as in JSON, tagged bytes instead of base64, sorted
 * keys.
 */
import { CborWriter, compareKeys, keysInOrder, writeJson } from "../codec/cbor/write.ts";
import { bytesOf } from "../scalars/base64.ts";
import { once } from "../async.ts";
import { fold, type Json, type Node, type RecordNode, type StructNode, type Typed } from "../schema.ts";
import { membersOf } from "./members.ts";
import { restKeys } from "./structural.ts";
import { isZero, zeroOf } from "./zero.ts";

type Write = (value: any, to: CborWriter) => void;

/**
 * Makes a function that writes the item of an object, without the self-described tag. Values must be canonical; absent fields may be
 * missing.
 */
export function cborWriter<T>(node: Typed<T>): (value: T, to?: CborWriter) => CborWriter {
  const write = writeNode(node);
  return (value, to = new CborWriter()) => {
    write(value, to);
    return to;
  };
}

const text: Write = (value: string | null, to) => value === null ? to.null() : to.text(value);
const integer: Write = (value: number | bigint, to) => to.integer(value);
const json: Write = (value: Json, to) => writeJson(value, to);

const writeNode: (node: Node) => Write = fold<Write>({
  boolean: () => (value, to) => to.boolean(value),
  string: () => text,
  int32: () => integer,
  int64: () => integer,
  double: () => (value, to) => to.float(value),
  bytes: () => (value, to) => to.bytes(bytesOf(value)),
  quantity: () => text,
  intOrString: () => (value, to) => typeof value === "string" ? to.text(value) : to.integer(value),
  time: () => text,
  microTime: () => text,
  duration: () => text,
  raw: () => json,
  structural: () => json,
  fieldsV1: () => json,
  list: (node, go) => writeList(go(node.of)),
  record: writeRecord,
  either: (node, go) => {
    const object = go(node.object), other = go(node.other);
    return (value, to) => {
      if (value === null) to.null();
      else if (typeof value === "boolean" || Array.isArray(value)) other(value, to);
      else object(value, to);
    };
  },
  struct: writeStruct,
}, (get) => (value, to) => get()(value, to));

function writeList(write: Write): Write {
  return (items: readonly unknown[], to) => {
    to.array(items.length);
    for (const item of items) write(item, to);
  };
}

function writeRecord(node: RecordNode, go: (node: Node) => Write): Write {
  const write = go(node.of);
  return (entries: Readonly<Record<string, unknown>>, to) => {
    const keys = keysInOrder(entries);
    to.map(keys.length);
    for (const key of keys) write(entries[key], to.text(key));
  };
}

interface MemberWriter {
  readonly key: string;
  readonly leavesOut: (value: unknown) => boolean;
  write(value: unknown, to: CborWriter): void;
}

/** Returns a struct that has other members than its fields: all of them sorted together. */
function writeWithRest(
  object: Readonly<Record<string, unknown>>,
  members: readonly MemberWriter[],
  known: ReadonlySet<string>,
  to: CborWriter,
): void {
  const rest = restKeys(object, known).map((key): MemberWriter => ({ key, leavesOut: () => false, write: json }));
  const all = [...members.filter(({ key, leavesOut }) => !leavesOut(object[key])), ...rest].toSorted((a, b) => compareKeys(a.key, b.key));
  to.map(all.length);
  for (const { key, write } of all) write(object[key], to.text(key));
}

/** Returns the form of a member: omitted, null, zero or its value. */
function writeStruct(node: StructNode, go: (node: Node) => Write): Write {
  const members = membersOf(node).toSorted((a, b) => compareKeys(a.key, b.key)).map((member) => {
    // kind and apiVersion are always in objects, but not written if empty.
    const always = member.always && member.through[0] !== "TypeMeta";
    const collection = member.node.tag === "list" || member.node.tag === "record";
    const writeValue = go(member.node), zero = once(() => zeroOf(member.node)), isEmpty = isZero(member.node);
    const ofAbsent = member.pointer || collection ? null : zero;
    return {
      key: member.key,
      leavesOut: (value: unknown): boolean =>
        value === undefined
          ? !member.always
          : value === null
          ? !member.always && (!member.pointer || member.node.tag === "either")
          : !always && !member.pointer && isEmpty(value),
      write(value: unknown, to: CborWriter): void {
        if (value === null || (member.emptyIsNull && value !== undefined && isEmpty(value))) to.null();
        else if (value !== undefined) writeValue(value, to);
        else if (ofAbsent === null) to.null();
        else writeValue(ofAbsent(), to);
      },
    };
  });
  const known = node.rest === undefined ? undefined : new Set(members.map(({ key }) => key));
  return (object: Readonly<Record<string, unknown>>, to) => {
    if (known !== undefined) return writeWithRest(object, members, known, to);
    let length = 0;
    for (const { key, leavesOut } of members) if (!leavesOut(object[key])) length++;
    to.map(length);
    for (const { key, leavesOut, write } of members) {
      const value = object[key];
      if (!leavesOut(value)) write(value, to.text(key));
    }
  };
}
