/** A cache over a store with injected faults. */
import assert from "node:assert/strict";
import { StatusError } from "../../core/status-error.ts";
import { createRegistry } from "../../metrics/mod.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import type { Batch, Page, Range, Revision, Store } from "../../kernel/store/store.ts";
import type { ManualClock } from "../store/clock.ts";
import { cacheMetrics, type OpenedReads, openReads, type ReadsOptions } from "../../kernel/cache/mod.ts";
import { catalog, type Fixture, prefix } from "./fixture.ts";

/** A store whose watches the test can break, and whose lists it can fail or hold. */
export interface FaultyStore {
  readonly store: Store;
  /** Sends all later calls but watches to another store. */
  become(store: Store): void;
  /** Ends all watches with this error. */
  breakWatches(error: Error): void;
  /** Thrown by every list until it is undefined. */
  listFails: Error | undefined;
  /** Delays the result of each list until the promise resolves. */
  holdList: ((range: Range, page: Page | undefined) => Promise<void>) | undefined;
  /** Batches of watches wait while it is set. */
  hold: Promise<void> | undefined;
  /** Drops the events of the keys for which it holds. */
  lose: ((key: string) => boolean) | undefined;
  /** Whether the store has no other writers, and so knows its newest revision without a round trip. */
  alone: boolean;
  gets: number;
  lists: number;
  watches: number;
}

function faulty(first: Store): FaultyStore {
  let store = first;
  let broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  const made: FaultyStore = {
    listFails: undefined,
    holdList: undefined,
    hold: undefined,
    lose: undefined,
    alone: false,
    gets: 0,
    lists: 0,
    watches: 0,
    become(next) {
      store = next;
    },
    breakWatches(error) {
      broken.reject(error);
      broken = Promise.withResolvers();
      broken.promise.catch(() => {});
    },
    store: {
      ...first,
      commit: (change) => store.commit(change),
      newest: () => made.alone ? store.newest() : undefined,
      get(key, signal) {
        made.gets++;
        return store.get(key, signal);
      },
      async list(range, page) {
        made.lists++;
        if (made.listFails !== undefined) throw made.listFails;
        const listing = await store.list(range, page);
        await made.holdList?.(range, page);
        return listing;
      },
      watch: (range, from, signal) => watch(range, from, signal),
    },
  };
  async function* watch(range: Range, from: Revision, signal: AbortSignal): AsyncGenerator<Batch> {
    made.watches++;
    const { promise } = broken;
    const own = new AbortController();
    const batches = store.watch(range, from, AbortSignal.any([signal, own.signal]))[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([batches.next(), promise]);
        if (next.done === true) return;
        await Promise.race([made.hold, promise]);
        const { events, revision: reached } = next.value;
        yield { events: events.filter(({ key }) => !(made.lose?.(key) ?? false)), revision: reached };
      }
    } finally {
      own.abort();
    }
  }
  return made;
}

export interface Bench {
  readonly fixture: Fixture;
  readonly cache: OpenedReads;
  readonly faulty: FaultyStore;
  readonly errors: unknown[];
  /** The samples of a metric without its name and the group: `{resource="notes"} 3`; of one without labels, from `begin`: a blank. */
  readonly counted: (name: string, begin?: string) => Promise<readonly string[]>;
}

export async function withCache(
  use: (bench: Bench) => Promise<void>,
  { catalog: served = catalog, ...options }: ReadsOptions & { readonly catalog?: Catalog } = {},
  before?: (fixture: Fixture, faulty: FaultyStore) => Promise<void>,
): Promise<void> {
  const store = await openSqlite(":memory:");
  const wrapped = faulty(store);
  const errors: unknown[] = [];
  const { record, text } = createRegistry(cacheMetrics);
  const counted = async (name: string, begin = "{"): Promise<readonly string[]> => {
    cache.updateMetrics();
    const lines = (await text()).split("\n").filter((line) => line.startsWith(`${name}${begin}`));
    return lines.map((line) => line.slice(name.length).replace('group="",', ""));
  };
  await before?.({ store, reads: undefined as never, close: () => store.close() }, wrapped); // only written to
  const cache = await openReads(wrapped.store, served, prefix, {
    onError: (error) => errors.push(error),
    record,
    checkEveryMs: 0,
    ...options,
  });
  const fixture: Fixture = { store: cache.store, reads: cache.reads, close: () => cache.close() };
  try {
    await use({ fixture, cache, faulty: wrapped, errors, counted });
  } finally {
    await cache.close();
    await store.close();
  }
}

export async function refused(act: () => Promise<unknown>): Promise<StatusError> {
  const error = await act().then(() => assert.fail("not refused"), (error: unknown) => error);
  assert.ok(error instanceof StatusError, `${error}`);
  return error;
}

/** Resolves when `count` timers wait. */
export async function waitFor(clock: ManualClock, count: number): Promise<void> {
  for (let turns = 0; clock.waiting < count; turns++) {
    assert.ok(turns < 10_000, `only ${clock.waiting} timers`);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** Advances the clock once a timer waits, then runs turns of the event loop until `done` holds. */
export async function turn(clock: ManualClock, ms: number, done: () => boolean | Promise<boolean>): Promise<void> {
  await waitFor(clock, 1);
  clock.advance(ms);
  for (let turns = 0; !(await done()); turns++) {
    assert.ok(turns < 10_000, "the condition never held");
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
