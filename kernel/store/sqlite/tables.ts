/** The tables of the sqlite store, and the counters in them. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Reserve } from "./reserve.ts";
import { type DiskSpaceOptions, isFullError } from "./disk-space.ts";
import { integer } from "./rows.ts";
import { type Statements, statements } from "./statements.ts";
import type { Revision } from "../store.ts";
import { storeReservePieceBytes } from "./reserve.ts";
import { storeReserveBytes } from "./bounds.ts";

/**
 * The format of the database. Format 1 relied on the newest revision in `facts`, which every commit stored. A program for format 1 must not
 * open a store of format 2.
 */
const format = 2;

/**
 * `history` has one row for each revision, `live` one for each existing key, `facts` the counters:
 *
 *   commit a=1     history (2, a, "1", previous null)     live (a, 2)
 *   commit a=2     history (3, a, "2", previous 2)        live (a, 3)
 *   delete a       history (4, a, null, previous 3)       live ()
 *   compact 3      facts compacted=3; row 2 is swept: row 3 names it as previous, and 3 <= 3
 *
 * Keys are blobs, so that they sort by bytes. The newest revision is that of the newest row. It is stored as a fact when rows are
 * swept, because the newest row may be among them (a deletion).
 */
const tables = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS history (revision INTEGER PRIMARY KEY, key BLOB NOT NULL, value BLOB, previous INTEGER);
  CREATE INDEX IF NOT EXISTS history_by_key ON history (key, revision);
  CREATE TABLE IF NOT EXISTS live (key BLOB PRIMARY KEY, revision INTEGER NOT NULL, expires INTEGER) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS live_by_expiry ON live (expires) WHERE expires IS NOT NULL;
  INSERT OR IGNORE INTO facts VALUES ('format', ${format}), ('revision', 1), ('compacted', 0), ('swept', 0);
`;

/** Statements and counters of a database that this process has locked. Creates missing tables; throws for a later format. */
export function openTables(database: DatabaseSync): { readonly sql: Statements; readonly facts: Facts } {
  database.exec(`BEGIN IMMEDIATE; ${tables} COMMIT;`);
  const sql = statements(database);
  const facts = readFacts(sql.facts);
  if (facts.format > format) throw new Error(`Cannot read a store of format ${facts.format}: this program knows format ${format}`);
  if (facts.format < format) sql.setFact.run(format, "format");
  return { sql, facts };
}

/** The operations of a database that `diskSpace` uses. */
export function diskSpaceOptions(database: DatabaseSync, sql: Statements, reserve: Reserve): DiskSpaceOptions {
  return {
    reserve,
    freeBytes: () => integer(sql.freeBytes.get()?.bytes),
    fits() {
      // Pages are allocated by the transaction and released by its rollback: nothing is written to the disk.
      database.exec("BEGIN IMMEDIATE");
      try {
        sql.insert.run(noRevision, new Uint8Array(), new Uint8Array(storeReservePieceBytes / 4), null);
        return true;
      } catch (error) {
        if (isFullError(error)) return false;
        throw error;
      } finally {
        if (database.isTransaction) database.exec("ROLLBACK");
      }
    },
    checkpoint: () => void sql.checkpoint.get(),
    enoughBytes: storeReserveBytes,
  };
}

/** The revision of a row that only tests for disk space and is rolled back. Revisions of the store begin at 1. */
const noRevision = -1;

export interface Facts {
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
