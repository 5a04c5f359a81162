/** Backs up the file of an embedded store, also while a server uses it. */
import { copyInUse } from "../source/copy-in-use.ts";
import { contentsOf, type StoreContents, withStoreFile } from "./store-file.ts";
import { wholeFile } from "./whole-file.ts";

/**
 * Copies the store to one file, checks it and reads it back. A server locks its store against all other programs, sqlite's own backup included, so its files
 * are copied, as `thole verify` does. Rejects with a StoreError, and leaves nothing then.
 */
export async function backUpFile(path: string, to: string): Promise<StoreContents> {
  return await wholeFile(to, async (partial) => {
    await copyInUse(path, partial);
    return withStoreFile(partial, contentsOf);
  });
}
