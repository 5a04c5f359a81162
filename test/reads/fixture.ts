/** Fixtures for tests of reads: three kinds, a store, and requests given by their query strings. */
import assert from "node:assert/strict";
import { object } from "../../core/meta/object.ts";
import { defaultNames } from "../../core/names.ts";
import type { Plugin, Resource } from "../../core/plugin.ts";
import type { WatchScope } from "../../core/api.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { field, record, string } from "../../core/schema.ts";
import type { Catalog, Endpoint } from "../../kernel/catalog/catalog.ts";
import { compile } from "../../kernel/catalog/compile.ts";
import { keyOf, storedBytes } from "../../kernel/objects/objects.ts";
import { listOptions } from "../../kernel/request/options.ts";
import { parseQuery } from "../../core/net/query.ts";
import { collectionOf, type Framing, type ListPage, type Reads } from "../../kernel/reads/reads.ts";
import type { Clock } from "../../core/async.ts";
import type { Revision, Store } from "../../kernel/store/store.ts";
import { type ManualClock, manualClock } from "../store/clock.ts";
import { openReads } from "../../kernel/cache/mod.ts";

export const prefix = "/registry";
const patienceMs = 60_000;

type Note = ApiObject & { readonly data?: Readonly<Record<string, string>>; readonly mood?: string };
const schema = object("Note", {
  mood: field(3, string, "How it reads.", { default: "plain" }),
  data: field(2, record(string), "What it says."),
}, { doc: "A note." });

/** The definition of two kinds that are cached and one that is not, `Scrap`. */
export const plugin: Plugin = {
  name: "test",
  summary: "",
  resources: [
    {
      kind: "Note",
      scope: "Namespaced",
      summary: "",
      storedAs: "v1",
      storedUnder: "notes",
      served: { v1: { schema, introduced: "1.0", selectableFields: { mood: (note: Note) => note.mood ?? "" } } },
    },
    {
      kind: "Scrap",
      scope: "Cluster",
      summary: "",
      storedAs: "v1",
      storedUnder: "scraps",
      strategy: { cached: false },
      served: { v1: { schema: object("Scrap", {}, { doc: "A scrap." }), introduced: "1.0" } },
    },
    {
      kind: "Shelf",
      scope: "Cluster",
      summary: "",
      storedAs: "v1",
      storedUnder: "shelves",
      plural: "shelves",
      served: { v1: { schema: object("Shelf", {}, { doc: "A shelf." }), introduced: "1.0" } },
    },
  ],
};
export const catalog = catalogOf(plugin.resources ?? []);

export function catalogOf(resources: readonly Resource[], gates: Readonly<Record<string, boolean>> = {}): Catalog {
  return compile([{ ...plugin, resources }], {
    names: defaultNames,
    featureGates: new Map(Object.entries(gates)),
    runtimeConfig: new Map(),
  });
}

export function endpointOf(plural: string): Endpoint {
  return catalog.endpoint("", "v1", plural) ?? assert.fail(`no ${plural}`);
}

const tickMs = 5, msEachTick = 100;

/**
 * A clock so fast that a timeout of three seconds costs no time. It advances by turns of the event loop only, so timeouts do not
 * expire while the process is blocked.
 */
export const fastClock: Clock = ticking(manualClock(Date.now()));
function ticking(clock: ManualClock): Clock {
  let runs = false;
  const tick = (): void => {
    clock.advance(msEachTick);
    runs = clock.waiting > 0;
    if (runs) setTimeout(tick, tickMs);
  };
  return {
    now: clock.now,
    after(ms, run) {
      if (!runs) setTimeout(tick, tickMs);
      runs = true;
      return clock.after(ms, run);
    },
  };
}

/** A store to write to, and the reads under test. */
export interface Fixture {
  readonly store: Store;
  readonly reads: Reads;
  close(): Promise<void>;
}

/** A fixture that reads from a cache over a store; closing it closes the store. */
export async function cached(store: Store): Promise<Fixture> {
  const cache = await openReads(store, catalog, prefix, { clock: fastClock });
  return {
    store: cache.store,
    reads: cache.reads,
    async close() {
      await cache.close();
      await store.close();
    },
  };
}

