/** What a stored value says of itself, for kinds that this server has and for others: its encoding, version, kind and metadata. */
import { isCbor, readCbor } from "../../core/codec/cbor/read.ts";
import { objectOfCbor } from "../../core/codec/cbor/untyped.ts";
import { isEnvelope, readEnvelope } from "../../core/codec/protobuf.ts";
import { protobufReader } from "../../core/derive/protobuf.ts";
import { ObjectMeta, type OwnerReference } from "../../core/meta/object-meta.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { field, struct } from "../../core/schema.ts";
import { readJson } from "../../core/tree/json.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import { encryptionOf } from "./encrypted.ts";

export interface Identity {
  readonly encoding: "protobuf" | "json" | "cbor" | "encrypted" | "unknown";
  /** Empty where the value does not say it. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly owners: readonly Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">[];
  /** Why the value cannot be read. */
  readonly problem?: string;
}

const none: Omit<Identity, "encoding"> = Object.freeze({ apiVersion: "", kind: "", namespace: "", name: "", uid: "", owners: [] });

/** Never throws: what cannot be read has a `problem`. */
export function identityOf(value: Uint8Array): Identity {
  const encrypted = encryptionOf(value);
  if (encrypted !== undefined) {
    return { ...none, encoding: "encrypted", problem: `it is encrypted by ${encrypted.provider} with ${encrypted.key}` };
  }
  const encoding = isEnvelope(value) ? "protobuf" : isCbor(value) ? "cbor" : value[0] === brace ? "json" : "unknown";
  if (encoding === "unknown") return { ...none, encoding, problem: "it is neither protobuf, JSON nor CBOR" };
  try {
    if (encoding === "protobuf") return { ...ofProtobuf(value), encoding };
    if (encoding === "cbor") {
      const tree = objectOfCbor(readCbor(value));
      if (!(tree instanceof TreeObject)) throw new Error("it is no object");
      return { ...ofTree(tree), encoding };
    }
    const read = readJson(value);
    if (!read.ok) throw new Error(read.error);
    return { ...ofTree(read.tree), encoding };
  } catch (error) {
    return { ...none, encoding, problem: reasonOf(error) };
  }
}

const brace = 0x7b;

/** Every object has its metadata in the field 1. Other fields are skipped. */
const AnyObject = struct("Object", { metadata: field(1, ObjectMeta, "Metadata of the object.") });

function ofProtobuf(value: Uint8Array): Omit<Identity, "encoding"> {
  const { apiVersion, kind, raw } = readEnvelope(value);
  const { metadata } = protobufReader(AnyObject)(raw) as { readonly metadata?: ObjectMeta };
  const { namespace = "", name = "", uid = "", ownerReferences } = metadata ?? {};
  return { apiVersion, kind, namespace, name, uid, owners: ownerReferences ?? [] };
}

function ofTree(tree: Tree): Omit<Identity, "encoding"> {
  const metadata = memberOf(tree, "metadata"), owners = memberOf(metadata, "ownerReferences");
  return {
    apiVersion: textOf(tree, "apiVersion"),
    kind: textOf(tree, "kind"),
    namespace: textOf(metadata, "namespace"),
    name: textOf(metadata, "name"),
    uid: textOf(metadata, "uid"),
    owners: (Array.isArray(owners) ? owners : []).map((owner) => ({
      apiVersion: textOf(owner, "apiVersion"),
      kind: textOf(owner, "kind"),
      name: textOf(owner, "name"),
      uid: textOf(owner, "uid"),
    })),
  };
}

const memberOf = (tree: Tree | undefined, key: string): Tree | undefined => tree instanceof TreeObject ? tree.get(key) : undefined;
function textOf(tree: Tree | undefined, key: string): string {
  const value = memberOf(tree, key);
  return typeof value === "string" ? value : "";
}
