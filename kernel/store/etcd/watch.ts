import { append } from "../../../core/append.ts";
import { sameBytes } from "../same-bytes.ts";
import { decodeKey, encodeKey, inRange, keyBounds } from "../bytes.ts";
import { pause } from "../../../core/async.ts";
import type { Connection, WatchStream } from "./connection.ts";
import { isCompacted, isFuture } from "./errors.ts";
import { type KeyValue, noEnd, putKey, range as readRange, type WatchEvent, type WatchReply } from "./messages.ts";
import type { Progress } from "./progress.ts";
import { type Batch, type Range, type Revision, StoreError, type StoreEvent } from "../store.ts";

export interface EtcdWatch {
  readonly connection: Connection;
  readonly progress: Progress;
  /** The range of etcd's keys, the store's own prefix included, and that prefix. */
  readonly range: Range;
  readonly own: string;
  readonly from: Revision;
  /** Ends the watch, without an error. */
  readonly signal: AbortSignal;
}

/** How long to wait after the so-manieth failure in a row. */
const delaysMs = [0, 50, 100, 200, 500, 1000];

/**
 * Follows a range over as many streams as it takes, each beginning where the one before ended:
 *
 *   stream 1: 5 6 [7 first fragment] broken        position 6, batches given: 5 6
 *   stream 2: starts at 6, drops 6, gives 7 8
 *
 * A stream starts at the position itself and drops what it has: etcd refuses a start before its compaction revision, and one
 * more than the position may be that very revision, whose deletions and previous values are gone.
 */
