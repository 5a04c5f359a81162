import { append } from "../../../core/append.ts";
import { sameBytes } from "../same-bytes.ts";
import { decodeKey, encodeKey, inRange, keyBounds } from "../bytes.ts";
import { pause } from "../../../core/async.ts";
import type { Connection, WatchStream } from "../../../protocols/etcd/connection.ts";
import { isCompacted, isFuture } from "../../../protocols/etcd/errors.ts";
import { type KeyValue, noEnd, putKey, range as readRange, type WatchEvent, type WatchReply } from "../../../protocols/etcd/messages.ts";
import type { Progress } from "./progress.ts";
import { type Batch, type Range, type Revision, StoreError, type StoreEvent } from "../store.ts";

export interface EtcdWatch {
  readonly connection: Connection;
  readonly progress: Progress;
  /** The range of keys in etcd, with the store's prefix, and that prefix. */
  readonly range: Range;
  readonly own: string;
  readonly from: Revision;
  /** Ends the watch without an error. */
  readonly signal: AbortSignal;
}

/** Milliseconds to wait before a stream is opened again; the index is the number of consecutive failures. */
const delaysMs = [0, 50, 100, 200, 500, 1000];

/**
 * Watches a range over as many streams as needed; each begins where the last one ended:
 *
 *   stream 1: 5 6 [7 first fragment] broken        position 6, batches given: 5 6
 *   stream 2: starts at 6, drops 6, gives 7 8
 *
 * A stream starts at the position itself and drops the events that it already has. etcd rejects a start before its compaction
 * revision, and position + 1 may be that revision, whose deletions and previous values are gone.
 */
export async function* followEtcd(what: EtcdWatch): AsyncGenerator<Batch, void> {
  const { connection, progress, signal } = what;
  let position = what.from;
  let last: StoreEvent | undefined;
  // A revision that no read has returned is in the future; clients may request such a revision.
  const isKnown = progress.isShown(position);
  for (let failures = 0; !signal.aborted; failures++) {
    const delayMs = delaysMs[Math.min(failures, delaysMs.length - 1)] ?? 0;
    if (delayMs > 0) await pause(delayMs, signal);
    if (signal.aborted) return;
    let stream: WatchStream | undefined;
    try {
      if (failures > 0 && (isKnown || position > what.from)) await assertSameHistory(what, position, last);
      stream = await connection.watch(signal);
      const keys = watchedKeys(what.range, stream.reportsProgress);
      for await (const batch of followStream(stream, keys, what, position)) {
        failures = 0;
        position = batch.revision;
        last = batch.events.at(-1) ?? last;
        yield batch;
      }
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (!signal.aborted && stream !== undefined) connection.leave(stream.endpoint);
    }
  }
}

/**
 * After a reconnection etcd may have been restored from an older copy, which assigns the same revisions again. A watch would then get no
 * events until etcd has passed the position, or continue with an unrelated history:
 *
 *   before   5 6 7 8                     position 8, the last event that of "a" at 7
 *   now      5 6                         8 is not reached yet
 *            5 6 [7 8 9]                 another history: at 8 "a" differs
 */
async function assertSameHistory(
  { connection, progress, range, own, signal }: EtcdWatch,
  position: Revision,
  last: StoreEvent | undefined,
) {
  if (position === 0) return;
  try {
    // If there was no last event, any key of the range will do; keys outside of it may be forbidden.
    const from = last === undefined ? keyBounds(range).from : encodeKey(own + last.key);
    const { entries: [found] } = await connection.call(readRange, { from, at: position }, { signal, repeatable: true });
    if (last === undefined || isSameWrite(found, last)) return;
  } catch (error) {
    if (isCompacted(error)) return; // the watch itself reports this error
    if (!isFuture(error)) throw error;
  }
  progress.setBack();
  throw new StoreError("set-back", `etcd has come back without its history up to revision ${position}: it was restored from an older copy`);
}

function isSameWrite(found: KeyValue | undefined, { value, revision }: StoreEvent): boolean {
  if (value === undefined || found === undefined) return value === found?.value;
  return found.revision === revision && sameBytes(found.value, value);
}

