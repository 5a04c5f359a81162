/** CBOR of lists and watch events around items that are already encoded. */
import { CborWriter } from "./write.ts";

/** Returns the bytes before and after the items of a list. `metadata` is already encoded. A `count` of null writes null instead of a list. */
export function cborListAround(
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  metadata: Uint8Array,
  count: number | null,
): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  // Keys in order of length: kind, items, metadata, apiVersion.
  const head = new CborWriter().selfDescribed().map(4).text("kind").text(kind).text("items");
  if (count === null) head.null();
  else head.array(count);
  const tail = new CborWriter().text("metadata").raw(metadata).text("apiVersion").text(apiVersion);
  return { head: head.finish(), tail: tail.finish() };
}

/** One event of a watch. A CBOR sequence has no separators (RFC 8742). */
export function cborEvent(type: string, document: Uint8Array): Uint8Array {
  return new CborWriter().selfDescribed().map(2).text("type").text(type).text("object").raw(document).finish();
}
