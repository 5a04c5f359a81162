/** What is put around items that are encoded already: lists, and the events of watches. */
import { CborWriter } from "./write.ts";

/** The bytes before and after the items of a list. `metadata` is encoded already; a `count` of null is a null list. */
export function cborListAround(
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  metadata: Uint8Array,
  count: number | null,
): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  // Keys by their length: kind, items, metadata, apiVersion.
  const head = new CborWriter().selfDescribed().map(4).text("kind").text(kind).text("items");
  if (count === null) head.null();
  else head.array(count);
  const tail = new CborWriter().text("metadata").raw(metadata).text("apiVersion").text(apiVersion);
  return { head: head.finish(), tail: tail.finish() };
}

/** One event of a watch; items of CBOR follow each other without anything between them (RFC 8742). */
export function cborEvent(type: string, document: Uint8Array): Uint8Array {
  return new CborWriter().selfDescribed().map(2).text("type").text(type).text("object").raw(document).finish();
}
