/** What a file of an embedded store has: it is checked and counted. */
import { chmodSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../kernel/store/store.ts";

/** The contents of a store, as they were read back. */
export interface StoreContents {
  /** The newest revision. */
  readonly revision: number;
  /** Number of keys. */
  readonly keys: number;
}

/** Opens a file that no other program uses, does work with it, and closes it as one file. Rejects with a StoreError if it is no store, or damaged. */
export function withStoreFile<T>(path: string, use: (database: DatabaseSync) => T): T {
  try {
    chmodSync(path, 0o600);
    const database = new DatabaseSync(path);
    try {
      // Everything in the log goes to the file, which is then alone.
      database.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE;");
      const [first] = database.prepare("PRAGMA integrity_check(1)").all();
      const said = String(Object.values(first ?? {})[0]);
      if (said !== "ok") throw new Error(said);
      return use(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError("unavailable", `"${path}" is no whole store: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** The revision and the number of keys. */
export function contentsOf(database: DatabaseSync): StoreContents {
  const row = database.prepare(
    `SELECT max((SELECT value FROM facts WHERE name = 'revision'), coalesce((SELECT max(revision) FROM history), 0)) AS revision,
      (SELECT count(*) FROM live) AS keys`,
  ).get();
  return { revision: Number(row?.revision), keys: Number(row?.keys) };
}
