/** Files that appear under their name when they are whole. */
import { existsSync } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { StoreError } from "../../kernel/store/store.ts";

/** Makes a file: `write` makes it at another path, which is removed if that fails. Rejects if the file exists. */
export async function wholeFile<T>(path: string, write: (partial: string) => Promise<T>): Promise<T> {
  if (existsSync(path)) throw existsError(path);
  const partial = `${path}.partial`;
  if (existsSync(partial)) throw existsError(partial);
  try {
    const result = await write(partial);
    await sync(partial);
    await place(partial, path);
    return result;
  } finally {
    for (const each of [partial, `${partial}-wal`, `${partial}-shm`, `${partial}-journal`]) await rm(each, { force: true });
    await sync(dirname(path)).catch(() => {}); // not every file system can
  }
}

/** A link fails if the file exists, a rename would replace it. Some file systems have no links. */
async function place(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch {
    if (existsSync(path)) throw existsError(path);
    await rename(partial, path);
  }
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
