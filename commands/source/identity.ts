/** What a stored value says of itself, for kinds that this server has and for others: its encoding, version, kind and metadata. */
import { isCbor } from "../../core/codec/cbor/read.ts";
import { isEnvelope, readEnvelope } from "../../core/codec/protobuf.ts";
import type { OwnerReference } from "../../core/meta/object-meta.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import { metadataOf, treeOf } from "./any-object.ts";
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
    return { ...(encoding === "protobuf" ? identityOfProtobuf(value) : identityOfTree(treeOf(value))), encoding };
  } catch (error) {
    return { ...none, encoding, problem: reasonOf(error) };
  }
}

const brace = 0x7b;

function identityOfProtobuf(value: Uint8Array): Omit<Identity, "encoding"> {
  const { apiVersion, kind, raw } = readEnvelope(value);
  const { namespace = "", name = "", uid = "", ownerReferences = [] } = metadataOf(raw);
  return { apiVersion, kind, namespace, name, uid, owners: ownerReferences };
}

function identityOfTree(tree: Tree): Omit<Identity, "encoding"> {
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
