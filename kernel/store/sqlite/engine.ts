import { DatabaseSync } from "node:sqlite";
import { decodeKey, encodeKey } from "../bytes.ts";
import { eventBytes } from "./recent-events.ts";
import type { Answers, Call, Engine, Failure, Run } from "./calls.ts";
import { noReserve, type Reserve } from "./reserve.ts";
import { openPlace, type Place } from "./place.ts";
import { type Allowed, diskSpace, isFullError } from "./disk-space.ts";
import { blob, boundValue, entryOf, eventOf, integer, previousOf } from "./rows.ts";
import { type Bounds, boundsOf, type Statements } from "./statements.ts";
import { diskSpaceOptions, type Facts, openTables } from "./tables.ts";
import type { Entry, Revision, StoreEvent } from "../store.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of expired keys that the embedded store removes in one batch. */
const expireKeysMax = bound(500);
/** Maximum number of revisions that the embedded store compacts in one batch. */
const sweepRevisionsMax = bound(2000);
/** Maximum bytes of history that the embedded store reads in one batch. */
const historyBytesMax = bound(4 * 1024 * 1024);
/** Maximum number of revisions that are compacted in one batch on a full disk. Each batch must fit into `storeReservePieceBytes`. */
const sweepRevisionsWhenFullMax = bound(64);

export interface EngineOptions {
  /** Opens the disk space that is reserved for deletions; called once the database is locked. */
  readonly reserve?: () => Reserve;
  /** Maximum number of pages of the database. Called before each run that writes. Tests simulate a full disk with it. */
  readonly pagesMax?: () => number;
}

/**
 * Opens or creates the database at `path` (":memory:" for one in memory) and locks it and its folder against other processes.
 *
 * @throws if it cannot be opened, is locked, or was written in a later format
 */
export function openEngine(path: string, options: EngineOptions = {}): Engine {
  const { place, opened } = openPlace(path, () => openDatabase(path));
  try {
    return engineOf(opened, place, options);
  } catch (error) {
    opened.database.close();
    place.close();
    throw error;
  }
}

interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly sql: Statements;
  readonly facts: Facts;
}