export async function* followEtcd(what: EtcdWatch): AsyncGenerator<Batch, void> {
  const { connection, progress, signal } = what;
  let position = what.from;
  let last: StoreEvent | undefined;
  // Otherwise it lies in the future, by whoever's intent.
  const isKnown = progress.isShown(position);
  for (let failures = 0; !signal.aborted; failures++) {
    const delayMs = delaysMs[Math.min(failures, delaysMs.length - 1)] ?? 0;
    if (delayMs > 0) await pause(delayMs, signal);
    if (signal.aborted) return;
    let stream: WatchStream | undefined;
    try {
      if (failures > 0 && (isKnown || position > what.from)) await assertSameHistory(what, position, last);
      stream = await connection.watch(signal);
      const reach = reachOf(what.range, stream.tellsProgress);
      for await (const batch of followStream(stream, reach, what, position)) {
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
 * Whoever comes back may find another etcd in the place of the one that went: restored from an older copy, which gives the same
 * revisions out again. Its watches would wait in silence until it has passed the position, or go on with what is no continuation:
 *
 *   before   5 6 7 8                     position 8, the last event that of "a" at 7
 *   now      5 6                         8 is not reached yet
 *            5 6 [7 8 9]                 something else has happened there: at 8 "a" is not what it was
 */
async function assertSameHistory(
  { connection, progress, range, own, signal }: EtcdWatch,
  position: Revision,
  last: StoreEvent | undefined,
) {
  if (position === 0) return;
  try {
    // Any key of the range does where none is known: others may be out of bounds.
    const from = last === undefined ? keyBounds(range).from : encodeKey(own + last.key);
    const { entries: [found] } = await connection.call(readRange, { from, at: position }, { signal, repeatable: true });
    if (last === undefined || isSameWrite(found, last)) return;
  } catch (error) {
    if (isCompacted(error)) return; // the watch is told so itself
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
  { first, end, beacon }: Reach,
  what: EtcdWatch,
  from: Revision,
): AsyncGenerator<Batch, void> {
  let position = from;
  let fragments: WatchEvent[] = [];
  const cancel = (): void => stream.cancel();
  what.signal.addEventListener("abort", cancel);
  /** Adds the events of whole revisions that the watch has not had, and moves the position past them. */
  function take(reply: WatchReply, events: StoreEvent[]): void {
    if (reply.canceled) throw refusal(reply, from);
    if (reply.created) return;
    append(fragments, reply.events);
    if (reply.fragment) return;
    const whole = fragments;
    fragments = [];
    // Without events it is a note of progress; with events the header may be ahead of what is yet to come.
    const revision = whole.at(-1)?.now.revision ?? reply.revision;
    if (revision <= position) return;
    const told = whole.flatMap((event) => toEvent(event, what, position));
    append(events, told);
    position = revision;
  }
  // It may have aborted while the stream was being opened.
  if (what.signal.aborted) cancel();
  const unfollow = what.progress.follow({
    position: () => position,
    ask: () => void askProgress(what.connection, stream, beacon),
  });
  try {
    stream.send({ from: first, to: end, start: Math.max(1, position) });
    for await (const replies of stream) {
      const events: StoreEvent[] = [];
      const before = position;
      let failure: { readonly error: unknown } | undefined;
      try {
        for (const reply of replies) take(reply, events);
      } catch (error) {
        failure = { error };
      }
      // What came before a failure is told all the same.
      if (position > before) yield { events, revision: position };
      if (failure !== undefined) throw failure.error;
    }
  } finally {
    unfollow();
    what.signal.removeEventListener("abort", cancel);
    stream.cancel();
  }
}

/** What a stream watches, and the key at its end that is no entry's: writing it is how an old member is made to tell its progress. */
interface Reach {
  readonly first: Uint8Array;
  /** Exclusive. */
  readonly end: Uint8Array;
  /** None where there is no end, and where the member needs none. */
  readonly beacon: Uint8Array | undefined;
}

/**
 * The beacon is the first key past the prefix. For a part of a wider range it is the first past that one, because it would be among
 * the entries otherwise; an old member then tells of what lies in between, too:
 *
 *   /events/a/   /events/b/1   /events/b0        /events/c/1   /events0
 *                [ wanted  ]   no place for it   [ dropped ]   the beacon
 */
function reachOf(range: Range, tellsProgress: boolean): Reach {
  const { from: first, to } = keyBounds(range);
  if (to === undefined) return { first, end: noEnd, beacon: undefined };
  if (tellsProgress) return { first, end: to, beacon: undefined };
  const { to: beacon = to } = keyBounds({ prefix: range.within ?? range.prefix });
  return { first, end: Uint8Array.from([...beacon, 0]), beacon };
}

/** None for what the watch has already and for what lies outside its range, such as the beacon. */
function toEvent({ deleted, now, before }: WatchEvent, { range, own }: EtcdWatch, position: Revision): StoreEvent[] {
  const key = decodeKey(now.key);
  if (now.revision <= position || !inRange(key, range)) return [];
  const isNew = !deleted && now.created === now.revision;
  // etcd leaves a previous value out in silence when it was compacted before it could be read.
  if (!isNew && before === undefined) {
    throw new StoreError("compacted", `The value before revision ${now.revision} is compacted away`, { oldest: now.revision });
  }
  const previous = before && !isNew ? { value: before.value, revision: before.revision } : undefined;
  return [{ key: key.slice(own.length), revision: now.revision, value: deleted ? undefined : now.value, previous }];
}

function refusal(reply: WatchReply, from: Revision): Error {
  if (reply.compacted === 0) return new Error(`etcd cancelled the watch: ${reply.reason}`);
  return new StoreError("compacted", `Cannot watch from revision ${from}: the oldest one kept is ${reply.compacted}`, {
    oldest: reply.compacted,
  });
}

/**
 * Members that answer a request for progress only after every event that it covers are asked; for older ones the beacon is
 * written, whose event carries its revision and keeps its place among the others.
 */
async function askProgress(connection: Connection, stream: WatchStream, beacon: Uint8Array | undefined): Promise<void> {
  try {
    if (beacon === undefined) stream.send("progress");
    else await connection.call(putKey, { key: beacon, value: new Uint8Array(0) }, { repeatable: true });
  } catch {
    // Asked again in a moment if it is still needed; a broken connection is the stream's to notice.
  }
}
