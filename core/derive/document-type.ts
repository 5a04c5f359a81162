/** Reads the kind and apiVersion of a document, before the rest of it. */
import type { CborItem } from "../codec/cbor/item.ts";
import { cborReader } from "./cbor-read.ts";
import { field, string, struct } from "../schema.ts";
import { type Tree, TreeObject } from "../tree/tree.ts";

/** The kind and apiVersion, "" if absent; or Go's error if they cannot be decoded. */
export type DocumentType =
  | { readonly ok: true; readonly kind: string; readonly apiVersion: string }
  | { readonly ok: false; readonly error: string };

const goStruct = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** As upstream, the two keys are case-insensitive here, and null is an empty document. */
export function typeOf(tree: Tree): DocumentType {
  if (tree === null) return { ok: true, kind: "", apiVersion: "" };
  const bad = (why: string): DocumentType => ({
    ok: false,
    error: `couldn't get version/kind; json parse error: json: cannot unmarshal ${why}`,
  });
  if (!(tree instanceof TreeObject)) return bad(`${goNameOf(tree)} into Go value of type ${goStruct}`);
  const found = { kind: "", apiVersion: "" };
  for (let index = 0; index < tree.keys.length; index++) {
    const key = tree.keys[index]!;
    // Without the conversion of all other keys; no character has a lower case of another length here.
    if (key.length !== kindLength && key.length !== apiVersionLength) continue;
    const lower = key.toLowerCase();
    if (lower !== "kind" && lower !== "apiversion") continue;
    const name = lower === "kind" ? "kind" : "apiVersion";
    const value = tree.values[index]!;
    if (value === null) continue;
    if (typeof value !== "string") return bad(`${goNameOf(value)} into Go struct field .${name} of type string`);
    found[name] = value;
  }
  if (found.apiVersion.split("/").length > 2) return { ok: false, error: `unexpected GroupVersion string: ${found.apiVersion}` };
  return { ok: true, kind: found.kind, apiVersion: found.apiVersion };
}

const kindLength = "kind".length, apiVersionLength = "apiVersion".length;

const TypeMeta = struct("TypeMeta", { kind: field(0, string, "The kind."), apiVersion: field(0, string, "Its group and version.") }, {
  package: "meta/v1",
});

/** As `typeOf`, for a CBOR item: the keys are case-sensitive, and a malformed apiVersion is treated as absent. Throws `DecodeError` if they
 *  cannot be decoded. */
export function typeOfCbor(item: CborItem): { readonly kind: string; readonly apiVersion: string } {
  const { kind = "", apiVersion = "" } = cborReader(TypeMeta)(item);
  return { kind, apiVersion: apiVersion.split("/").length > 2 ? "" : apiVersion };
}

/** Returns Go's name of the type of a JSON value. */
export function goNameOf(tree: Tree): string {
  if (typeof tree === "string") return "string";
  if (typeof tree === "boolean") return "bool";
  if (Array.isArray(tree)) return "array";
  return tree instanceof TreeObject ? "object" : "number";
}