function openDatabase(path: string): OpenDatabase {
  const database = new DatabaseSync(path);
  try {
    // EXCLUSIVE keeps the lock between transactions; it ends with the process.
    database.exec("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536;");
    return { database, ...openTables(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

function engineOf({ database, sql, facts }: OpenDatabase, place: Place, { reserve: openReserve, pagesMax }: EngineOptions): Engine {
  const reserve = openReserve?.() ?? noReserve;
  const space = diskSpace(diskSpaceOptions(database, sql, reserve));
  let allowed: Allowed = "all";
  let { compacted, swept } = facts;
  let revision = Math.max(facts.revision, integer(sql.newest.get()?.revision ?? 0));
  let expiresAt = nextExpiry();
  /** Whether the present run has created, changed or deleted a key with an expiry. */
  let expiryChanged = false;

  const oldestError = (): Failure => ({
    code: "compacted",
    message: `The revision is no longer there: the oldest one kept is ${compacted}`,
    oldest: compacted,
  });

  /** Reads the live row of a key, and whether it has an expiry. */
  function find(key: Uint8Array): { readonly entry: Entry | undefined; readonly expires: boolean } {
    const row = sql.find.get(key);
    if (row === undefined) return { entry: undefined, expires: false };
    return { entry: { key: decodeKey(key), value: blob(row.value), revision: integer(row.revision) }, expires: row.expires !== null };
  }
  function nextExpiry(): number | undefined {
    const next = sql.nextExpiry.get()?.expires;
    return typeof next === "number" ? next : undefined;
  }

  /** Writes one revision; `prior` is the live entry before it. */
  function write(
    key: Uint8Array,
    value: Uint8Array | undefined,
    prior: ReturnType<typeof find>,
    expires: number | undefined,
  ): Revision {
    revision += 1;
    sql.insert.run(revision, key, value === undefined ? null : boundValue(value), prior.entry?.revision ?? null);
    if (value === undefined) sql.remove.run(key);
    else sql.put.run(key, revision, expires ?? null);
    expiryChanged ||= prior.expires || expires !== undefined;
    return revision;
  }

  /** Returns the live entries within the bounds. With a limit, there is at most one more than that. */
  function listNow(bounds: Bounds, limit: number | undefined): Entry[] {
    return sql.list.all(...bounds, limit === undefined ? -1 : limit + 1).map((row) => entryOf(row, row.value));
  }
  function listAt(bounds: Bounds, at: Revision, limit: number | undefined): Entry[] {
    const entries: Entry[] = [];
    for (const row of sql.newestAt.iterate(...bounds, at)) {
      // Values are read only for the entries of the page, because a key may have many revisions.
      const value = sql.value.get(integer(row.revision))?.value;
      if (value !== null) entries.push(entryOf(row, value));
      if (limit !== undefined && entries.length > limit) break;
    }
    return entries;
  }
  /** Computes the number of keys at a revision: the present number, corrected by the creations and deletions since. */
  function countAt(bounds: Bounds, at: Revision): number {
    const now = integer(sql.count.get(...bounds)?.count);
    return at === revision ? now : now + integer(sql.countSince.get(at, ...bounds)?.difference);
  }

  const operations: { [Op in Call["op"]]: (call: Extract<Call, { op: Op }>) => { answer: Answers[Op] } | { failure: Failure } } = {
    commit({ change, expires }) {
      const frees = change.value === undefined || change.frees === true;
      if (allowed === "reads" || (allowed === "freeing" && !frees)) return { failure: fullError };
      const key = encodeKey(change.key);
      const prior = find(key);
      const current = prior.entry;
      if ((current?.revision ?? "absent") !== change.expect) return { answer: { done: false, current } };
      const written = write(key, change.value, prior, expires);
      return { answer: { done: true, revision: written, previous: previousOf(current) } };
    },
    get: ({ key }) => ({ answer: { entry: find(encodeKey(key)).entry, revision } }),
    list({ range, limit, at, counted }) {
      const as = at ?? revision;
      if (as < compacted) return { failure: oldestError() };
      if (as > revision) {
        return { failure: { code: "future", message: `Cannot read revision ${as}: the newest is ${revision}`, current: revision } };
      }
      const bounds = boundsOf(range);
      // One entry more than the limit is read, which shows whether there are more.
      const found = as === revision ? listNow(bounds, limit) : listAt(bounds, as, limit);
      const entries = found.slice(0, limit);
      const count = found.length > entries.length && counted ? countAt(bounds, as) : found.length;
      return { answer: { entries, revision: as, count } };
    },
    history({ range, after }) {
      if (after < compacted) return { failure: oldestError() };
      const events: StoreEvent[] = [];
      let bytes = 0;
      for (const row of sql.history.iterate(after, ...boundsOf(range))) {
        const event = eventOf(row);
        events.push(event);
        bytes += eventBytes(event);
        if (bytes >= historyBytesMax) return { answer: { events, revision: event.revision } };
      }
      return { answer: { events, revision: Math.max(after, revision) } };
    },
    compact(call) {
      if (call.revision > revision) {
        const message = `Cannot compact at revision ${call.revision}: the newest is ${revision}`;
        return { failure: { code: "future", message, current: revision } };
      }
      if (allowed === "reads") return { failure: fullError };
      compacted = Math.max(compacted, call.revision);
      return { answer: undefined };
    },
    expire({ now }) {
      if (allowed === "reads") return { failure: fullError };
      const events = sql.due.all(now, expireKeysMax).map((row): StoreEvent => {
        const key = blob(row.key);
        const prior = find(key);
        return {
          key: decodeKey(key),
          revision: write(key, undefined, prior, undefined),
          value: undefined,
          previous: previousOf(prior.entry),
        };
      });
      return { answer: events };
    },
    // Up to `swept` only the newest rows of live keys remain, so every row that a revision of this step supersedes
    // is either its previous row or a deletion.
    sweep() {
      if (allowed === "reads") return { failure: fullError };
      const until = Math.min(compacted, swept + (allowed === "all" ? sweepRevisionsMax : sweepRevisionsWhenFullMax));
      sql.sweepSuperseded.run(swept, until);
      sql.sweepDeleted.run(swept, until);
      swept = until;
      return { answer: undefined };
    },
    checkSpace() {
      // The smallest possible write tests whether the file can be written.
      if (allowed === "all") sql.touch.run();
      return { answer: undefined };
    },
    checkPlace: () => ({ answer: undefined }), // Each run that may write does this before its calls.
    size: () => ({ answer: integer(sql.size.get()?.bytes) }),
  };

  /** Runs one transaction, restricted to what `allowed` permits. */
  function attempt(calls: readonly Call[], begin: string): Run {
    const before = { revision, compacted, swept, expiresAt };
    expiryChanged = false;
    database.exec(begin);
    try {
      // The compiler cannot relate an operation to its call through the table.
      const outcomes = calls.map((call) => operations[call.op](call as never));
      if (compacted !== before.compacted) sql.setFact.run(compacted, "compacted");
      if (swept !== before.swept) {
        sql.setFact.run(swept, "swept");
        sql.setFact.run(revision, "revision");
      }
      if (expiryChanged) expiresAt = nextExpiry();
      database.exec("COMMIT");
      return { outcomes, revision, compacted, expiresAt, unswept: swept < compacted, full: space.full };
    } catch (error) {
      ({ revision, compacted, swept, expiresAt } = before);
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  function run(calls: readonly Call[]): Run {
    if (calls.every(({ op }) => reads.has(op))) return attempt(calls, "BEGIN");
    place.check();
    if (calls.every(({ op }) => op === "checkPlace" || reads.has(op))) return attempt(calls, "BEGIN");
    if (pagesMax !== undefined) database.exec(`PRAGMA max_page_count=${pagesMax()}`);
    if (calls.some(({ op }) => op === "checkSpace")) space.look();
    for (allowed = space.allowed();;) {
      try {
        return attempt(calls, allowed === "reads" ? "BEGIN" : "BEGIN IMMEDIATE");
      } catch (error) {
        if (!isFullError(error) || allowed === "reads") throw error;
        allowed = space.pressed();
        if (pagesMax !== undefined) database.exec(`PRAGMA max_page_count=${pagesMax()}`);
      }
    }
  }

  function close(): void {
    reserve.close();
    database.close();
    place.close();
  }
  return { run, close };
}

const reads: ReadonlySet<Call["op"]> = new Set<Call["op"]>(["get", "list", "history", "size"]);

const fullError: Failure = Object.freeze({ code: "full", message: "The disk of the store is full" });
