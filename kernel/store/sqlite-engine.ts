import { DatabaseSync, type StatementSync } from "node:sqlite";
import { decodeKey, encodeKey } from "./bytes.ts";
import { eventBytes } from "./recent-events.ts";
import { blob, entryOf, eventOf, integer, previousOf, stored } from "./sqlite-rows.ts";
import { type Bounds, boundsOf, type Statements, statements } from "./sqlite-statements.ts";
import type { Change, Entry, Listing, Range, Revision, StoreErrorCode, StoreEvent } from "./store.ts";

/** One thing to do; the calls of a run share one transaction. */
export type Call =
  /** `expires` is in milliseconds since 1970. */
  | { readonly op: "commit"; readonly change: Change; readonly expires: number | undefined }
  | { readonly op: "get"; readonly key: string }
  | {
    readonly op: "list";
    readonly range: Range;
    readonly limit: number | undefined;
    readonly at: Revision | undefined;
    readonly counted: boolean;
  }
  | { readonly op: "history"; readonly range: Range; readonly after: Revision }
  | { readonly op: "compact"; readonly revision: Revision }
  | { readonly op: "expire"; readonly now: number }
  | { readonly op: "sweep" }
  | { readonly op: "size" };

/** What each call answers. Plain data, so that it crosses from a worker unchanged. */
export interface Answers {
  readonly commit:
    | { readonly done: true; readonly revision: Revision; readonly previous: StoreEvent["previous"] }
    | { readonly done: false; readonly current: Entry | undefined };
  readonly get: { readonly entry: Entry | undefined; readonly revision: Revision };
  readonly list: Listing;
  /** The next events after `after`; everything up to `revision` is among them. */
  readonly history: { readonly events: readonly StoreEvent[]; readonly revision: Revision };
  readonly compact: undefined;
  readonly expire: readonly StoreEvent[];
  readonly sweep: undefined;
  /** Bytes of the database. */
  readonly size: number;
}

export type Failure = {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly oldest?: Revision | undefined;
  readonly current?: Revision | undefined;
};
export type Outcome = { readonly answer: Answers[Call["op"]] } | { readonly failure: Failure };

export interface Run {
  readonly outcomes: readonly Outcome[];
  readonly revision: Revision;
  readonly compacted: Revision;
  /** When the next key expires, in milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  /** Whether compacted history still waits to be swept away. */
  readonly unswept: boolean;
}

/** The synchronous heart of the sqlite store. A run is durable when it returns; one that throws has changed nothing. */
export interface Engine {
  run(calls: readonly Call[]): Run;
  close(): void;
}

/** How much one call does before others get their turn: keys that expire, revisions swept, bytes of history read. */
const expireKeysMax = 500;
const sweepRevisionsMax = 2000;
const historyBytesMax = 4 * 1024 * 1024;

/** Format 1 wrote the newest revision as a fact with every commit and went by that alone, so it may not open what format 2 has written. */
const format = 2;

/**
 * `history` has one row for each revision, `live` one for each key that there is now, `facts` the counters:
 *
 *   commit a=1     history (2, a, "1", previous null)     live (a, 2)
 *   commit a=2     history (3, a, "2", previous 2)        live (a, 3)
 *   delete a       history (4, a, null, previous 3)       live ()
 *   compact 3      facts compacted=3; row 2 is swept: row 3 names it as previous, and 3 <= 3
 *
 * Keys are blobs, so that they sort by bytes. The newest revision is that of the newest row, which a commit writes anyway; as a
 * fact it is kept when rows are swept, because the newest may be among them (a deletion).
 */
const tables = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS history (revision INTEGER PRIMARY KEY, key BLOB NOT NULL, value BLOB, previous INTEGER);
  CREATE INDEX IF NOT EXISTS history_by_key ON history (key, revision);
  CREATE TABLE IF NOT EXISTS live (key BLOB PRIMARY KEY, revision INTEGER NOT NULL, expires INTEGER) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS live_by_expiry ON live (expires) WHERE expires IS NOT NULL;
  INSERT OR IGNORE INTO facts VALUES ('format', ${format}), ('revision', 1), ('compacted', 0), ('swept', 0);
