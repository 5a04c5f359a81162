/** Compares the cache with the store periodically, and refills it on a difference. */
import { append } from "../../core/append.ts";
import { type Clock, pause } from "../../core/async.ts";
import type { Revision, Store } from "../store/store.ts";
import type { CachedEntry } from "./index/entry.ts";
import type { KeyIndex } from "./index/key-index.ts";
import type { CacheMeter, Checked } from "./metrics.ts";
import type { WatchCache } from "./watch-cache.ts";
import { bound } from "../../core/bound.ts";
import { fillPageEntriesMax } from "./bounds.ts";

/** Milliseconds of pause after each full page when the cache is compared with the store. */
const consistencyPageMs = bound(50);

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
      // The state of the cache at one revision, with which the store is compared. Later changes do not affect it.
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
 * Keys with equal revisions hold equal objects, so values are not read. A revision that the store has compacted counts as equal.
 *
 * Each page is the range of keys of some cached entries: etcd counts all keys of a range, and would count the rest of a large kind for every page.
 * Between pages others use the store: a million objects take half a minute.
 */
async function isSame(store: Store, moment: Moment, signal: AbortSignal): Promise<boolean> {
  const { prefix, index, broken, revision, meter, clock } = moment;
  let after: string | undefined;
  for (const { entries, isLast } of partsOf(index, prefix)) {
    const upTo = isLast ? undefined : entries.at(-1)!.key;
    const range = { prefix, ...(after === undefined ? {} : { after }), ...(upTo === undefined ? {} : { upTo }) };
    const limit = entries.length + broken.size + 1;
    const listed = await store.list(range, { limit, at: revision, counted: false, valued: false, signal });
    meter.listedStore(listed.entries.length, listed.entries.length);
    const stored = listed.entries.filter(({ key }) => !broken.has(key));
    if (stored.length !== entries.length) return false;
    if (stored.some(({ key, revision }, at) => key !== entries[at]!.key || revision !== entries[at]!.revision)) return false;
    if (isLast) return true;
    after = upTo;
    await pause(consistencyPageMs, signal, clock);
  }
  return true;
}

/** Yields the entries below a prefix in parts. The last part is marked, and may be empty. */
function* partsOf(index: KeyIndex, prefix: string): Generator<{ readonly entries: readonly CachedEntry[]; readonly isLast: boolean }> {
  let entries: CachedEntry[] = [];
  for (const run of index.runs(prefix)) {
    if (entries.length + run.length > fillPageEntriesMax) {
      yield { entries, isLast: false };
      entries = [];
    }
    append(entries, run);
  }
  yield { entries, isLast: true };
}
