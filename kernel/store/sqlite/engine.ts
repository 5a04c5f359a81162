import { DatabaseSync } from "node:sqlite";
import { decodeKey, encodeKey } from "../bytes.ts";
import { eventBytes } from "./recent-events.ts";
import type { Answers, Call, Engine, Failure, Run } from "./calls.ts";
import { fullError } from "./failures.ts";
import { noReserve, type Reserve } from "./reserve.ts";
import { openPlace, type Place } from "./place.ts";
import { type Allowed, type DiskSpace, diskSpace, isFullError } from "./disk-space.ts";
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
/** KiB of pages that the embedded store keeps in memory for writes. */
const keptKiBMax = bound(65_536);
/** KiB of pages that the embedded store keeps in memory during and after a list, which reads each page once. */
const keptAfterListKiBMax = bound(2_048);

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
    return new SqliteEngine(opened, place, options);
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
    // In memory, where a page is not written as a whole: an object of some kilobytes leaves half of a page of 4 KiB unused.
    if (path === ":memory:") database.exec("PRAGMA page_size=32768;");
    // EXCLUSIVE keeps the lock between transactions; it ends with the process.
    database.exec("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
    return { database, ...openTables(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

interface Found {
  readonly entry: Entry | undefined;
  readonly expires: boolean;
}
type CallOf<Op extends Call["op"]> = Extract<Call, { op: Op }>;
type OutcomeOf<Op extends Call["op"]> = { readonly answer: Answers[Op] } | { readonly failure: Failure };

/** The open store. `run` sets what it may write, and each transaction restores the state of before if it fails. */
class SqliteEngine implements Engine {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #place: Place;
  readonly #reserve: Reserve;
  readonly #space: DiskSpace;
  readonly #pagesMax: (() => number) | undefined;
  #allowed: Allowed = "all";
  #compacted: Revision;
  #swept: Revision;
  #revision: Revision;
  #expiresAt: number | undefined;
  /** Whether the present run has created, changed or deleted a key with an expiry. */
  #expiryChanged = false;
  /** KiB of pages that are kept in memory at most; 0: SQLite's default. */
  #keptKiB = 0;
  readonly #operations: { readonly [Op in Call["op"]]: (call: CallOf<Op>) => OutcomeOf<Op> } = {
    commit: (call) => this.#commit(call),
    get: ({ key }) => ({ answer: { entry: this.#find(encodeKey(key)).entry, revision: this.#revision } }),
    list: (call) => this.#list(call),
    history: (call) => this.#history(call),
    compact: (call) => this.#compact(call),
    expire: (call) => this.#expire(call),
    sweep: () => this.#sweep(),
    checkSpace: () => {
      // The smallest possible write tests whether the file can be written.
      if (this.#allowed === "all") this.#sql.touch.run();
      return { answer: undefined };
    },
    checkPlace: () => ({ answer: undefined }), // Each run that may write does this before its calls.
    size: () => ({ answer: integer(this.#sql.size.get()?.bytes) }),
  };

  constructor({ database, sql, facts }: OpenDatabase, place: Place, { reserve, pagesMax }: EngineOptions) {
    this.#database = database;
    this.#sql = sql;
    this.#place = place;
    this.#reserve = reserve?.() ?? noReserve;
    this.#space = diskSpace(diskSpaceOptions(database, sql, this.#reserve));
    this.#pagesMax = pagesMax;
    this.#compacted = facts.compacted;
    this.#swept = facts.swept;
    this.#revision = Math.max(facts.revision, integer(sql.newest.get()?.revision ?? 0));
    this.#expiresAt = this.#nextExpiry();
  }
  run(calls: readonly Call[]): Run {
    const isRead = calls.every(({ op }) => reads.has(op));
    if (!isRead || calls.some(({ op }) => op === "list")) this.#keep(isRead ? keptAfterListKiBMax : keptKiBMax);
    if (isRead) return this.#attempt(calls, "BEGIN");
    this.#place.check();
    if (calls.every(({ op }) => op === "checkPlace" || reads.has(op))) return this.#attempt(calls, "BEGIN");
    this.#limitPages();
    if (calls.some(({ op }) => op === "checkSpace")) this.#space.look();
    for (this.#allowed = this.#space.allowed();;) {
      try {
        return this.#attempt(calls, this.#allowed === "reads" ? "BEGIN" : "BEGIN IMMEDIATE");
      } catch (error) {
        if (!isFullError(error) || this.#allowed === "reads") throw error;
        this.#allowed = this.#space.pressed();
        this.#limitPages();
      }
    }
  }
  close(): void {
    this.#reserve.close();
    this.#database.close();
    this.#place.close();
  }
  #keep(kiB: number): void {
    if (kiB === this.#keptKiB) return;
    this.#database.exec(`PRAGMA cache_size=-${kiB}`);
    this.#keptKiB = kiB;
  }
  #limitPages(): void {
    if (this.#pagesMax !== undefined) this.#database.exec(`PRAGMA max_page_count=${this.#pagesMax()}`);
  }

  /** Runs one transaction, restricted to what `#allowed` permits. */
  #attempt(calls: readonly Call[], begin: string): Run {
    const before = { revision: this.#revision, compacted: this.#compacted, swept: this.#swept, expiresAt: this.#expiresAt };
    this.#expiryChanged = false;
    this.#database.exec(begin);
    try {
      // The compiler cannot relate an operation to its call through the table.
      const outcomes = calls.map((call) => this.#operations[call.op](call as never));
      if (this.#compacted !== before.compacted) this.#sql.setFact.run(this.#compacted, "compacted");
      if (this.#swept !== before.swept) {
        this.#sql.setFact.run(this.#swept, "swept");
        this.#sql.setFact.run(this.#revision, "revision");
      }
      if (this.#expiryChanged) this.#expiresAt = this.#nextExpiry();
      this.#database.exec("COMMIT");
      return {
        outcomes,
        revision: this.#revision,
        compacted: this.#compacted,
        expiresAt: this.#expiresAt,
        unswept: this.#swept < this.#compacted,
        full: this.#space.full,
      };
    } catch (error) {
      ({ revision: this.#revision, compacted: this.#compacted, swept: this.#swept, expiresAt: this.#expiresAt } = before);
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
  #commit({ change, expires }: CallOf<"commit">): OutcomeOf<"commit"> {
    const frees = change.value === undefined || change.frees === true;
    if (this.#allowed === "reads" || (this.#allowed === "freeing" && !frees)) return { failure: fullError };
    const key = encodeKey(change.key);
    const prior = this.#find(key);
    const current = prior.entry;
    if ((current?.revision ?? "absent") !== change.expect) return { answer: { done: false, current } };
    const written = this.#write(key, change.value, prior, expires);
    return { answer: { done: true, revision: written, previous: previousOf(current) } };
  }
  #list({ range, limit, at, counted }: CallOf<"list">): OutcomeOf<"list"> {
    const as = at ?? this.#revision;
    if (as < this.#compacted) return { failure: this.#oldestError() };
    if (as > this.#revision) {
      return {
        failure: { code: "future", message: `Cannot read revision ${as}: the newest is ${this.#revision}`, current: this.#revision },
      };
    }
    const bounds = boundsOf(range);
    // One entry more than the limit is read, which shows whether there are more.
    const found = as === this.#revision ? this.#listNow(bounds, limit) : this.#listAt(bounds, as, limit);
    const entries = found.slice(0, limit);
    const count = found.length > entries.length && counted ? this.#countAt(bounds, as) : found.length;
    return { answer: { entries, revision: as, count } };
  }
  #history({ range, after }: CallOf<"history">): OutcomeOf<"history"> {
    if (after < this.#compacted) return { failure: this.#oldestError() };
    const events: StoreEvent[] = [];
    let bytes = 0;
    for (const row of this.#sql.history.iterate(after, ...boundsOf(range))) {
      const event = eventOf(row);
      events.push(event);
      bytes += eventBytes(event);
      if (bytes >= historyBytesMax) return { answer: { events, revision: event.revision } };
    }
    return { answer: { events, revision: Math.max(after, this.#revision) } };
  }
  #compact(call: CallOf<"compact">): OutcomeOf<"compact"> {
    if (call.revision > this.#revision) {
      const message = `Cannot compact at revision ${call.revision}: the newest is ${this.#revision}`;
      return { failure: { code: "future", message, current: this.#revision } };
    }
    if (this.#allowed === "reads") return { failure: fullError };
    this.#compacted = Math.max(this.#compacted, call.revision);
    return { answer: undefined };
  }
  #expire({ now }: CallOf<"expire">): OutcomeOf<"expire"> {
    if (this.#allowed === "reads") return { failure: fullError };
    const events = this.#sql.due.all(now, expireKeysMax).map((row): StoreEvent => {
      const key = blob(row.key);
      const prior = this.#find(key);
      return {
        key: decodeKey(key),
        revision: this.#write(key, undefined, prior, undefined),
        value: undefined,
        previous: previousOf(prior.entry),
      };
    });
    return { answer: events };
  }
  // Up to `swept` only the newest rows of live keys remain, so every row that a revision of this step supersedes
  // is either its previous row or a deletion.
  #sweep(): OutcomeOf<"sweep"> {
    if (this.#allowed === "reads") return { failure: fullError };
    const until = Math.min(this.#compacted, this.#swept + (this.#allowed === "all" ? sweepRevisionsMax : sweepRevisionsWhenFullMax));
    this.#sql.sweepSuperseded.run(this.#swept, until);
    this.#sql.sweepDeleted.run(this.#swept, until);
    this.#swept = until;
    return { answer: undefined };
  }

  #oldestError(): Failure {
    const message = `The revision is no longer there: the oldest one kept is ${this.#compacted}`;
    return { code: "compacted", message, oldest: this.#compacted };
  }

  /** Reads the live row of a key, and whether it has an expiry. */
  #find(key: Uint8Array): Found {
    const row = this.#sql.find.get(key);
    if (row === undefined) return { entry: undefined, expires: false };
    return { entry: { key: decodeKey(key), value: blob(row.value), revision: integer(row.revision) }, expires: row.expires !== null };
  }
  #nextExpiry(): number | undefined {
    const next = this.#sql.nextExpiry.get()?.expires;
    return typeof next === "number" ? next : undefined;
  }

  /** Writes one revision; `prior` is the live entry before it. */
  #write(
    key: Uint8Array,
    value: Uint8Array | undefined,
    prior: Found,
    expires: number | undefined,
  ): Revision {
    this.#revision += 1;
    this.#sql.insert.run(this.#revision, key, value === undefined ? null : boundValue(value), prior.entry?.revision ?? null);
    if (value === undefined) this.#sql.remove.run(key);
    else this.#sql.put.run(key, this.#revision, expires ?? null);
    this.#expiryChanged ||= prior.expires || expires !== undefined;
    return this.#revision;
  }

  /** Returns the live entries within the bounds. With a limit, there is at most one more than that. */
  #listNow(bounds: Bounds, limit: number | undefined): Entry[] {
    return this.#sql.list.all(...bounds, limit === undefined ? -1 : limit + 1).map((row) => entryOf(row, row.value));
  }
  #listAt(bounds: Bounds, at: Revision, limit: number | undefined): Entry[] {
    const entries: Entry[] = [];
    for (const row of this.#sql.newestAt.iterate(...bounds, at)) {
      // Values are read only for the entries of the page, because a key may have many revisions.
      const value = this.#sql.value.get(integer(row.revision))?.value;
      if (value !== null) entries.push(entryOf(row, value));
      if (limit !== undefined && entries.length > limit) break;
    }
    return entries;
  }
  /** Computes the number of keys at a revision: the present number, corrected by the creations and deletions since. */
  #countAt(bounds: Bounds, at: Revision): number {
    const now = integer(this.#sql.count.get(...bounds)?.count);
    return at === this.#revision ? now : now + integer(this.#sql.countSince.get(at, ...bounds)?.difference);
  }
}

const reads: ReadonlySet<Call["op"]> = new Set<Call["op"]>(["get", "list", "history", "size"]);
