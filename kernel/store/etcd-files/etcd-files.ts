/** Opens the files of another server's etcd: a snapshot, or the data folder of an etcd that is stopped. Nothing is written. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "../../../core/progress.ts";
import { type EtcdDatabase, openDatabase, type ServerFacts, serverFacts, writtenMeanwhile } from "./etcd-database.ts";
import { readRaftRequest } from "./raft-request.ts";
import { beginningOf, EtcdFileError, openFile, type RandomAccess } from "./random-access.ts";
import { entriesAfter, type WalEntry, walName } from "./wal.ts";

export interface EtcdFileOptions {
  /** Keys below this prefix. */
  readonly prefix: string;
  /** Whether a snapshot may have no checksum at its end, as a copy of `member/snap/db`. */
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
  return await named(path, file, async () => {
    // As in etcd: pages are multiples of 512 bytes.
    const hasHash = file.size % alignment === hashBytes;
    if (!hasHash && options.skipHashCheck !== true) {
      throw new EtcdFileError(
        "it has no checksum at its end: it is truncated, or it was not written by `etcdctl snapshot save`; to read a copy of a database " +
          "(member/snap/db) name its data folder with --from-data-dir, or add --skip-hash-check and lose changes of the last moments",
      );
    }
    const size = hasHash ? file.size - hashBytes : file.size;
    if (hasHash && options.skipHashCheck !== true) await checkHash(file, size);
    return openDatabase(beginningOf(file, size), options.prefix, options.progress);
  });
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

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

const advice = "start that etcd and read it with --from-etcd-servers, or take a snapshot from it: `etcdctl snapshot save FILE`; " +
  "of a member that cannot start again, start a copy: `etcd --data-dir=COPY --force-new-cluster`";

/**
 * Opens the data folder of an etcd that is stopped. Changes that are in its write-ahead log and not yet in its database, as after a crash, are applied in
 * memory. Rejects with an `EtcdFileError` if it is not certain what etcd would do with them.
 */
export async function openDataFolder(folder: string, options: EtcdFileOptions): Promise<EtcdFiles> {
  const member = join(folder, "member"), path = join(member, "snap", "db");
  if (!existsSync(path)) {
    const advice = existsSync(folder) && !isFolder(folder) ? "; a snapshot is read with --from-snapshot" : "";
    throw new EtcdFileError(`"${folder}" is no data folder of etcd: it has no file member/snap/db${advice}`);
  }
  const file = openFile(path);
  return await named(path, file, () => {
    const facts = serverFacts(file), database = openDatabase(file, options.prefix, options.progress, requestsOf(member, facts));
    if (database.consistentIndex !== facts.consistentIndex) throw new EtcdFileError(writtenMeanwhile);
    return Promise.resolve(database);
  });
}

/** The requests of the log that are not in the database. */
function requestsOf(member: string, { consistentIndex: index, members, rejects }: ServerFacts): readonly Uint8Array[] {
  const received = readdirSync(join(member, "snap")).filter((name) => name.endsWith(".snap.db"))
    .find((name) => Number(`0x${name.slice(0, -".snap.db".length)}`) > index);
  if (received !== undefined) {
    throw new EtcdFileError(`the newer database "${received}" beside it, from the leader of its cluster, is not in use yet: ${advice}`);
  }
  const wal = join(member, "wal");
  const names = existsSync(wal) ? readdirSync(wal) : [];
  const files = names.flatMap((name) => {
    const numbers = walName(name);
    return numbers === undefined ? [] : [{ name, ...numbers, open: () => openFile(join(wal, name)) }];
  });
  if (files.length === 0) {
    throw new EtcdFileError(`its write-ahead log is not there, so that changes may be missing: copy the whole data folder, or ${advice}`);
  }
  const { entries, committed } = withAdvice(() => entriesAfter(files, index));
  const changing = entries.filter(({ isMembership, data }) => !isMembership && data.length > 0 && withAdvice(() => changesKeys(data)));
  if (changing.length === 0) return [];
  const requests = entries.flatMap(({ isMembership, data }) => isMembership || data.length === 0 ? [] : [data]);
  const problem = rejects ?? unknownIn(requests) ?? uncertaintyOf(entries, changing, committed, members);
  if (problem === undefined) return requests;
  const some = changing.length === 1 ? "1 change is" : `${changing.length} changes are`;
  throw new EtcdFileError(
    `${some} in its write-ahead log and not yet in its database (consistent index ${index}), and cannot be applied here, because ${problem}: ${advice}`,
  );
}

/** Why a cluster may drop changes of its log: the other members have not agreed to them. The only member agrees with itself. */
function uncertaintyOf(
  entries: readonly WalEntry[],
  changing: readonly WalEntry[],
  committed: number,
  members: number,
): string | undefined {
  const isAlone = members === 1 && !entries.some(({ isMembership }) => isMembership);
  const open = changing.filter(({ index }) => index > committed).length;
  return isAlone || open === 0 ? undefined : `${open} of them may not be agreed on by its cluster`;
}

function unknownIn(requests: readonly Uint8Array[]): string | undefined {
  for (const data of requests) {
    const request = readRaftRequest(data);
    if (request.tag === "other") return `its log has a request of the kind ${request.field}, after which etcd may reject others`;
  }
  return undefined;
}

function changesKeys(data: Uint8Array): boolean {
  const { tag } = readRaftRequest(data);
  return tag === "put" || tag === "delete" || tag === "txn" || tag === "revoke";
}

function withAdvice<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof EtcdFileError ? new EtcdFileError(`${error.message}: ${advice}`) : error;
  }
}

/** Errors get the path, and close the file. */
async function named(path: string, file: RandomAccess, open: () => Promise<EtcdDatabase>): Promise<EtcdFiles> {
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
