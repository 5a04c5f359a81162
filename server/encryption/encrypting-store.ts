/**
 * A store whose values of some resources are encrypted below it and in the clear above it:
 *
 *   write ── seal ──> store        with the first key of the resource
 *   store ── open ──> read, event  with the key that the value names
 *
 * A value that no provider reads, encrypted or in the clear, becomes one that cannot be decoded: whoever reads it finds its key in the error, and
 * no data of it.
 */
import { Buffer } from "node:buffer";
import { bound } from "../../core/bound.ts";
import { encryptedPrefix } from "../../kernel/objects/objects.ts";
import { type Change, type Commit, type Entry, type Store, StoreError, type StoreEvent } from "../../kernel/store/store.ts";
import type { OpenedValue, Soon, Transformer } from "./transformer.ts";

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
  const written = lastWritten();
  const opened = (key: string, value: Uint8Array): Soon<Uint8Array> => {
    const transformer = encryption.of(key);
    if (transformer === undefined) return value;
    const own = written.valueOf(key, value, encryption.replaced);
    if (own !== undefined) return own;
    const found = transformer.open(value, key);
    return found instanceof Promise ? found.then(readable) : readable(found);
  };
  const openedEntry = (entry: Entry): Soon<Entry> => {
    const value = opened(entry.key, entry.value);
    return value instanceof Promise ? value.then((value) => ({ ...entry, value })) : { ...entry, value };
  };
  const openedEvent = (event: StoreEvent): Soon<StoreEvent> => {
    const { key, previous } = event, value = event.value && opened(key, event.value);
    const before = previous && opened(key, previous.value);
    const made = (value: Uint8Array | undefined, before: Uint8Array | undefined): StoreEvent => ({
      ...event,
      value,
      previous: previous && before && { ...previous, value: before },
    });
    const isLater = value instanceof Promise || before instanceof Promise;
    return isLater ? Promise.all([value, before]).then(([value, before]) => made(value, before)) : made(value, before);
  };

  return {
    async get(key, signal) {
      const found = await store.get(key, signal);
      return found.entry === undefined ? found : { ...found, entry: await openedEntry(found.entry) };
    },
    async list(range, page) {
      const listing = await store.list(range, page);
      return page?.valued === false ? listing : { ...listing, entries: await inTurn(listing.entries, openedEntry) };
    },
    ...openedStreams(store, (piece) => inTurn(piece, openedEntry)),
    newest: () => store.newest(),
    async commit(change: Change): Promise<Commit> {
      const { key, value: plain } = change, sealed = plain && encryption.of(key)?.seal(plain, key), value = sealed ?? plain;
      if (sealed !== undefined && sealed !== plain) written.keep(key, sealed, plain!, encryption.replaced);
      const result = await store.commit({ ...change, value });
      return result.done || result.current === undefined ? result : { done: false, current: await openedEntry(result.current) };
    },
    async *watch(range, from, signal) {
      const { replaced } = encryption;
      for await (const batch of store.watch(range, from, AbortSignal.any([signal, replaced]))) {
        yield batch.events.length === 0 ? batch : { ...batch, events: await inTurn(batch.events, openedEvent) };
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

function openedStreams({ stream }: Store, open: (piece: readonly Entry[]) => Promise<readonly Entry[]>): Pick<Store, "stream"> {
  if (stream === undefined) return {};
  return {
    async stream(...args) {
      const sealed = await stream(...args);
      return sealed && openedPieces(sealed, open);
    },
  };
}
async function* openedPieces<T>(pieces: AsyncIterable<T>, open: (piece: T) => Promise<T>): AsyncGenerator<T, void> {
  for await (const piece of pieces) yield await open(piece);
}

/** Values that were written last and are kept in the clear, because their events follow. */
const writtenValuesMax = bound(1_000);
/** Bytes of one value that is kept in the clear. */
const writtenBytesMax = bound(4_096);

interface Written {
  readonly sealed: Uint8Array;
  readonly plain: Uint8Array;
  readonly replaced: AbortSignal;
}

/** The last value of each key that was written: its event, and that of the next write, need not decrypt it. */
function lastWritten() {
  const last = new Map<string, Written[]>();
  return {
    /** Undefined for bytes that are none of the last two of this key, and for those of keys that were replaced. */
    valueOf(key: string, sealed: Uint8Array, replaced: AbortSignal): Uint8Array | undefined {
      return last.get(key)?.find((each) => each.replaced === replaced && isSame(each.sealed, sealed))?.plain;
    },
    keep(key: string, sealed: Uint8Array, plain: Uint8Array, replaced: AbortSignal): void {
      const [before] = last.get(key) ?? [];
      last.delete(key);
      if (plain.length > writtenBytesMax) return;
      const [oldest] = last.keys();
      if (last.size >= writtenValuesMax && oldest !== undefined) last.delete(oldest);
      last.set(key, [{ sealed, plain, replaced }, ...(before === undefined ? [] : [before])]);
    },
  };
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && Buffer.compare(one, other) === 0;
}

/** The results in their order. One after the other: a KMS plugin gets one call at a time for a page, and most results are there at once. */
async function inTurn<T, Made>(items: readonly T[], make: (item: T) => Soon<Made>): Promise<readonly Made[]> {
  const all: Made[] = [];
  for (const item of items) {
    const made = make(item);
    all.push(made instanceof Promise ? await made : made);
  }
  return all;
}

function readable(found: OpenedValue | undefined): Uint8Array {
  if (found === undefined) return unread;
  return found.isStale ? marked(found.value) : found.value;
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
