/** Opens a file of another server's etcd: a snapshot, or a copy of its database. Nothing is written. */
import { createHash } from "node:crypto";
import type { Progress } from "../../../core/progress.ts";
import { type EtcdDatabase, openDatabase } from "./etcd-database.ts";
import { beginningOf, EtcdFileError, openFile, type RandomAccess } from "./random-access.ts";

export interface EtcdFileOptions {
  /** Keys below this prefix. */
  readonly prefix: string;
  /** Whether the file may have no checksum at its end, or a wrong one. The database of an etcd, `member/snap/db`, has none. */
  readonly skipHashCheck?: boolean;
  readonly progress?: Progress;
}

/** An open file. */
export interface EtcdFiles extends Pick<EtcdDatabase, "list" | "revision"> {
  close(): void;
}

const hashBytes = 32, alignment = 512, pieceBytes = 1024 * 1024;

/** Opens a file of `etcdctl snapshot save`. Rejects with an `EtcdFileError` if it is damaged. */
export async function openSnapshot(path: string, options: EtcdFileOptions): Promise<EtcdFiles> {
  const file = openFile(path);
  return await openNamed(path, file, async () => {
    // As in etcd: pages are multiples of 512 bytes.
    const hasHash = file.size % alignment === hashBytes;
    if (!hasHash && options.skipHashCheck !== true) {
      throw new EtcdFileError(
        "it has no checksum at its end: it is truncated, or it was not written by `etcdctl snapshot save`; the database of an etcd " +
          "(member/snap/db) is read with --skip-hash-check, and is complete only if that etcd was stopped and not killed",
      );
    }
    const size = hasHash ? file.size - hashBytes : file.size;
    if (hasHash && options.skipHashCheck !== true) await checkHash(file, size);
    return openDatabase(beginningOf(file, size), options.prefix, options.progress);
  });
}

async function checkHash(file: RandomAccess, size: number): Promise<void> {
  const hash = createHash("sha256");
  for (let at = 0; at < size; at += pieceBytes) {
    hash.update(file.read(at, Math.min(pieceBytes, size - at)));
    if (at % (64 * pieceBytes) === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const stored = file.read(size, hashBytes), computed = hash.digest();
  if (!stored.every((byte, index) => byte === computed[index])) {
    throw new EtcdFileError("its checksum is wrong: it is damaged; take another snapshot");
  }
}

/** Opens a database. An error closes the file and names its path. */
async function openNamed(path: string, file: RandomAccess, open: () => Promise<EtcdDatabase>): Promise<EtcdFiles> {
  const withPath = (error: unknown) =>
    error instanceof EtcdFileError ? new EtcdFileError(`Cannot read "${path}": ${error.message}`, { cause: error }) : error;
  try {
    const { list, revision } = await open();
    return {
      revision,
      list(range, page) {
        try {
          return list(range, page);
        } catch (error) {
          throw withPath(error);
        }
      },
      close: () => file.close(),
    };
  } catch (error) {
    file.close();
    throw withPath(error);
  }
}
