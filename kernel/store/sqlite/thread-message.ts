/**
 * Plain data as it crosses between threads: bytes travel as bare buffers. Deno's node:worker_threads looks for ports in all that a
 * message holds and would visit every single byte of a Uint8Array, at both ends; a buffer it passes over. A message also takes along
 * the whole buffer that a view lies in (a slab of a megabyte for a kilobyte), so views of more are copied.
 */
export type Packed<T> = T extends Uint8Array ? ArrayBuffer : T extends object ? { readonly [Key in keyof T]: Packed<T[Key]> } : T;

/** What to post. What it holds is copied by posting, so the bytes of `data` stay with whoever has them. */
export function pack<T>(data: T): Packed<T> {
  return mapped(data, (value) => value instanceof Uint8Array ? ownBuffer(value) : undefined) as Packed<T>; // as the type says it
}
/** What was packed. */
export function unpack<T>(data: Packed<T>): T {
  return mapped(data, (value) => value instanceof ArrayBuffer ? new Uint8Array(value) : undefined) as T; // the other way round
}

function ownBuffer(view: Uint8Array): ArrayBufferLike {
  return view.byteLength === view.buffer.byteLength ? view.buffer : new Uint8Array(view).buffer;
}

/** The same data, with those objects exchanged for which `other` has something. */
function mapped(data: unknown, other: (value: object) => object | undefined): unknown {
  if (typeof data !== "object" || data === null) return data;
  const exchanged = other(data);
  if (exchanged !== undefined) return exchanged;
  if (Array.isArray(data)) return data.map((each) => mapped(each, other));
  const out: Record<string, unknown> = {};
  // The keys are those of our own types, never a client's.
  for (const [key, value] of Object.entries(data)) out[key] = mapped(value, other);
  return out;
}
