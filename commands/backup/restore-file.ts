/** Restores a backup of an embedded store into a data folder. */
import { existsSync, readdirSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { bound } from "../../core/bound.ts";
import { openPlace } from "../../kernel/store/sqlite/place.ts";
import { StoreError } from "../../kernel/store/store.ts";
import { contentsOf, type StoreContents, withStoreFile } from "./store-file.ts";
import { wholeFile } from "./whole-file.ts";

/** Revisions that a restored store skips, so that none is assigned twice. etcd's manual recommends as many. */
const restoreSkippedRevisions = bound(1_000_000_000);

/**
 * Copies the backup into the folder, checks it, and raises its revision, so that each watch from before gets 410 and lists again. Rejects with a StoreError if the
 * folder has a store or a running server.
 */
export async function restoreFile(from: string, dataDir: string, keepsRevisions: boolean): Promise<StoreContents> {
  const path = join(dataDir, "store.sqlite");
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const found = readdirSync(dataDir).filter((name) => name.startsWith("store.sqlite"));
  if (found.length > 0) {
    throw new StoreError(
      "refused",
      `"${dataDir}" has a store, which is not overwritten: stop its server, move ${
        found.join(", ")
      } out of the folder, and keep them until the restored server works`,
    );
  }
  if (existsSync(`${from}-wal`)) {
    throw new StoreError(
      "refused",
      `"${from}" has a log beside it, "${from}-wal": it is no backup of thole backup, but files of a store; copy both to a data folder instead`,
    );
  }
  return await alone(path, () =>
    wholeFile(path, async (partial) => {
      await copyFile(from, partial);
      return withStoreFile(partial, (database) => {
        contentsOf(database); // throws for another database
        if (!keepsRevisions) raise(database);
        return contentsOf(database);
      });
    }));
}

/** Does work while no server can use the folder. */
async function alone<T>(path: string, work: () => Promise<T>): Promise<T> {
  let close: () => void;
  try {
    ({ place: { close } } = openPlace(path, () => undefined));
  } catch (error) {
    throw new StoreError("unavailable", `Another process uses the folder of "${path}": stop it first`, { cause: error });
  }
  try {
    return await work();
  } finally {
    close();
  }
}

/** Removes the history, as after a compaction and its sweeps, and goes on far above all revisions that clients may have seen. */
function raise(database: DatabaseSync): void {
  const next = contentsOf(database).revision + restoreSkippedRevisions;
  database.exec("BEGIN IMMEDIATE");
  database.exec("DELETE FROM history WHERE revision NOT IN (SELECT revision FROM live)");
  const set = database.prepare("UPDATE facts SET value = ? WHERE name = ?");
  for (const name of ["revision", "compacted", "swept"]) set.run(next, name);
  database.exec("COMMIT");
}
