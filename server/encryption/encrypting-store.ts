/**
 * A store whose values of some resources are encrypted below it and in the clear above it:
 *
 *   write ── seal ──> store        with the first key of the resource
 *   store ── open ──> read, event  with the key that the value names
 *
 * A value that no provider reads, encrypted or in the clear, becomes one that cannot be decoded: whoever reads it finds its key in the error, and
 * no data of it.
 */
import { encryptedPrefix } from "../../kernel/objects/objects.ts";
import { type Change, type Commit, type Entry, type Store, StoreError, type StoreEvent } from "../../kernel/store/store.ts";
import type { Transformer } from "./transformer.ts";

export interface Encryption {
  /** The transformer of a key in the store; undefined for resources without encryption. */
  of(key: string): Transformer | undefined;
  /** Aborts when other keys take the place of the present ones. */
  readonly replaced: AbortSignal;
}

const lineEnd = 0x0a;
/** In the place of a value that no provider reads. */
const unread = new TextEncoder().encode(encryptedPrefix);

export function encryptingStore(store: Store, encryption: Encryption): Store {
  const opened = (key: string, value: Uint8Array): Uint8Array => {
    const transformer = encryption.of(key);
    if (transformer === undefined) return value;
    const found = transformer.open(value, key);
    if (found === undefined) return unread;
    return found.isStale ? marked(found.value) : found.value;
  };
  const openedEntry = (entry: Entry): Entry => ({ ...entry, value: opened(entry.key, entry.value) });
  const openedEvent = (event: StoreEvent): StoreEvent => ({
    ...event,
    value: event.value && opened(event.key, event.value),
    previous: event.previous && { ...event.previous, value: opened(event.key, event.previous.value) },
  });

  return {
    async get(key, signal) {
      const found = await store.get(key, signal);
      return found.entry === undefined ? found : { ...found, entry: openedEntry(found.entry) };
    },
    async list(range, page) {
      const listing = await store.list(range, page);
      return page?.valued === false ? listing : { ...listing, entries: listing.entries.map(openedEntry) };
    },
    newest: () => store.newest(),
    async commit(change: Change): Promise<Commit> {
      const value = change.value && (encryption.of(change.key)?.seal(change.value, change.key) ?? change.value);
      const result = await store.commit({ ...change, value });
      return result.done || result.current === undefined ? result : { done: false, current: openedEntry(result.current) };
    },
    async *watch(range, from, signal) {
      const { replaced } = encryption;
      for await (const batch of store.watch(range, from, AbortSignal.any([signal, replaced]))) {
        yield batch.events.length === 0 ? batch : { ...batch, events: batch.events.map(openedEvent) };
      }
      // What the reader has kept is to be read again: it may be stale now, or could not be read before.
      if (!signal.aborted && replaced.aborted) throw new StoreError("unavailable", "the keys of the encrypted values were replaced");
    },
    claim: (key, writes, value) => store.claim(key, writes, value),
    compact: (revision) => store.compact(revision),
    size: () => store.size(),
    close: () => store.close(),
  };
}

/**
 * The JSON of a stale value with one more line break, which its reader skips. It differs from what would be stored, so that a write that does
 * not change the object stores it again, with the first key: so keys are rotated. Other encodings differ already.
 */
function marked(value: Uint8Array): Uint8Array {
  if (value.at(-1) !== lineEnd) return value;
  const more = new Uint8Array(value.length + 1);
  more.set(value);
  more[value.length] = lineEnd;
  return more;
}
