/**
 * Encodes canonical objects as Go's compact JSON: keys in schema order, records sorted by the bytes of their keys, `<`, `>` and `&`
 * escaped. Zero values are omitted or written as in Go, whether the object contains them or not, so a hook cannot change the format.
 */
import { goString } from "../tree/json-text.ts";
import { once } from "../async.ts";
import { fold, type Json, type Node, type RecordNode, type StructNode, type Typed } from "../schema.ts";
import { numberText } from "../tree/values.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { type Member, membersOf } from "./members.ts";
import { rawText, sortedText } from "./raw-json.ts";
import { fieldsV1Text } from "./shared-fields.ts";
import { restKeys } from "./structural.ts";
import { isZero, zeroOf } from "./zero.ts";

type Encode = (value: any) => string;

const noKeys: readonly string[] = [];

/**
 * Makes a function that writes an object as compact JSON, without a final newline. Values must be canonical; absent fields may be missing.
 */
export function encoder<T>(node: Typed<T>): (value: T) => string {
  return encodeNode(node);
}

const text: Encode = (value: string) => goString(value);
/** Encodes canonical strings that never need escaping. */
const bare: Encode = (value: string) => `"${value}"`;
const time: Encode = (value: string | null) => value === null ? "null" : `"${value}"`;
const json: Encode = (value: Json) => rawText(value);

const encodeNode: (node: Node) => Encode = fold<Encode>({
  boolean: () => (value) => value ? "true" : "false",
  string: () => text,
  int32: () => String,
  int64: () => String,
  double: () => numberText,
  bytes: () => bare,
  quantity: () => bare,
  intOrString: () => (value) => typeof value === "string" ? goString(value) : String(value),
  time: () => time,
  microTime: () => time,
  duration: () => bare,
  raw: ({ sorted }) => sorted ? sortedText : json,
  structural: () => sortedText,
  fieldsV1: () => fieldsV1Text,
  list: (node, go) => encodeList(go(node.of)),
  record: encodeRecord,
  either: (node, go) => {
    const object = go(node.object), other = go(node.other);
    return (value) => value === null ? "null" : isOther(value) ? other(value) : object(value);
  },
  struct: encodeStruct,
}, (get) => (value) => get()(value));

function isOther(value: unknown): boolean {
  return typeof value === "boolean" || Array.isArray(value);
}

function encodeList(encode: Encode): Encode {
  return (items: readonly unknown[]) => {
    if (items.length === 0) return "[]";
    let out = "[" + encode(items[0]);
    for (let i = 1; i < items.length; i++) out += "," + encode(items[i]);
    return out + "]";
  };
}

function encodeRecord(node: RecordNode, go: (node: Node) => Encode): Encode {
  const encode = go(node.of);
  return (entries: Readonly<Record<string, unknown>>) => {
    let out = "{";
    for (const key of sortedKeys(entries)) {
      if (out !== "{") out += ",";
      out += goString(key) + ":" + encode(entries[key]);
    }
    return out + "}";
  };
}

/** When a present value that is not null is not written (`isLeftOut`), or as null (`isNil`). */
export function omissionOf({ node, always, through, pointer, emptyIsNull }: Member) {
  // kind and apiVersion are always in objects, but not written if empty.
  const isWritten = always && through[0] !== "TypeMeta";
  return {
    always: isWritten,
    isNil: emptyIsNull ? isZero(node) : undefined,
    isLeftOut: isWritten || pointer ? undefined : isZero(node),
  };
}

function encodeStruct(node: StructNode, go: (node: Node) => Encode): Encode {
  const members = membersOf(node).map((member) => {
    const { always, isNil, isLeftOut } = omissionOf(member);
    const collection = member.node.tag === "list" || member.node.tag === "record";
    return {
      key: member.key,
      head: `"${member.key}":`,
      encode: go(member.node),
      always,
      showsNull: always || (member.pointer && member.node.tag !== "either"),
      isNil,
      isLeftOut,
      zero: once(() => member.pointer || collection ? "null" : go(member.node)(zeroOf(member.node))),
    };
  });
  const known = node.rest === undefined ? undefined : new Set(members.map(({ key }) => key));
  return (object: Readonly<Record<string, unknown>>) => {
    let out = "";
    for (let i = 0; i < members.length; i++) {
      const member = members[i]!;
      const value = object[member.key];
      let text: string;
      if (value === undefined) {
        if (!member.always) continue;
        text = member.zero();
      } else if (value === null) {
        if (!member.showsNull) continue;
        text = "null";
      } else {
        if (member.isLeftOut !== undefined && member.isLeftOut(value)) continue;
        text = member.isNil !== undefined && member.isNil(value) ? "null" : member.encode(value);
      }
      out += (out === "" ? "{" : ",") + member.head + text;
    }
    for (const key of known === undefined ? noKeys : restKeys(object, known)) {
      out += `${out === "" ? "{" : ","}${goString(key)}:${sortedText(object[key] as Json)}`; // of a structural node
    }
    return out === "" ? "{}" : out + "}";
  };
}