/** A fixture that reads from a cache over another fixture's store; the cache is never filled. */
export async function neverFilled({ store }: Fixture): Promise<Fixture> {
  const held: Store = {
    get: (key, signal) => store.get(key, signal),
    newest: () => store.newest(),
    watch: (range, from, signal) => store.watch(range, from, signal),
    commit: (change) => store.commit(change),
    claim: (key, writes, value) => store.claim(key, writes, value),
    compact: (revision) => store.compact(revision),
    size: () => store.size(),
    close: () => store.close(),
    // Fills are the lists with large pages.
    list: (range, page) =>
      page?.limit !== undefined && page.limit > 1
        ? new Promise((_, reject) => page.signal?.addEventListener("abort", () => reject(page.signal?.reason)))
        : store.list(range, page),
  };
  const cache = await openReads(held, catalog, prefix, { clock: fastClock, openWaitMs: 0, fillWaitMs: 0 });
  return { store: cache.store, reads: cache.reads, close: () => cache.close() };
}

export interface Written {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly mood?: string;
  readonly plural?: string;
}

export function noteOf(name: string, { namespace = "ns", labels, data, mood = "plain", plural = "notes" }: Written = {}): ApiObject {
  const { kind, apiVersion, namespaced } = endpointOf(plural);
  const metadata = {
    name,
    ...(namespaced ? { namespace } : {}),
    uid: `uid-${name}`,
    creationTimestamp: "2024-01-02T03:04:05Z",
    ...(labels === undefined ? {} : { labels }),
  };
  return { kind, apiVersion, metadata, ...(plural === "notes" ? { mood, ...(data === undefined ? {} : { data }) } : {}) } as ApiObject; // of the kind's schema
}

/** Creates or overwrites. */
export async function put(fixture: Fixture, name: string, what: Written = {}): Promise<Revision> {
  const { stored } = endpointOf(what.plural ?? "notes");
  return await putBytes(fixture, name, storedBytes(stored, noteOf(name, what)), what);
}
export async function putBytes(
  fixture: Fixture,
  name: string,
  value: Uint8Array,
  { namespace = "ns", plural = "notes" }: Written = {},
): Promise<Revision> {
  const key = keyOf(prefix, endpointOf(plural).stored, namespace, name);
  for (;;) {
    const { entry } = await fixture.store.get(key);
    const commit = await fixture.store.commit({ key, expect: entry?.revision ?? "absent", value });
    if (commit.done) return commit.revision;
  }
}
export async function remove(fixture: Fixture, name: string, { namespace = "ns", plural = "notes" }: Written = {}): Promise<Revision> {
  const key = keyOf(prefix, endpointOf(plural).stored, namespace, name);
  for (;;) {
    const { entry } = await fixture.store.get(key);
    if (entry === undefined) assert.fail(`${name} is not there`);
    const commit = await fixture.store.commit({ key, expect: entry.revision, value: undefined });
    if (commit.done) return commit.revision;
  }
}

export function get(
  fixture: Fixture,
  name: string,
  resourceVersion = "",
  { namespace = "ns", plural = "notes" }: Written = {},
  signal = never,
) {
  const { stored } = endpointOf(plural);
  return fixture.reads.get(stored, keyOf(prefix, stored, namespace, name), resourceVersion, { signal });
}
const never = new AbortController().signal;

export interface Shown {
  readonly names: readonly string[];
  readonly page: ListPage;
  readonly objects: readonly ApiObject[];
}
export async function list(
  fixture: Fixture,
  query = "",
  { namespace = "ns", plural = "notes" }: Written = {},
  signal = never,
): Promise<Shown> {
  const endpoint = endpointOf(plural);
  const options = listOptions(parseQuery(query), endpoint, catalog);
  const page = await fixture.reads.list(collectionOf(prefix, endpoint, namespace, ""), options, defaultNames, signal);
  const objects = [...page.items].map((item) => item.object);
  assert.equal(objects.length, page.items.length);
  assertJson(page);
  return {
    names: objects.map(({ metadata }) => namespace === "" ? `${metadata.namespace ?? ""}/${metadata.name}` : metadata.name ?? ""),
    page,
    objects,
  };
}

