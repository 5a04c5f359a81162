/** Compares the cache with the store periodically, and refills it on a difference. */
import { type Clock, pause } from "../../core/async.ts";
import { limits } from "../../core/limits.ts";
import type { Revision, Store } from "../store/store.ts";
import type { CachedEntry } from "./index/entry.ts";
import type { KeyIndex } from "./index/key-index.ts";
import type { CacheMeter, Checked } from "./metrics.ts";
import { pagesOf } from "./fill/pages.ts";
import type { WatchCache } from "./watch-cache.ts";

export interface ConsistencyNeeds {
  readonly cache: WatchCache;
  readonly store: Store;
  readonly clock: Clock;
  readonly everyMs: number;
  /** Whether the comparison is enabled (gate DetectCacheInconsistency). */
  readonly wanted: () => boolean;
  readonly signal: AbortSignal;
}

/** Compares all kinds every `everyMs` milliseconds until the signal aborts. */
export async function keepConsistent({ cache, store, clock, everyMs, wanted, signal }: ConsistencyNeeds): Promise<void> {
  while (!signal.aborted) {
    await pause(everyMs, signal, clock);
    if (!wanted()) continue;
    for (const kind of cache.kinds) {
      if (signal.aborted) return;
      if (cache.state.tag !== "current" || !kind.filled) continue;
      // One snapshot: the store is compared with what the cache held at this revision.
      const { index, prefix } = kind;
      const { revision } = cache;
      const broken = kind.brokenKeys();
      const checked = await isSame(store, { prefix, index, broken, revision, meter: kind.meter, clock }, signal).then(
        (same): Checked => same ? "success" : "failure",
        (): Checked => "error",
      );
      if (signal.aborted) return;
      kind.meter.checked(checked);
      if (checked === "failure") {
        cache.refill(new Error(`The cache of ${kind.maker.kind.plural} differs from the store at revision ${revision}`));
      }
    }
  }
}

interface Moment {
  readonly prefix: string;
  readonly index: KeyIndex;
  readonly broken: ReadonlySet<string>;
  readonly revision: Revision;
  readonly meter: Pick<CacheMeter, "listedStore">;
  readonly clock: Clock;
}

/**
 * Keys with equal revisions hold equal objects, so values are not read. A revision that the store has compacted counts as equal. Between pages
 * others use the store: a million objects take half a minute.
 */
async function isSame(store: Store, { prefix, index, broken, revision, meter, clock }: Moment, signal: AbortSignal): Promise<boolean> {
  const cached = entriesOf(index, prefix);
  for await (const page of pagesOf(store, prefix, revision, signal, false)) {
    if (page.length === limits.fillPageEntriesMax) await pause(limits.consistencyPageMs, signal, clock);
    meter.listedStore(page.length, page.length);
    for (const { key, revision: own } of page) {
      if (broken.has(key)) continue;
      const entry = cached.next();
      if (entry.done === true || entry.value.key !== key || entry.value.revision !== own) return false;
    }
  }
  return cached.next().done === true;
}

function* entriesOf(index: KeyIndex, prefix: string): Generator<CachedEntry, undefined> {
  for (const run of index.runs(prefix)) yield* run;
}
