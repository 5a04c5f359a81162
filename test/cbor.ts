/** Encoding and decoding of CBOR for tests. */
import assert from "node:assert/strict";
import { CborFailure } from "../core/codec/cbor/failure.ts";
import { isCbor, readCbor } from "../core/codec/cbor/read.ts";
import { objectOfCbor } from "../core/codec/cbor/untyped.ts";
import { CborWriter, writeJson } from "../core/codec/cbor/write.ts";
import type { Json } from "../core/schema.ts";
import { jsonFromTree } from "../core/tree/values.ts";

export const gate = "--feature-gates=CBORServingAndStorage=true";
export const where = "/api/v1/namespaces/default/configmaps";
export const type = "application/cbor";

/** A document with the self-described tag. */
export function encoded(value: Json): Uint8Array {
  const to = new CborWriter();
  writeJson(value, to);
  return to.finish();
}
/** The value of a document, which must have the self-described tag. */
export function decoded(bytes: Uint8Array): any {
  assert.ok(isCbor(bytes), "a document is described as CBOR");
  const tree = objectOfCbor(readCbor(bytes));
  assert.ok(!(tree instanceof CborFailure), tree instanceof CborFailure ? tree.text : "");
  return jsonFromTree(tree);
}
/** The events of a watch: each begins with the tag, a map of two and its first key. */
export function events(bytes: Uint8Array): any[] {
  const start = Buffer.from("d9d9f7a24474797065", "hex");
  const all = Buffer.from(bytes);
  const found: any[] = [];
  for (let at = 0, next: number; at < all.length; at = next) {
    next = all.indexOf(start, at + 1);
    if (next < 0) next = all.length;
    found.push(decoded(all.subarray(at, next)));
  }
  return found;
}
