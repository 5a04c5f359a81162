import { Buffer } from "node:buffer";
import { append } from "../../../core/append.ts";
import { withoutUser } from "../../../protocols/without-user.ts";
import { compareKeys, decodeKey, encodeKey, keyBounds } from "../bytes.ts";
import { type Clock, elapsedClock } from "../../../core/async.ts";
import { connect, type Connection, type ConnectionOptions } from "../../../protocols/etcd/connection.ts";
import { isCompacted, isDenied, isFuture, isNoLease } from "../../../protocols/etcd/errors.ts";
import { toStoreError } from "./store-error.ts";
import { leasePool } from "./leases.ts";
import { type Refusals, refusalsOf } from "./refusals.ts";
import { Endpoints } from "./endpoints.ts";
import { type Faults, noFaults } from "../fault.ts";
import { guide } from "../../../core/guide.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import {
  claim,
  compaction,
  type KeyValue,
  leaseGrant,
  noEnd,
  range,
  type RangeReply,
  rangeStream,
  status,
  txn,
  type TxnReply,
} from "../../../protocols/etcd/messages.ts";
import { type Progress, ProgressKeeper } from "./progress.ts";
import { followEtcd } from "./watch.ts";
import {
  type Batch,
  type Change,
  type Claim,
  type Commit,
  type Entry,
  type Listing,
  type Page,
  type Range,
  type Revision,
  type Store,
  StoreError,
} from "../store.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of keys that one range request to etcd returns with values. The rest of a longer list is a stream, or several requests at one revision. */
const rangeKeysMax = bound(5000);
/** Maximum number of keys that one range request to etcd returns without values. */
const rangeKeysOnlyMax = bound(50_000);

export interface EtcdOptions extends Omit<ConnectionOptions, "endpointObserver"> {
  /** A text that is prepended to every key in etcd, and removed from every key that is read. */
  readonly prefix?: string;
  readonly clock?: Clock;
  /** Receives reports of endpoints that do not answer, or that reject requests for lack of rights. */
  readonly faults?: Faults;
}

/**
 * A store in etcd 3.4 or later.
 *
 * @throws StoreError "unavailable" if no endpoint answers, "refused" if etcd requires another user. A commit that fails as "unavailable" may have been written.
 */
export async function openEtcd(options: EtcdOptions): Promise<Store> {
  const { clock = elapsedClock, prefix = "", faults = noFaults } = options;
  const connection = connect({ ...options, endpointObserver: new Endpoints(options.endpoints.map(withoutUser), faults, clock) });
  try {
    await connection.call(status, undefined, { repeatable: true });
  } catch (error) {
    // Since etcd 3.6 the status call needs administrator rights. Missing rights to the keys show at their first use.
    if (!isDenied(error)) {
      await connection.close();
      const { code } = toStoreError(error), message = reasonOf(error), where = options.endpoints.map(withoutUser).join(", ");
      throw code === "refused"
        ? new StoreError("refused", `etcd at ${where} refuses requests: ${message} (${guide("etcd-refuses")})`, { cause: error })
        : new StoreError("unavailable", `Cannot reach etcd at ${where}: ${message} (${guide("etcd-is-unreachable")})`, { cause: error });
    }
  }
  const progress = new ProgressKeeper(clock), refusals = refusalsOf(options.endpoints, faults);
  const reading = readerOf(connection, progress, prefix, refusals);
  const closing = new AbortController();
  let closed: Promise<void> | undefined;

  const open = <T>(act: () => Promise<T>): Promise<T> => closing.signal.aborted ? Promise.reject(closedError()) : act();

  async function* watch(range: Range, from: Revision, signal: AbortSignal): AsyncIterable<Batch> {
    const ends = AbortSignal.any([signal, closing.signal]);
    yield* followEtcd({ connection, progress, range: withPrefix(prefix, range), own: prefix, from, signal: ends });
    if (!signal.aborted) throw closedError();
  }

  const commit = committer(connection, prefix, clock, refusals);
  return {
    get: (key, signal) => open(() => reading.get(key, signal)),
    list: (range, page) => open(() => reading.list(range, page)),
    stream: (range, at, signal) => open(() => reading.stream(range, at, signal)),
    newest: () => undefined,
    commit: (change) => open(() => commit(change)),
    watch,
    claim: (key, writes, value) => open(() => claimTurn(connection, prefix + key, writes, value)),
    compact: (revision) => open(() => compact(connection, revision)),
    size: () => open(() => sizeOf(connection)),
    close() {
      closing.abort();
      closed ??= connection.close();
      return closed;
    },
  };
}