async function* followStream(
  stream: WatchStream,
  { first, end, beacon }: WatchedKeys,
  what: EtcdWatch,
  from: Revision,
): AsyncGenerator<Batch, void> {
  let position = from;
  let fragments: WatchEvent[] = [];
  const cancel = (): void => stream.cancel();
  what.signal.addEventListener("abort", cancel);
  /** Adds the events of whole revisions after the position, and advances the position. */
  function take(reply: WatchReply, events: StoreEvent[]): void {
    if (reply.canceled) throw refusal(reply, from);
    if (reply.created) return;
    append(fragments, reply.events);
    if (reply.fragment) return;
    const whole = fragments;
    fragments = [];
    // A reply without events is a progress notification. A reply with events may have a revision in its header that is ahead of later
    // events.
    const revision = whole.at(-1)?.now.revision ?? reply.revision;
    if (revision <= position) return;
    for (const each of whole) {
      const event = toEvent(each, what, position);
      if (event !== undefined) events.push(event);
    }
    position = revision;
  }
  // The signal may have aborted while the stream was being opened.
  if (what.signal.aborted) cancel();
  const stopSupervision = what.progress.supervise({
    position: () => position,
    request: () => requestProgress(what.connection, stream, beacon),
  });
  try {
    stream.send({ from: first, to: end, start: Math.max(1, position), previous: what.range.previous ?? true });
    for await (const replies of stream) {
      const events: StoreEvent[] = [];
      const before = position;
      let failure: { readonly error: unknown } | undefined;
      try {
        for (const reply of replies) take(reply, events);
      } catch (error) {
        failure = { error };
      }
      // Events that arrived before a failure are delivered first.
      if (position > before) yield { events, revision: position };
      if (failure !== undefined) throw failure.error;
    }
  } finally {
    stopSupervision();
    what.signal.removeEventListener("abort", cancel);
    stream.cancel();
  }
}

/** The keys that a stream watches, and the beacon: a key at their end that holds no entry. Writing it makes an old member report progress. */
interface WatchedKeys {
  readonly first: Uint8Array;
  /** The end of the keys, which is not part of the range. */
  readonly end: Uint8Array;
  /** The key of the beacon; undefined if the range has no end, or if the member needs no beacon. */
  readonly beacon: Uint8Array | undefined;
}

/**
 * The beacon is the first key past the prefix. For a part of a wider range it is the first key past that range, because it would be
 * among the entries otherwise; an old member then also sends the events in between:
 *
 *   /events/a/   /events/b/1   /events/b0        /events/c/1   /events0
 *                [ wanted  ]   no place for it   [ dropped ]   the beacon
 */
function watchedKeys(range: Range, reportsProgress: boolean): WatchedKeys {
  const { from: first, to } = keyBounds(range);
  if (to === undefined) return { first, end: noEnd, beacon: undefined };
  if (reportsProgress) return { first, end: to, beacon: undefined };
  const { to: beacon = to } = keyBounds({ prefix: range.within ?? range.prefix });
  return { first, end: Uint8Array.from([...beacon, 0]), beacon };
}

/**
 * Converts an event of etcd. Returns undefined for one that the watch has already delivered, or that is outside its range, such as the
 * beacon's.
 */
function toEvent({ deleted, now, before }: WatchEvent, { range, own }: EtcdWatch, position: Revision): StoreEvent | undefined {
  const key = decodeKey(now.key);
  if (now.revision <= position || !inRange(key, range)) return undefined;
  const isNew = !deleted && now.created === now.revision;
  // If a previous value was compacted before it could be read, etcd omits it without an error.
  if (!isNew && before === undefined && range.previous !== false) {
    throw new StoreError("compacted", `The value before revision ${now.revision} is compacted away`, { oldest: now.revision });
  }
  const previous = before && !isNew ? { value: before.value, revision: before.revision } : undefined;
  return { key: key.slice(own.length), revision: now.revision, value: deleted ? undefined : now.value, previous };
}

function refusal(reply: WatchReply, from: Revision): Error {
  if (reply.compacted === 0) return new Error(`etcd cancelled the watch: ${reply.reason}`);
  return new StoreError("compacted", `Cannot watch from revision ${from}: the oldest one kept is ${reply.compacted}`, {
    oldest: reply.compacted,
  });
}

/**
 * Requests progress. A member that answers only after all events up to its answer gets a progress request. For older members the beacon is
 * written: its event arrives in order with the others, and carries its revision.
 */
function requestProgress(connection: Connection, stream: WatchStream, beacon: Uint8Array | undefined): Promise<void> | undefined {
  // A request that fails is made again if progress is still needed. The stream reports a broken connection.
  if (beacon !== undefined) return connection.call(putKey, { key: beacon, value: new Uint8Array(0) }, { repeatable: true }).catch(() => {});
  try {
    stream.send("progress");
  } catch { /* as above */ }
  return undefined;
}
