/** Stored values of any kind, also of kinds that this server does not have, as JSON. */
import { isCbor, readCbor } from "../../core/codec/cbor/read.ts";
import { objectOfCbor } from "../../core/codec/cbor/untyped.ts";
import { readEnvelope } from "../../core/codec/protobuf.ts";
import { protobufReader } from "../../core/derive/protobuf.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { ObjectMeta } from "../../core/meta/object-meta.ts";
import { field, struct } from "../../core/schema.ts";
import { jsonFromTree, readJson } from "../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";

/** Every object has its metadata in the field 1. Other fields are skipped. */
const AnyObject = struct("Object", { metadata: field(1, ObjectMeta, "Metadata of the object.") });

/** Returns the metadata of a message in an envelope of protobuf. */
export function metadataOf(raw: Uint8Array): ObjectMeta {
  const { metadata } = protobufReader(AnyObject)(raw) as { readonly metadata?: ObjectMeta };
  return metadata ?? {};
}

/** Returns the tree of a value in JSON or CBOR. Throws for anything else. */
export function treeOf(value: Uint8Array): Tree {
  if (isCbor(value)) {
    const tree = objectOfCbor(readCbor(value));
    if (!(tree instanceof TreeObject)) throw new Error("it is no object");
    return tree;
  }
  const read = readJson(value);
  if (!read.ok) throw new Error(read.error);
  return read.tree;
}

/** Returns the whole object of a value in JSON or CBOR. Throws if it cannot be read. */
export function untypedObject(value: Uint8Array): JsonObject {
  const object = jsonFromTree(treeOf(value));
  if (!isObject(object)) throw new Error("it is no object");
  return object;
}

/** Returns version, kind and metadata of a value in protobuf. Managed fields have no field sets. Throws if it cannot be read. */
export function protobufObject(value: Uint8Array): JsonObject {
  const { apiVersion, kind, raw } = readEnvelope(value);
  const { name = "", namespace = "", labels = {}, annotations = {}, ownerReferences = [], managedFields = [] } = metadataOf(raw);
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels,
      annotations,
      ownerReferences: ownerReferences.map(({ apiVersion, kind, name, uid }) => ({ apiVersion, kind, name, uid })),
      managedFields: managedFields.map(({ manager = "", apiVersion = "", time = null }) => ({ manager, apiVersion, time })),
    },
  };
}
