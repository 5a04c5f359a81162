/** Saves a snapshot of a running etcd. */
import { open } from "node:fs/promises";
import { systemClock } from "../../core/async.ts";
import type { BeginProgress } from "../../core/progress.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { toStoreError } from "../../kernel/store/etcd/store-error.ts";
import { StoreError } from "../../kernel/store/store.ts";
import { connect, type ConnectionOptions } from "../../protocols/etcd/connection.ts";
import { snapshot } from "../../protocols/etcd/snapshot.ts";
import { openSnapshot } from "../source/etcd-files/etcd-files.ts";
import { EtcdFileError } from "../source/etcd-files/random-access.ts";
import type { StoreContents } from "./store-file.ts";
import { wholeFile } from "./whole-file.ts";

/** Milliseconds between two lines about the bytes that have arrived. */
const saidEveryMs = 2_000;

/** Where a snapshot comes from, and who hears of it. */
export interface SnapshotNeeds extends Pick<ConnectionOptions, "endpoints" | "tls"> {
  readonly to: string;
  /** Says how far it is. */
  readonly say: (line: string) => void;
  readonly progress: BeginProgress;
}

/** Saves the database of a member, in the form of `etcdctl snapshot save`, checks its hash and reads all keys back. Rejects with a StoreError. */
export async function saveSnapshot({ to, say, progress, ...etcd }: SnapshotNeeds): Promise<StoreContents> {
  return await wholeFile(to, async (partial) => {
    await receive(partial, etcd, say);
    return await readBack(partial, progress);
  });
}

async function receive(path: string, etcd: ConnectionOptions, say: (line: string) => void): Promise<void> {
  const connection = connect(etcd), file = await open(path, "wx", 0o600), never = new AbortController().signal;
  try {
    const pieces = await connection.pieces(snapshot, "all", never);
    if (pieces === undefined) {
      throw new StoreError("refused", "This etcd has no snapshots: it only imitates etcd. Back up its database instead");
    }
    let bytes = 0, said = systemClock.elapsed();
    for await (const some of pieces) {
      for (const { blob, remaining } of some) {
        await file.write(blob);
        bytes += blob.length;
        if (systemClock.elapsed() - said < saidEveryMs) continue;
        said = systemClock.elapsed();
        say(`saving: ${megabytes(bytes)} of ${megabytes(bytes + remaining)} MB`);
      }
    }
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await file.close();
    await connection.close();
  }
}

/** Bytes as megabytes, for people. */
function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** Reads a snapshot: its hash, its revision and its keys. */
export async function readBack(path: string, begin: BeginProgress): Promise<StoreContents> {
  const progress = begin("reading the snapshot");
  try {
    const files = await openSnapshot(path, { prefix: "", progress });
    try {
      return { revision: files.revision, keys: files.list({ prefix: "" }, { limit: 1 }).count };
    } finally {
      files.close();
    }
  } catch (error) {
    if (error instanceof EtcdFileError) {
      throw new StoreError("unavailable", `The snapshot cannot be used: ${reasonOf(error)}`, { cause: error });
    }
    throw error;
  } finally {
    progress.end();
  }
}
