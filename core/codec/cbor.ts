/** CBOR (RFC 8949) as KEP-4222 narrows it down: what a newer server may have stored. */
import { decode, type TagDecodeControl } from "cborg";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";

/** The self-described tag (55799), by which CBOR is told from other encodings. */
const magic = [0xd9, 0xd9, 0xf7];

export function isCbor(bytes: Uint8Array): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/**
 * Reads one item behind the self-described tag. Strings may come as text or as bytes of UTF-8, as KEP-4222 writes them; bytes
 * that the item itself marks for base64 become base64, as in JSON. Throws an Error for what the KEP forbids: indefinite lengths,
 * duplicate keys, keys that are no strings, numbers that are no numbers, other tags.
 */
export function readCbor(bytes: Uint8Array): Tree {
  return treeOf(decode(bytes.subarray(magic.length), options));
}

/** Bytes under a tag that says how they are to be written in JSON. */
class TaggedBytes {
  readonly base64: string;
  constructor(base64: string) {
    this.base64 = base64;
  }
}

const options = Object.freeze({
  allowIndefinite: false,
  allowUndefined: false,
  allowInfinity: false,
  allowNaN: false,
  useMaps: true,
  tags: {
    0: (content: TagDecodeControl) => content(),
    22(content: TagDecodeControl) {
      const bytes = content();
      if (!(bytes instanceof Uint8Array)) throw new Error("tag 22 stands before something other than bytes");
      return new TaggedBytes(Buffer.from(bytes).toString("base64"));
    },
  },
});

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function treeOf(value: unknown): Tree {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return new NumberText(String(value));
  if (value instanceof Uint8Array) return utf8.decode(value);
  if (value instanceof TaggedBytes) return value.base64;
  if (Array.isArray(value)) return value.map(treeOf);
  if (value instanceof Map) return objectOf(value);
  throw new Error(`${typeof value} has no place in an object`);
}

function objectOf(map: ReadonlyMap<unknown, unknown>): TreeObject {
  const members = new Map<string, Tree>();
  for (const [key, value] of map) {
    const name = key instanceof Uint8Array ? utf8.decode(key) : key;
    if (typeof name !== "string") throw new Error("a key is not a string");
    if (members.has(name)) throw new Error(`the key ${JSON.stringify(name)} stands twice`);
    members.set(name, treeOf(value));
  }
  return new TreeObject([...members.keys()], [...members.values()]);
}
