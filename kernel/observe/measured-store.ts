/** A store whose requests are counted and timed. Watches are not timed, because they last; their events are counted. */
import type { RequestRecord } from "./metrics.ts";
import type { Tracing } from "./tracing.ts";
import type { Batch, Change, Store } from "../store/store.ts";

/** The labels `group` and `resource` of a key or prefix. */
export interface StoredLabels {
  readonly group: string;
  readonly resource: string;
}

/** Labels by key and prefix. */
export interface StoredPlaces {
  readonly of: (key: string) => StoredLabels;
  /** The labels of all keys with the prefix. */
  readonly under: (prefix: string) => readonly StoredLabels[];
}

type Operation = "create" | "delete" | "get" | "list" | "update";

/** `store` with metrics and spans. `now` is in milliseconds and monotonic. */
export function measuredStore(store: Store, places: StoredPlaces, record: RequestRecord, now: () => number, tracing?: Tracing): Store {
  /** The labels of each operation on a place: metrics find the series of a frozen set by its identity. */
  const labelsByPlace = new WeakMap<StoredLabels, Map<Operation, Readonly<Record<"group" | "operation" | "resource", string>>>>();
  function labelsOf(place: StoredLabels, operation: Operation) {
    const known = labelsByPlace.get(place) ?? new Map();
    const labels = known.get(operation);
    if (labels !== undefined) return labels;
    labelsByPlace.set(place, known);
    const made = Object.freeze({ group: place.group, operation, resource: place.resource });
    known.set(operation, made);
    return made;
  }
  async function measure<T>(operation: Operation, key: string, run: () => Promise<T>): Promise<T> {
    const labels = labelsOf(places.of(key), operation), { group, resource } = labels;
    const begun = now();
    let failed = false;
    try {
      return await run();
    } catch (error) {
      failed = true;
      record.storeErrors.with(labels).add();
      throw error;
    } finally {
      const ended = now();
      record.storeRequests.with(labels).add();
      record.storeSeconds.with(labels).observe((ended - begun) / 1000);
      tracing?.part({ name: `store ${operation}`, begun, ended, attributes: { group, resource }, failed });
    }
  }
  return {
    get: (key, signal) => measure("get", key, () => store.get(key, signal)),
    async list(range, page) {
      const { group, resource } = places.of(range.prefix);
      record.storeLists.with({ group, resource }).add();
      const listing = await measure("list", range.prefix, () => store.list(range, page));
      record.storeListObjects.with({ group, resource }).add(listing.entries.length);
      return listing;
    },
    ...(store.stream && { stream: (range, ...args) => measure("list", range.prefix, () => store.stream!(range, ...args)) }),
    newest: () => store.newest(),
    commit: (change) => measure(operationOf(change), change.key, () => store.commit(change)),
    watch: (range, from, signal) =>
      countBatches(store.watch(range, from, signal), (batch) => countEvents(record, places, range.prefix, batch)),
    claim: (key, writes, value) => store.claim(key, writes, value),
    compact: (revision) => store.compact(revision),
    size: () => store.size(),
    close: () => store.close(),
  };
}

/** Counts the events of a batch; a batch without events is a progress notification for all keys with the prefix. */
function countEvents(record: RequestRecord, places: StoredPlaces, prefix: string, { events }: Batch): void {
  if (events.length === 0) {
    for (const { group, resource } of places.under(prefix)) record.storeBookmarks.with({ group, resource }).add();
    return;
  }
  // Consecutive events with the same labels are counted together.
  let run = places.of(events[0]!.key), length = 0;
  const end = () => record.storeEvents.with({ group: run.group, resource: run.resource }).add(length);
  for (const { key } of events) {
    const labels = places.of(key);
    if (labels !== run) {
      end();
      [run, length] = [labels, 0];
    }
    length++;
  }
  end();
}

function operationOf({ expect, value }: Change): Operation {
  return value === undefined ? "delete" : expect === "absent" ? "create" : "update";
}

/** The batches of a source, counted as they pass. Not a generator, which would need more turns for every batch. */
function countBatches(source: AsyncIterable<Batch>, count: (batch: Batch) => void): AsyncIterable<Batch> {
  const counted = (result: IteratorResult<Batch>): IteratorResult<Batch> => {
    if (result.done !== true) count(result.value);
    return result;
  };
  return {
    [Symbol.asyncIterator]() {
      const batches = source[Symbol.asyncIterator]();
      return {
        next: () => batches.next().then(counted),
        return: () => batches.return?.() ?? Promise.resolve({ done: true, value: undefined }),
      };
    },
  };
}
