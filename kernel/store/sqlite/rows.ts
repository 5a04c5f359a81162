/** Converts rows of the sqlite store to entries and events. */
import { decodeKey } from "../bytes.ts";
import type { Entry, StoreEvent } from "../store.ts";

/** The entry of a row with key and revision, and its value. */
export function entryOf(row: Record<string, unknown>, value: unknown): Entry {
  return { key: decodeKey(blob(row.key)), value: blob(value), revision: integer(row.revision) };
}

/** The event of a history row, joined with the value of its previous row. */
export function eventOf(row: Record<string, unknown>): StoreEvent {
  const value = row.value === null ? undefined : blob(row.value);
  const previous = row.previous === null ? undefined : { value: blob(row.previousValue), revision: integer(row.previous) };
  return { key: decodeKey(blob(row.key)), revision: integer(row.revision), value, previous };
}

/** Makes the `previous` of the event that follows this entry. */
export function previousOf(entry: Entry | undefined): StoreEvent["previous"] {
  return entry && { value: entry.value, revision: entry.revision };
}

/**
 * Returns a value as a parameter of a statement. Empty bytes are passed as an empty text: sqlite would store them as null, which marks a
 * deletion.
 */
export function boundValue(value: Uint8Array): Uint8Array | string {
  return value.byteLength === 0 ? "" : value;
}

/** The bytes of a column; throws for a type that this program never writes. */
export function blob(value: unknown): Uint8Array {
  if (value === "") return new Uint8Array(0);
  if (value instanceof Uint8Array) return value;
  throw new Error(`The store holds a ${typeof value} where it keeps bytes`);
}

/** The integer of a column; throws for a type that this program never writes. */
export function integer(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new Error(`The store holds ${String(value)} where it keeps an integer`);
}
