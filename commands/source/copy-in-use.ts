/**
 * Copies a store file that another process has open and goes on writing. sqlite writes changes to the end of the log (`-wal`), and from there
 * to the file. The file is copied first: pages of it that change meanwhile are still in the log, which is copied afterwards, unless the log
 * was begun again. Its header then has other numbers, and the copy is made again.
 */
import { constants } from "node:fs";
import { copyFile, open, rm, stat, statfs } from "node:fs/promises";
import { sameBytes } from "../../kernel/store/same-bytes.ts";
import { StoreError } from "../../kernel/store/store.ts";
import { bound } from "../../core/bound.ts";
import { storeReserveBytes } from "../../kernel/store/sqlite/bounds.ts";

/** Maximum number of attempts to copy the files of an embedded store in use. A checkpoint during a copy makes the copy useless. */
const storeCopyTries = bound(5);

const headerBytes = 32;

/** Copies the file and its log. Rejects with a StoreError if there is no space, or if the log was begun again during each attempt. */
export async function copyInUse(path: string, copy: string): Promise<void> {
  await checkSpace(path, copy);
  for (let tries = 0; tries < storeCopyTries; tries++) {
    const before = await logHeader(path);
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    if (before.length === 0) await rm(`${copy}-wal`, { force: true });
    else await copyFile(`${path}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
    if (sameBytes(before, await logHeader(path))) return;
  }
  throw new StoreError(
    "unavailable",
    `Cannot copy the store file "${path}": it is written too fast; try again, or pause its server during the copy of a backup and verify that`,
  );
}

/** Reads the header of the log; it is empty if there is no log. */
async function logHeader(path: string): Promise<Uint8Array> {
  try {
    const file = await open(`${path}-wal`, "r");
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(headerBytes), 0, headerBytes, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Uint8Array();
    throw error;
  }
}

/** Checks that the copy fits, because it must not fill the disk of the server that uses the store. */
async function checkSpace(path: string, copy: string): Promise<void> {
  const sizes = await Promise.all([path, `${path}-wal`].map((each) => stat(each).then(({ size }) => size, () => 0)));
  const needed = sizes.reduce((sum, size) => sum + size, 0);
  const { bavail, bsize } = await statfs(copy.slice(0, copy.lastIndexOf("/")));
  if (bavail * bsize - needed > storeReserveBytes) return;
  throw new StoreError(
    "full",
    `Cannot copy the store file "${path}" beside it: the disk has ${bavail * bsize} free bytes, and a copy needs ${
      needed + storeReserveBytes
    }`,
  );
}
