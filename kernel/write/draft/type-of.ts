/** What a document calls itself, looked for before anything else of it is. */
import type { CborItem } from "../../../core/codec/cbor/item.ts";
import { cborReader } from "../../../core/derive/cbor-read.ts";
import { field, string, struct } from "../../../core/schema.ts";
import { type Tree, TreeObject } from "../../../core/tree/tree.ts";

/** Kind and apiVersion, "" where they are left out; or Go's error where they cannot be read. */
export type DocumentType =
  | { readonly ok: true; readonly kind: string; readonly apiVersion: string }
  | { readonly ok: false; readonly error: string };

const goStruct = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Upstream takes the two keys in any letter case here, and null for an empty document. */
export function typeOf(tree: Tree): DocumentType {
  if (tree === null) return { ok: true, kind: "", apiVersion: "" };
  const bad = (why: string): DocumentType => ({
    ok: false,
    error: `couldn't get version/kind; json parse error: json: cannot unmarshal ${why}`,
  });
  if (!(tree instanceof TreeObject)) return bad(`${goNameOf(tree)} into Go value of type ${goStruct}`);
  const found = { kind: "", apiVersion: "" };
  for (const [index, key] of tree.keys.entries()) {
    const lower = key.toLowerCase();
    if (lower !== "kind" && lower !== "apiversion") continue;
    const name = lower === "kind" ? "kind" : "apiVersion";
    const value = tree.values[index]!;
    if (value === null) continue;
    if (typeof value !== "string") return bad(`${goNameOf(value)} into Go struct field .${name} of type string`);
    found[name] = value;
  }
  if (found.apiVersion.split("/").length > 2) return { ok: false, error: `unexpected GroupVersion string: ${found.apiVersion}` };
  return { ok: true, ...found };
}

const TypeMeta = struct("TypeMeta", { kind: field(0, string, "The kind."), apiVersion: field(0, string, "Its group and version.") }, {
  package: "meta/v1",
});

/** As `typeOf`, for an item of CBOR: the keys have one spelling, and a version that is none is as good as left out. Throws
 *  `DecodeError` where it cannot be read. */
export function typeOfCbor(item: CborItem): { readonly kind: string; readonly apiVersion: string } {
  const { kind = "", apiVersion = "" } = cborReader(TypeMeta)(item);
  return { kind, apiVersion: apiVersion.split("/").length > 2 ? "" : apiVersion };
}

/** What Go calls a JSON value. */
export function goNameOf(tree: Tree): string {
  if (typeof tree === "string") return "string";
  if (typeof tree === "boolean") return "bool";
  if (Array.isArray(tree)) return "array";
  return tree instanceof TreeObject ? "object" : "number";
}
