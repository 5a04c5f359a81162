/** Files that appear under their name when they are whole. */
import { existsSync } from "node:fs";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { StoreError } from "../../kernel/store/store.ts";

/**
 * Makes a file. `write` writes it in a new folder beside it, to which no other user has access; the whole file is then moved to its place, and the folder is
 * removed. Rejects if the file or the folder exists.
 */
export async function wholeFile<T>(to: string, write: (partial: string) => Promise<T>): Promise<T> {
  const path = resolve(to), folder = `${path}.partial`, partial = join(folder, "file");
  if (existsSync(path)) throw existsError(path);
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    throw error instanceof Error && "code" in error && error.code === "EEXIST" ? existsError(folder) : error;
  });
  try {
    const result = await write(partial);
    await sync(partial);
    await placeFile(partial, path);
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
    await sync(dirname(path)).catch(() => {}); // not every file system can
  }
}

/** Moves a file. Rejects if there is one at its place: a link fails then, a rename would replace it. Some file systems have no links. */
export async function placeFile(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch {
    if (existsSync(path)) throw existsError(path);
    await rename(partial, path);
    return;
  }
  await rm(partial);
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function existsError(path: string): StoreError {
  return new StoreError("refused", `"${path}" exists, and is not overwritten: choose another name, or move it away`);
}
