/** Helpers for tests of stores. */
import assert from "node:assert/strict";
import {
  type Batch,
  type Change,
  type Commit,
  type Range,
  type Revision,
  type Store,
  StoreError,
  type StoreErrorCode,
  type StoreEvent,
} from "../../kernel/store/store.ts";

export type Case = (what: string, prove: (store: Store) => Promise<void>) => void;

/** Milliseconds that a promise may take before its test fails. A passing test never waits that long. */
export const patienceMs = 60_000;

export const all: Range = { prefix: "" };

/** Commits and returns the new revision; fails if the commit lost. */
export async function done(store: Store, change: Change): Promise<Revision> {
  const commit = await store.commit(change);
  if (!commit.done) return assert.fail(`the commit of "${change.key}" lost`);
  return commit.revision;
}

export function put(
  store: Store,
  key: string,
  value: string,
  expect: Revision | "absent" = "absent",
  ttlSeconds?: number,
): Promise<Revision> {
  return done(store, { key, expect, value: bytes(value), ...(ttlSeconds === undefined ? {} : { ttlSeconds }) });
}

export function remove(store: Store, key: string, expect: Revision): Promise<Revision> {
  return done(store, { key, expect, value: undefined });
}

/** A watch that collects batches beside the test, and can be waited for. */
export function startWatch(store: Store, range: Range, from: Revision) {
  const controller = new AbortController();
  const events: StoreEvent[] = [];
  let position = from;
  let moved = Promise.withResolvers<void>();
  const ended = (async () => {
    for await (const batch of store.watch(range, from, controller.signal)) {
      assertSound(batch, position);
      events.push(...batch.events);
      position = batch.revision;
      moved.resolve();
      moved = Promise.withResolvers();
    }
  })();
  ended.catch(() => {}); // callers that wait for it get the error
  return {
    events,
    ended,
    async reached(revision: Revision): Promise<void> {
      while (position < revision) {
        await within(Promise.race([moved.promise, ended]), `the watch to reach revision ${revision} from ${position}`);
        if (controller.signal.aborted) return;
      }
    },
    async stop(): Promise<StoreEvent[]> {
      controller.abort();
      await within(ended, "the watch to end");
      return events;
    },
  };
}

export function assertSound(batch: Batch, position: Revision): void {
  assert.ok(batch.revision >= position, `progress went back from ${position} to ${batch.revision}`);
  let last = position;
  for (const event of batch.events) {
    assert.ok(event.revision > last, `revision ${event.revision} after ${last}`);
    last = event.revision;
  }
  assert.ok(last <= batch.revision, `an event of ${last} in a batch up to ${batch.revision}`);
}

/** Asserts that each event's `previous` is the key's event before it. */
export function assertChained(events: readonly StoreEvent[]): void {
  const newest = new Map<string, StoreEvent>();
  for (const event of events) {
    const before = newest.get(event.key);
    const expected = before?.value === undefined ? undefined : [text(before.value), before.revision];
    assert.deepEqual(event.previous && [text(event.previous.value), event.previous.revision], expected);
    newest.set(event.key, event);
  }
}

/** All events after `from` until one batch reaches `to`. */
export async function eventsUntil(store: Store, range: Range, from: Revision, to: Revision): Promise<StoreEvent[]> {
  const watch = startWatch(store, range, from);
  await within(Promise.race([watch.reached(to), watch.ended]), `events up to revision ${to}`);
  return watch.stop();
}

export async function refused(
  code: StoreErrorCode,
  act: () => Promise<unknown>,
  more: { oldest?: Revision; current?: Revision; message?: string } = {},
): Promise<void> {
  const error = await within(act(), `a refusal "${code}"`).then(
    () => assert.fail(`expected a StoreError "${code}"`),
    (error: unknown) => error,
  );
  if (!(error instanceof StoreError)) throw error;
  assert.equal(error.code, code, error.message);
  if (more.oldest !== undefined) assert.equal(error.oldest, more.oldest);
  if (more.current !== undefined) assert.equal(error.current, more.current);
  if (more.message !== undefined) assert.equal(error.message, more.message);
}

/** Fails instead of hanging. */
export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${patienceMs} ms for ${what}`)), patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

export function text(value: Uint8Array | undefined): string | undefined {
  return value && new TextDecoder("utf-8", { ignoreBOM: true }).decode(value);
}

export function equal(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && a.byteLength === b.byteLength && a.every((byte, index) => byte === b[index]);
}

export function keysOf(entries: readonly { readonly key: string }[]): string[] {
  return entries.map(({ key }) => key);
}

export function shown(entry: { key: string; value: Uint8Array; revision: Revision } | undefined) {
  return entry && [entry.key, text(entry.value), entry.revision];
}

export function eventFields(event: StoreEvent) {
  return [event.key, text(event.value), event.revision, text(event.previous?.value), event.previous?.revision];
}

export function lost(commit: Commit) {
  return commit.done ? assert.fail("the commit went through") : shown(commit.current);
}
