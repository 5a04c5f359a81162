/** Fields of stored values that the schema of their kind does not have: a newer release wrote them, and decoding drops them. */
import type { Reader } from "protobufjs/minimal.js";
import { isCbor, readCbor } from "../../core/codec/cbor/read.ts";
import { objectOfCbor } from "../../core/codec/cbor/untyped.ts";
import { isEnvelope, readEnvelope } from "../../core/codec/protobuf.ts";
import { newReader } from "../../core/codec/protobufjs.ts";
import { endOfNext, readFields } from "../../core/codec/protobuf-wire.ts";
import { decoder } from "../../core/derive/decode.ts";
import { protobufReader, protobufWriter } from "../../core/derive/protobuf.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { type Node, resolve, type StructNode, type Typed } from "../../core/schema.ts";
import { readJson } from "../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import { sameBytes } from "../../kernel/store/same-bytes.ts";
import { strictFindingsMax, typedDepthMax } from "../../core/bounds.ts";

/**
 * Returns the paths of unknown fields, at most `strictFindingsMax`: `spec.nope` in JSON, `spec.#77` (the number) in protobuf. The value
 * must be valid.
 */
export function unknownFields(schema: StructNode, value: Uint8Array): readonly string[] {
  if (isEnvelope(value)) return inProtobuf(schema, readEnvelope(value).raw);
  const tree = treeOf(value), findings: string[] = [];
  if (tree instanceof TreeObject) decoder(schema as Typed<ApiObject, StructNode>)(tree, { reader: "json", findings }); // of the kind of the value
  const start = 'unknown field "';
  return findings.filter((finding) => finding.startsWith(start)).map((finding) => finding.slice(start.length, -1));
}

function treeOf(value: Uint8Array): Tree | undefined {
  if (isCbor(value)) {
    const tree = objectOfCbor(readCbor(value));
    return tree instanceof TreeObject ? tree : undefined;
  }
  const read = readJson(value);
  return read.ok ? read.tree : undefined;
}

function inProtobuf(schema: StructNode, raw: Uint8Array): readonly string[] {
  const typed = schema as Typed<ApiObject, StructNode>; // See above.
  // Nothing is lost if it is written again as it was.
  if (sameBytes(protobufWriter(typed)(protobufReader(typed)(raw)), raw)) return [];
  const found = new Set<string>(), from = newReader(raw);
  readStruct(from, from.len, schema, "", found, 0);
  return [...found];
}

/** Yields the numbers of fields that the struct does not have, and those within its members. */
function readStruct(from: Reader, end: number, node: StructNode, path: string, found: Set<string>, depth: number): void {
  const fields = new Map(Object.entries(node.fields).map(([key, field]) => [field.number, [key, field] as const]));
  readFields(from, end, node.name, (number, type) => {
    const known = fields.get(number);
    if (known === undefined) {
      if (found.size < strictFindingsMax) found.add(`${path}#${number}`);
      return false;
    }
    const [key, { node: member, inline }] = known, inner = messageOf(member);
    if (type !== 2 || inner === undefined || depth >= typedDepthMax) return false;
    readStruct(from, endOfNext(from), inner, inline === true ? path : `${path}${key}.`, found, depth + 1);
    return true;
  });
}

/** Returns the struct of a member or of the items of a list. */
function messageOf(node: Node): StructNode | undefined {
  const own = resolve(node), inner = own.tag === "list" ? resolve(own.of) : own;
  return inner.tag === "struct" ? inner : undefined;
}
