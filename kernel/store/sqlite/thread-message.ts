/**
 * Plain data in the form in which it is posted between threads: bytes are bare buffers. Deno's node:worker_threads searches messages
 * for ports and would visit every byte of a Uint8Array, at both ends, but skips buffers. A posted view takes its whole buffer along
 * (a slab of a megabyte for a kilobyte), so views of larger buffers are copied.
 */
export type Packed<T> = T extends Uint8Array ? ArrayBuffer : T extends object ? { readonly [Key in keyof T]: Packed<T[Key]> } : T;

/** Converts data to the form that is posted. Posting copies it, so the bytes of `data` stay with the caller. */
export function pack<T>(data: T): Packed<T> {
  return mapObjects(data, (value) => value instanceof Uint8Array ? ownBuffer(value) : undefined) as Packed<T>; // this is the mapping that the type describes
}
/** The inverse of `pack`. */
export function unpack<T>(data: Packed<T>): T {
  return mapObjects(data, (value) => value instanceof ArrayBuffer ? new Uint8Array(value) : undefined) as T; // this is the inverse of that mapping
}

function ownBuffer(view: Uint8Array): ArrayBufferLike {
  return view.byteLength === view.buffer.byteLength ? view.buffer : new Uint8Array(view).buffer;
}

/** The same data, with each object replaced for which `other` returns a value. */
function mapObjects(data: unknown, other: (value: object) => object | undefined): unknown {
  if (typeof data !== "object" || data === null) return data;
  const exchanged = other(data);
  if (exchanged !== undefined) return exchanged;
  if (Array.isArray(data)) return data.map((each) => mapObjects(each, other));
  const out: Record<string, unknown> = {};
  // The keys come from internal types, and never from a client.
  for (const [key, value] of Object.entries(data)) out[key] = mapObjects(value, other);
  return out;
}
