/** The present state as the first frames of a watch: one ADDED for each object, joined into pieces. */
import { append } from "../../../core/append.ts";
import { chunkBytes, concat } from "../../objects/chunks.ts";
import type { Framing, Watching } from "../../reads/reads.ts";
import type { Cursor } from "./cursor.ts";
import { bodyBytes, type CachedEntry, type EntryMaker, itemOf } from "../index/entry.ts";
import { plainHead } from "../kind/frame-share.ts";
import type { KeyIndex } from "../index/key-index.ts";
import type { KindCache } from "../kind/kind-cache.ts";
import { type Selection, selectionOf } from "../index/selection.ts";

const end = new TextEncoder().encode("}\n");

export function* stateFrames({ maker, meter }: KindCache, index: KeyIndex, watching: Watching, cursor: Cursor): Generator<Uint8Array> {
  const { collection, options, framing } = watching;
  const selection = selectionOf(collection, options);
  const head = plainHead(maker, "ADDED");
  let parts: Uint8Array[] = [];
  let size = 0;
  for (const entry of chosenEntries(index, selection)) {
    meter.began(1);
    const frame = framing.plain ? [head, bodyBytes(entry), end] : [otherFrame(maker, entry, framing, cursor.isFirst)];
    const bytes = frame.reduce((sum, part) => sum + part.length, 0);
    cursor.sent(bytes);
    if (bytes > chunkBytes) {
      // Large entries are sent as they are, without copying them.
      if (size > 0) yield concat(parts);
      yield* frame;
      [parts, size] = [[], 0];
      continue;
    }
    append(parts, frame);
    size += bytes;
    if (size < chunkBytes) continue;
    yield concat(parts);
    [parts, size] = [[], 0];
  }
  if (size > 0) yield concat(parts);
}

/** Makes a frame in a form other than the stored one. It is shared between watches if it is the same for all of them at all times. */
function otherFrame(maker: EntryMaker, entry: CachedEntry, framing: Framing, first: boolean): Uint8Array {
  const item = itemOf(maker, entry);
  const make = (): Uint8Array => framing.frame("ADDED", item, first);
  return framing.opens ? make() : item.form(`ADDED ${framing.id}`, make);
}

function* chosenEntries(index: KeyIndex, { prefix, key, chooses }: Selection): Generator<CachedEntry> {
  if (key !== undefined) {
    const entry = index.get(key);
    if (entry !== undefined && (chooses === undefined || chooses(entry))) yield entry;
    return;
  }
  for (const run of index.runs(prefix)) for (const entry of run) if (chooses === undefined || chooses(entry)) yield entry;
}