function readerOf(
  connection: Connection,
  progress: Progress,
  prefix: string,
  refusals: Refusals,
): Pick<Required<Store>, "get" | "list" | "stream"> {
  const ownBytes = encodeKey(prefix).length;
  const entryOf = (found: KeyValue): Entry => ({ key: ownKey(found, ownBytes), value: found.value, revision: found.revision });

  const failed: Failed = async (error, signal, at) => {
    refusals.read(error);
    return asFailure(error, signal, at === undefined ? {} : await boundsOf(connection, error, at));
  };

  const stream = streamOf(connection, prefix, entryOf, failed);

  async function get(key: string, signal?: AbortSignal): ReturnType<Store["get"]> {
    try {
      const { entries: [found], revision } = await connection.call(range, { from: encodeKey(prefix + key) }, { signal, repeatable: true });
      progress.shown(revision);
      refusals.read();
      return { entry: found && entryOf(found), revision };
    } catch (error) {
      throw await failed(error, signal);
    }
  }

  async function list(wanted: Range, { limit, at, valued = true, signal }: Page = {}): Promise<Listing> {
    const { from, to = noEnd } = keyBounds(withPrefix(prefix, wanted)), { upTo } = wanted;
    // kine on PostgreSQL rejects a zero byte there. The few keys in between are removed from the result.
    if (upTo !== undefined && to.length > 1 && to.at(-1) === 0) to[to.length - 1] = 1;
    const entries: Entry[] = [];
    let revision = at, next: Uint8Array = from;
    for (let mayStream = valued && limit === undefined && upTo === undefined;;) {
      const most = Math.min(valued ? rangeKeysMax : rangeKeysOnlyMax, (limit ?? Infinity) - entries.length);
      const request = { from: next, to, limit: most, at: revision, keysOnly: !valued };
      const reply = await connection.call(range, request, { signal, repeatable: true }).catch(async (error: unknown) => {
        throw await failed(error, signal, at);
      });
      progress.shown(reply.revision);
      refusals.read();
      revision ??= reply.revision;
      for (const found of reply.entries) entries.push(entryOf(found));
      const last = reply.entries.at(-1);
      const rest = reply.count - reply.entries.length;
      if (last === undefined || rest <= 0 || entries.length === limit) {
        while (upTo !== undefined && entries.length > 0 && compareKeys(entries.at(-1)!.key, upTo) > 0) entries.pop();
        return { entries, revision, count: entries.length + Math.max(0, rest) };
      }
      if (mayStream) {
        mayStream = false; // what a broken stream has left is read in pages
        const opened = stream({ ...wanted, after: entries.at(-1)!.key }, revision, signal ?? never);
        if (await readStream(opened, entries)) return { entries, revision, count: entries.length };
      }
      next = encodeKey(`${prefix}${entries.at(-1)!.key}\0`);
    }
  }
  return { get, list, stream };
}

const never = new AbortController().signal;

/** Adds the entries of a stream. Resolves with false if there is none, or if it was lost. */
async function readStream(opened: ReturnType<Required<Store>["stream"]>, entries: Entry[]): Promise<boolean> {
  try {
    const pieces = await opened;
    for await (const piece of pieces ?? []) append(entries, piece);
    return pieces !== undefined;
  } catch (error) {
    if (error instanceof StoreError && error.code === "unavailable") return false;
    throw error;
  }
}

/** Resolves with the error of a read for its caller. */
type Failed = (error: unknown, signal: AbortSignal | undefined, at?: Revision) => Promise<unknown>;

function streamOf(connection: Connection, prefix: string, entryOf: (found: KeyValue) => Entry, failed: Failed): Required<Store>["stream"] {
  return async (wanted, at, signal) => {
    async function* entriesOf(replies: AsyncIterable<readonly RangeReply[]>) {
      try {
        for await (const some of replies) for (const { entries } of some) yield entries.map(entryOf);
      } catch (error) {
        throw await failed(error, signal, at);
      }
    }
    const { from, to = noEnd } = keyBounds(withPrefix(prefix, wanted));
    try {
      const replies = await connection.pieces(rangeStream, { from, to, at }, signal);
      return replies && entriesOf(replies);
    } catch (error) {
      throw await failed(error, signal, at);
    }
  };
}