/** Asserts that the pieces of JSON are the items, in order. */
function assertJson({ items }: ListPage): void {
  if (items.json === undefined) return;
  const text = new TextDecoder().decode(Uint8Array.from([...items.json.pieces()].flatMap((piece) => [...piece])));
  const expected = [...items].map(({ text }) => text.replace(/^\{"kind":"\w+","apiVersion":"v1",/, "{")).join(",");
  assert.equal(text, expected);
}

export interface SeenEvent {
  readonly type: string;
  readonly object: ApiObject & { readonly code?: number; readonly message?: string };
}

const toBytes = new TextEncoder();
/** JSON frames; `frames` collects the counted sizes. */
export function jsonFraming(more: Partial<Framing> = {}): Framing & { readonly frames: number[] } {
  const frames: number[] = [];
  const text = (type: string, json: string) => toBytes.encode(`{"type":"${type}","object":${json}}\n`);
  return {
    id: "json",
    plain: true,
    opens: false,
    frame: (type, item) => text(type, item.text),
    bookmark: (revision, endsInitial) =>
      text(
        "BOOKMARK",
        JSON.stringify({ metadata: { resourceVersion: String(revision), ...(endsInitial ? { annotations: { end: "true" } } : {}) } }),
      ),
    error: (status) => text("ERROR", JSON.stringify(status)),
    sent: (bytes) => void frames.push(bytes),
    frames,
    ...more,
  };
}

export interface Watcher {
  readonly events: readonly SeenEvent[];
  /** Waits for `count` events. */
  has(count: number): Promise<readonly SeenEvent[]>;
  /** Waits for an event of this revision or a later one. */
  reached(revision: Revision): Promise<readonly SeenEvent[]>;
  /** Resolves when the stream has ended without `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<readonly SeenEvent[]>;
  readonly framing: ReturnType<typeof jsonFraming>;
}

export interface WatchHow extends Written {
  readonly ms?: number;
  readonly framing?: ReturnType<typeof jsonFraming>;
  /** The object that the path names. */
  readonly name?: string;
  readonly watchScope?: WatchScope;
}

export async function openWatch(fixture: Fixture, query: string, how: WatchHow = {}) {
  const { namespace = "ns", plural = "notes", ms = 3_600_000, framing = jsonFraming(), name = "", watchScope } = how;
  const endpoint = endpointOf(plural);
  const options = listOptions(parseQuery(`watch=1&${query}`), endpoint, catalog);
  const stopping = new AbortController();
  const collection = collectionOf(prefix, endpoint, namespace, name);
  const stream = await fixture.reads.watch({ collection, options, framing, names: defaultNames, ms, watchScope, signal: stopping.signal });
  return { stream, stopping, framing };
}

/** Opens a watch and collects its events. */
export async function startWatch(fixture: Fixture, query: string, how: WatchHow = {}): Promise<Watcher> {
  const { stream, stopping, framing } = await openWatch(fixture, query, how);
  const events: SeenEvent[] = [];
  let news = Promise.withResolvers<void>();
  let over = false;
  const ended = (async () => {
    for await (const event of eventsOf(stream)) {
      events.push(event);
      news.resolve();
      news = Promise.withResolvers();
    }
  })().finally(() => {
    over = true;
    news.resolve();
  });
  ended.catch(() => {});
  const until = async (done: () => boolean): Promise<readonly SeenEvent[]> => {
    while (!done()) {
      if (over) assert.fail(`the watch ended after ${summaries(events)}`);
      await within(news.promise, `more than ${summaries(events)}`);
    }
    return events;
  };
  return {
    events,
    framing,
    // The timeout starts at the first access: a long test must not fail because of an open watch.
    get ended() {
      return within(ended, "the end of the watch");
    },
    has: (count) => until(() => events.length >= count),
    reached: (revision) => until(() => events.some((event) => revisionOfEvent(event) >= revision)),
    async stop() {
      stopping.abort();
      await within(ended, "the end of the watch");
      return events;
    },
  };
}

export async function* eventsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<SeenEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as SeenEvent; // frames of our own framing
  }
  assert.equal(rest, "", "the stream ends with a whole frame");
}

export function revisionOfEvent({ object }: SeenEvent): Revision {
  return Number(object.metadata?.resourceVersion ?? 0);
}
/** `ADDED a 5` */
export function summaries(events: readonly SeenEvent[]): string[] {
  return events.map((event) => `${event.type} ${event.object.metadata?.name ?? ""} ${revisionOfEvent(event)}`);
}

export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) =>
    timer = setTimeout(() => reject(new Error(`Waited ${patienceMs} ms for ${what}`)), patienceMs)
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