`;

/**
 * Opens or makes the database at `path` (":memory:" for one that lives as long as the engine) and locks it against other
 * processes. Throws when it cannot be opened, is locked, or was written by a later format.
 */
export function openEngine(path: string): Engine {
  const database = new DatabaseSync(path);
  try {
    // EXCLUSIVE keeps the lock between transactions; it goes with the process, however that ends.
    database.exec("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536;");
    database.exec(`BEGIN IMMEDIATE; ${tables} COMMIT;`);
    const sql = statements(database);
    const facts = readFacts(sql.facts);
    if (facts.format > format) throw new Error(`Cannot read a store of format ${facts.format}: this program knows format ${format}`);
    if (facts.format < format) sql.setFact.run(format, "format");
    return engineOf(database, sql, facts);
  } catch (error) {
    database.close();
    throw error;
  }
}

function engineOf(database: DatabaseSync, sql: Statements, facts: Facts): Engine {
  let { compacted, swept } = facts;
  let revision = Math.max(facts.revision, integer(sql.newest.get()?.revision ?? 0));
  let expiresAt = nextExpiry();
  /** Whether a key came, went or changed that has a time to expire. */
  let expiryChanged = false;

  const oldestError = (): Failure => ({
    code: "compacted",
    message: `The revision is no longer there: the oldest one kept is ${compacted}`,
    oldest: compacted,
  });

  /** The live row of a key, and whether it has a time to expire. */
  function find(key: Uint8Array): { readonly entry: Entry | undefined; readonly expires: boolean } {
    const row = sql.find.get(key);
    if (row === undefined) return { entry: undefined, expires: false };
    return { entry: { key: decodeKey(key), value: blob(row.value), revision: integer(row.revision) }, expires: row.expires !== null };
  }
  function nextExpiry(): number | undefined {
    const next = sql.nextExpiry.get()?.expires;
    return typeof next === "number" ? next : undefined;
  }

  /** Writes one revision; `prior` is what is live before it. */
  function write(
    key: Uint8Array,
    value: Uint8Array | undefined,
    prior: ReturnType<typeof find>,
    expires: number | undefined,
  ): Revision {
    revision += 1;
    sql.insert.run(revision, key, value === undefined ? null : stored(value), prior.entry?.revision ?? null);
    if (value === undefined) sql.remove.run(key);
    else sql.put.run(key, revision, expires ?? null);
    expiryChanged ||= prior.expires || expires !== undefined;
    return revision;
  }

  /** At most one entry more than `limit`. */
  function listNow(bounds: Bounds, limit: number | undefined): Entry[] {
    return sql.list.all(...bounds, limit === undefined ? -1 : limit + 1).map((row) => entryOf(row, row.value));
  }
  function listAt(bounds: Bounds, at: Revision, limit: number | undefined): Entry[] {
    const entries: Entry[] = [];
    for (const row of sql.newestAt.iterate(...bounds, at)) {
      // Only of these the bytes are read: a key may have been written often.
      const value = sql.value.get(integer(row.revision))?.value;
      if (value !== null) entries.push(entryOf(row, value));
      if (limit !== undefined && entries.length > limit) break;
    }
    return entries;
  }
  /** From how many there are now, and what has come and gone since. */
  function countAt(bounds: Bounds, at: Revision): number {
    const now = integer(sql.count.get(...bounds)?.count);
    return at === revision ? now : now + integer(sql.countSince.get(at, ...bounds)?.difference);
  }

  const operations: { [Op in Call["op"]]: (call: Extract<Call, { op: Op }>) => { answer: Answers[Op] } | { failure: Failure } } = {
    commit({ change, expires }) {
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
      // One more tells whether there is more.
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
      compacted = Math.max(compacted, call.revision);
      return { answer: undefined };
    },
    expire({ now }) {
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
    // Up to `swept` only the newest rows of living keys are left, so whatever is superseded by a revision of this step
    // is either named as its previous or is a deletion.
    sweep() {
      const until = Math.min(compacted, swept + sweepRevisionsMax);
      sql.sweepSuperseded.run(swept, until);
      sql.sweepDeleted.run(swept, until);
      swept = until;
      return { answer: undefined };
    },
    size: () => ({ answer: integer(sql.size.get()?.bytes) }),
  };

  function run(calls: readonly Call[]): Run {
    const before = { revision, compacted, swept, expiresAt };
    expiryChanged = false;
    const writes = calls.some(({ op }) => op !== "get" && op !== "list" && op !== "history" && op !== "size");
    database.exec(writes ? "BEGIN IMMEDIATE" : "BEGIN");
    try {
      // Each operation takes its own call, which the compiler cannot follow through the table.
      const outcomes = calls.map((call) => operations[call.op](call as never));
      if (compacted !== before.compacted) sql.setFact.run(compacted, "compacted");
      if (swept !== before.swept) {
        sql.setFact.run(swept, "swept");
        sql.setFact.run(revision, "revision");
      }
      if (expiryChanged) expiresAt = nextExpiry();
      database.exec("COMMIT");
      return { outcomes, revision, compacted, expiresAt, unswept: swept < compacted };
    } catch (error) {
      ({ revision, compacted, swept, expiresAt } = before);
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  return { run, close: () => database.close() };
}

interface Facts {
  readonly format: number;
  readonly revision: Revision;
  readonly compacted: Revision;
  readonly swept: Revision;
}

function readFacts(statement: StatementSync): Facts {
  const facts = new Map(statement.all().map((row) => [row.name, row.value]));
  const fact = (name: string): number => integer(facts.get(name));
  return { format: fact("format"), revision: fact("revision"), compacted: fact("compacted"), swept: fact("swept") };
}