function committer(connection: Connection, prefix: string, clock: Clock, refusals: Refusals): Store["commit"] {
  const ownBytes = encodeKey(prefix).length;
  const leases = leasePool((seconds) => connection.call(leaseGrant, seconds, { repeatable: true }), clock);

  async function attempt(change: Change, again: boolean): Promise<TxnReply> {
    const lease = change.ttlSeconds === undefined || change.value === undefined ? undefined : await leases.leaseFor(change.ttlSeconds);
    const expect = change.expect === "absent" ? 0 : change.expect;
    try {
      return await connection.call(txn, { key: Buffer.from(prefix + change.key), expect, value: change.value, lease }, {
        repeatable: false,
      });
    } catch (error) {
      if (lease === undefined || !again || !isNoLease(error)) throw error;
      leases.forget(lease);
      return attempt(change, false);
    }
  }

  return async (change): Promise<Commit> => {
    if (change.value === undefined && change.expect === "absent") throw new Error("A deletion needs an expected revision");
    try {
      const { succeeded, revision, current } = await attempt(change, true);
      if (succeeded && change.value !== undefined) refusals.write();
      if (succeeded) return { done: true, revision };
      return { done: false, current: current && { key: ownKey(current, ownBytes), value: current.value, revision: current.revision } };
    } catch (error) {
      // The compactor's key may be outside the granted rights; the compactor reports that itself.
      if (change.frees !== true) refusals.write(error);
      throw toStoreError(error);
    }
  };
}

async function claimTurn(connection: Connection, key: string, writes: number, value: Uint8Array): Promise<Claim> {
  try {
    const claimed = await connection.call(claim, { key: Buffer.from(key), version: writes, value }, { repeatable: false });
    return { isOwn: claimed.succeeded, writes: claimed.succeeded ? writes + 1 : claimed.version, revision: claimed.revision };
  } catch (error) {
    throw toStoreError(error);
  }
}

async function compact(connection: Connection, revision: Revision): Promise<void> {
  try {
    await connection.call(compaction, revision, { repeatable: true });
  } catch (error) {
    if (!isCompacted(error)) throw toStoreError(error, await boundsOf(connection, error, revision));
  }
}

async function sizeOf(connection: Connection): Promise<number> {
  try {
    return (await connection.call(status, undefined, { repeatable: true })).bytes;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Reads the revisions that etcd's error messages leave out: the oldest retained one, or the newest one. */
async function boundsOf(connection: Connection, error: unknown, at: Revision): Promise<{ oldest?: Revision; current?: Revision }> {
  try {
    if (isFuture(error)) return { current: (await connection.call(range, { from: noEnd }, { repeatable: true })).revision };
    return isCompacted(error) ? { oldest: await oldestRevision(connection, at) } : {};
  } catch {
    return {}; // the error is also complete without these revisions
  }
}

/** Finds the oldest retained revision, for the error of a watch that starts before it. */
async function oldestRevision(connection: Connection, at: Revision): Promise<Revision> {
  const stream = await connection.watch();
  try {
    stream.send({ from: noEnd, to: Uint8Array.of(0, 0), start: at, previous: false });
    for await (const replies of stream) for (const reply of replies) if (reply.canceled) return reply.compacted;
    throw new Error("etcd ended a stream without a reason");
  } finally {
    stream.cancel();
  }
}

/** Returns a key without the store's prefix. */
function ownKey({ key }: KeyValue, ownBytes: number): string {
  return decodeKey(ownBytes === 0 ? key : key.subarray(ownBytes));
}

function withPrefix(prefix: string, { prefix: inner, after, upTo, within, previous }: Range): Range {
  return {
    prefix: prefix + inner,
    ...(after === undefined ? {} : { after: prefix + after }),
    ...(upTo === undefined ? {} : { upTo: prefix + upTo }),
    ...(within === undefined ? {} : { within: prefix + within }),
    ...(previous === undefined ? {} : { previous }),
  };
}

/** Returns the signal's reason if the signal caused the failure, else the error as a StoreError. */
function asFailure(error: unknown, signal: AbortSignal | undefined, more?: { oldest?: Revision; current?: Revision }): unknown {
  return signal?.aborted === true && error === signal.reason ? error : toStoreError(error, more);
}

function closedError(): StoreError {
  return new StoreError("closed", "The store is closed");
}
