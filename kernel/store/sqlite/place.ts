/**
 * The place of a store: its folder, which one process may use at a time, and its files, which must stay at their paths. sqlite locks the file that it
 * has open and goes on writing to it, also when its path leads to nothing or to another file: such writes are lost at the next start, and
 * another process could open the folder.
 *
 *   store.sqlite, store.sqlite-wal     compared with the open files before each write: once they differ, writes fail
 *   store.lock                         locked by this process; made and locked again if it was removed
 */
import { closeSync, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export interface Place {
  /** Throws if a file of the store was removed or replaced. Locks the folder again if its lock file was removed. */
  check(): void;
  /** Called when the store is closed. */
  close(): void;
}

/** The place of a store in memory, which has no files to check. */
const noPlace: Place = Object.freeze({ check() {}, close() {} });

/** Returns the path of a further file in the folder of a store. A copy of the store's own files (`store.sqlite*`) does not include it. */
export function besides(path: string, what: string): string {
  return `${path.replace(/\.sqlite$/, "")}.${what}`;
}

/**
 * Locks the folder of the store at `path`, then opens the store with `open`.
 *
 * @throws "database is locked" if another process has locked the folder, or if `open` throws
 */
export function openPlace<T>(path: string, open: () => T): { readonly place: Place; readonly opened: T } {
  if (path === ":memory:") return { place: noPlace, opened: open() };
  const lockPath = besides(path, "lock");
  let lock = lockOf(lockPath);
  let opened: T;
  try {
    opened = open();
  } catch (error) {
    lock.close();
    throw error;
  }
  // As long as a file is open, no other file gets its number.
  const files = [path, `${path}-wal`].map((each) => ({ path: each, id: idOf(each) }));

  function lockAgain(): void {
    if (idOf(lockPath) === lock.id) return;
    try {
      const again = lockOf(lockPath);
      lock.close();
      lock = again;
    } catch { /* The folder is gone, or another process has just locked it: the store's own files decide. */ }
  }
  return {
    opened,
    place: {
      check() {
        lockAgain();
        for (const { path, id } of files) {
          const found = idOf(path);
          if (found !== id) throw new Error(`${movedText}: "${path}" was ${found === undefined ? "removed" : "replaced"}`);
        }
      },
      close: () => lock.close(),
    },
  };
}

/** The beginning of the error of a store whose files were removed or replaced. */
export const movedText = "the open file is not at its path";

/** Device and number of a file; undefined if there is none. */
function idOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

interface Lock {
  readonly id: string | undefined;
  close(): void;
}

/**
 * Opens the lock file. It is an empty sqlite database, because the two runtimes have no other kind of lock in common. The lock ends with
 * the process.
 */
function lockOf(path: string): Lock {
  // A file that exists is not opened here: closing it would end a lock that this process has on it.
  if (idOf(path) === undefined) {
    try {
      closeSync(openSync(path, "wx", 0o600));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    throw error;
  }
  return { id: idOf(path), close: () => database.close() };
}
