/** The SQL statements of the sqlite store, on the tables of `tables.ts`. */
import type { DatabaseSync } from "node:sqlite";
import { keyBounds } from "../bytes.ts";
import type { Range } from "../store.ts";

/** A half-open interval of keys: `from` is part of it, `to` is not. */
export type Bounds = readonly [from: Uint8Array, to: Uint8Array];
const within = "key >= ? AND key < ?";
/** A byte string that is greater than every key, because keys are UTF-8. */
const noEnd = Uint8Array.of(0xff);

export function boundsOf(range: Range): Bounds {
  const { from, to = noEnd } = keyBounds(range);
  return [from, to];
}

export type Statements = ReturnType<typeof statements>;

/** All statements of the engine. */
export function statements(database: DatabaseSync) {
  return {
    facts: database.prepare("SELECT name, value FROM facts"),
    setFact: database.prepare("UPDATE facts SET value = ? WHERE name = ?"),
    newest: database.prepare("SELECT max(revision) AS revision FROM history"),
    find: database.prepare("SELECT h.value, h.revision, l.expires FROM live l JOIN history h ON h.revision = l.revision WHERE l.key = ?"),
    insert: database.prepare("INSERT INTO history (revision, key, value, previous) VALUES (?, ?, ?, ?)"),
    put: database.prepare("INSERT OR REPLACE INTO live (key, revision, expires) VALUES (?, ?, ?)"),
    remove: database.prepare("DELETE FROM live WHERE key = ?"),
    list: database.prepare(
      `SELECT l.key, l.revision, h.value FROM live l JOIN history h ON h.revision = l.revision
       WHERE ${within.replaceAll("key", "l.key")} ORDER BY l.key LIMIT ?`,
    ),
    // The rows are read in the order of the index, so only those of the page are read.
    newestAt: database.prepare(
      `SELECT key, max(revision) AS revision FROM history INDEXED BY history_by_key WHERE ${within} AND revision <= ? GROUP BY key ORDER BY key`,
    ),
    value: database.prepare("SELECT value FROM history WHERE revision = ?"),
    count: database.prepare(`SELECT count(*) AS count FROM live WHERE ${within}`),
    // For a key, the first row after a revision names the row that was live at this revision.
    countSince: database.prepare(
      `SELECT coalesce(sum((h.previous IS NOT NULL) - EXISTS (SELECT 1 FROM live l WHERE l.key = f.key)), 0) AS difference
       FROM (SELECT key, min(revision) AS revision FROM history NOT INDEXED WHERE revision > ? AND ${within} GROUP BY key) f
       JOIN history h ON h.revision = f.revision`,
    ),
    history: database.prepare(
      `SELECT h.revision, h.key, h.value, h.previous, p.value AS previousValue FROM history h NOT INDEXED
       LEFT JOIN history p ON p.revision = h.previous
       WHERE h.revision > ? AND ${within.replaceAll("key", "h.key")} ORDER BY h.revision`,
    ),
    due: database.prepare("SELECT key FROM live WHERE expires IS NOT NULL AND expires <= ? ORDER BY expires, key LIMIT ?"),
    nextExpiry: database.prepare("SELECT min(expires) AS expires FROM live WHERE expires IS NOT NULL"),
    sweepSuperseded: database.prepare(
      "DELETE FROM history WHERE revision IN (SELECT previous FROM history WHERE revision > ? AND revision <= ? AND previous IS NOT NULL)",
    ),
    size: database.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()"),
    freeBytes: database.prepare("SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count(), pragma_page_size()"),
    checkpoint: database.prepare("PRAGMA wal_checkpoint(RESTART)"),
    touch: database.prepare("UPDATE facts SET value = value WHERE name = 'format'"),
    sweepDeleted: database.prepare("DELETE FROM history WHERE revision > ? AND revision <= ? AND value IS NULL"),
  };
}
