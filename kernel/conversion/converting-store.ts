/**
 * A store whose values of some kinds are converted by calls, such as those of a webhook:
 *
 *   request in v2 ── storedValue ──> call ──> value in v1 ──> store
 *   store ──> value in v1 ──> call ──> servedValues ── response or event in v2
 *
 * Each version of such a kind has keys of its own above this store and none below it, so that everything above is as for any other kind.
 * Keys of other kinds are passed on.
 */
import { abortable, pause } from "../../core/async.ts";
import type { ConversionContext, StoredConversion } from "../../core/conversion.ts";
import { StatusError } from "../../core/status-error.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Batch, Change, Commit, Entry, Listing, Page, Range, Revision, Store, StoreEvent } from "../store/store.ts";
import { type ConvertedKey, convertedKey, convertedKinds, servedKey, storedKey } from "./converted-kinds.ts";
import { type Means, servedValues, storedValue } from "./stored-values.ts";
import { type SharedValues, sharedValues } from "./shared-values.ts";
import { bound } from "../../core/bound.ts";

/** Maximum bytes of converted objects that the watches of one kind share. Others are converted again. */
const conversionSharedBytesMax = bound(4 * 1024 * 1024);
/** Milliseconds before the events of a watch are converted again after a failure. The pause doubles with each failure. */
const conversionRetryMs = bound(100);
/** Longest pause, in milliseconds, before the events of a watch are converted again after a failure. */
const conversionRetryMsMax = bound(5_000);

export interface ConvertingNeeds {
  readonly prefix: string;
  readonly catalog: () => Catalog;
  readonly context: ConversionContext;
}

const never: AbortSignal = new AbortController().signal;

export function convertingStore(store: Store, needs: ConvertingNeeds): Store {
  const converted = new ConvertedPart(store, needs);
  const placeOf = (key: string): ConvertedKey | undefined => convertedKey(convertedKinds(needs.catalog()), needs.prefix, key);
  return {
    get(key, signal) {
      const place = placeOf(key);
      return place === undefined ? store.get(key, signal) : converted.get(place, signal);
    },
    list(range, page) {
      const place = placeOf(range.prefix);
      return place === undefined ? store.list(range, page) : converted.list(place, range, page);
    },
    newest: () => store.newest(),
    commit(change) {
      const place = placeOf(change.key);
      return place === undefined ? store.commit(change) : converted.commit(place, change);
    },
    watch(range, from, signal) {
      const place = placeOf(range.prefix);
      return place === undefined ? store.watch(range, from, signal) : converted.watch(place, range, from, signal);
    },
    claim: (key, writes, value) => store.claim(key, writes, value),
    compact: (revision) => store.compact(revision),
    size: () => store.size(),
    close: () => store.close(),
  };
}

/** The operations of a store on keys whose values are converted. */
class ConvertedPart {
  readonly #store: Store;
  readonly #needs: ConvertingNeeds;
  readonly #shared = new WeakMap<StoredConversion, SharedValues>();

  constructor(store: Store, needs: ConvertingNeeds) {
    this.#store = store;
    this.#needs = needs;
  }

  async #servedEntries(place: ConvertedKey, entries: readonly Entry[], signal: AbortSignal): Promise<Entry[]> {
    const values = await abortable(servedValues(place, entries.map(({ value }) => value), this.#means()), signal);
    return entries.map(({ key, revision }, index) => ({ key: servedKey(this.#needs.prefix, place, key), value: values[index]!, revision }));
  }

  async get(place: ConvertedKey, signal: AbortSignal | undefined): ReturnType<Store["get"]> {
    const { entry, revision } = await this.#store.get(place.stored, signal);
    if (entry === undefined) return { entry, revision };
    const [served] = await this.#servedEntries(place, [entry], signal ?? never);
    return { entry: served, revision };
  }

  async list(place: ConvertedKey, range: Range, page: Page | undefined): Promise<Listing> {
    const listing = await this.#store.list(this.#storedRange(place, range), page);
    return { ...listing, entries: await this.#servedEntries(place, listing.entries, page?.signal ?? never) };
  }

  async commit(place: ConvertedKey, change: Change): Promise<Commit> {
    const { signal = never } = change;
    const value = change.value === undefined ? undefined : await abortable(storedValue(place, change.value, this.#means()), signal);
    signal.throwIfAborted();
    const result = await this.#store.commit({ ...change, key: place.stored, value });
    if (!result.done) return { done: false, current: result.current && (await this.#servedEntries(place, [result.current], signal))[0] };
    if (value === undefined || value === change.value) return result;
    // As upstream, the response is what a read would return.
    const [served] = await abortable(servedValues(place, [value], this.#means()), signal);
    return { ...result, ...(served === undefined ? {} : { value: served }) };
  }

  async *watch(place: ConvertedKey, range: Range, from: Revision, signal: AbortSignal): AsyncGenerator<Batch> {
    for await (const batch of this.#store.watch(this.#storedRange(place, range), from, signal)) {
      yield batch.events.length === 0 ? batch : { ...batch, events: await this.#convertedEvents(place, batch.events, signal) };
    }
  }

  /** As upstream, a watch stays open while its events cannot be converted, and gets them afterwards. */
  async #convertedEvents(place: ConvertedKey, events: readonly StoreEvent[], signal: AbortSignal): Promise<readonly StoreEvent[]> {
    for (let ms: number = conversionRetryMs;; ms = Math.min(2 * ms, conversionRetryMsMax)) {
      try {
        return await abortable(this.#servedEvents(place, events), signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof StatusError)) throw error;
      }
      await pause(ms, signal);
    }
  }

  async #servedEvents(place: ConvertedKey, events: readonly StoreEvent[]): Promise<readonly StoreEvent[]> {
    const values = events.flatMap(({ key, revision, value, previous }) => [
      ...(previous === undefined ? [] : [{ key, revision: previous.revision, value: previous.value }]),
      ...(value === undefined ? [] : [{ key, revision, value }]),
    ]);
    const own = this.#shared.get(place.conversion) ?? sharedValues(conversionSharedBytesMax);
    this.#shared.set(place.conversion, own);
    const served = await own.served(place.kind.apiVersion, values, (some) => servedValues(place, some, this.#means()));
    let next = 0;
    return events.map(({ key, revision, value, previous }) => ({
      key: servedKey(this.#needs.prefix, place, key),
      revision,
      previous: previous && { value: served[next++]!, revision: previous.revision },
      value: value && served[next++]!,
    }));
  }

  #storedRange(place: ConvertedKey, { prefix: start, after, within, previous }: Range): Range {
    return {
      prefix: storedKey(this.#needs.prefix, place, start),
      ...(after === undefined ? {} : { after: storedKey(this.#needs.prefix, place, after) }),
      ...(within === undefined ? {} : { within: storedKey(this.#needs.prefix, place, within) }),
      ...(previous === undefined ? {} : { previous }),
    };
  }

  #means(): Means {
    return { context: this.#needs.context, encoding: this.#needs.catalog().storedAs };
  }
}
