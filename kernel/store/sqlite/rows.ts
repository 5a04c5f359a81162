/** Rows of the sqlite store as what they stand for. */
import { decodeKey } from "../bytes.ts";
import type { Entry, StoreEvent } from "../store.ts";

/** An entry of a row that has a key and a revision, and of the value that goes with it. */
export function entryOf(row: Record<string, unknown>, value: unknown): Entry {
  return { key: decodeKey(blob(row.key)), value: blob(value), revision: integer(row.revision) };
}

/** An event of a row of history, which has beside it the value of the row that it names as previous. */
export function eventOf(row: Record<string, unknown>): StoreEvent {
  const value = row.value === null ? undefined : blob(row.value);
  const previous = row.previous === null ? undefined : { value: blob(row.previousValue), revision: integer(row.previous) };
  return { key: decodeKey(blob(row.key)), revision: integer(row.revision), value, previous };
}

/** What an event tells of the entry before it. */
export function previousOf(entry: Entry | undefined): StoreEvent["previous"] {
  return entry && { value: entry.value, revision: entry.revision };
}

/** A value as it is bound. No bytes at all would be bound as null, which stands for a deletion; they are kept as an empty text. */
export function stored(value: Uint8Array): Uint8Array | string {
  return value.byteLength === 0 ? "" : value;
}

/** The bytes of a column; throws for what this program has not written. */
export function blob(value: unknown): Uint8Array {
  if (value === "") return new Uint8Array(0);
  if (value instanceof Uint8Array) return value;
  throw new Error(`The store holds a ${typeof value} where it keeps bytes`);
}

/** The integer of a column; throws for what this program has not written. */
export function integer(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new Error(`The store holds ${String(value)} where it keeps an integer`);
}
