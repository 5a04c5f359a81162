/** Files of another server, read at any place and never written. */
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { reasonOf } from "../../../core/reason-of.ts";
import { UsageError } from "../../../server/config/commands.ts";

/** Bytes that are read in pieces. */
export interface RandomAccess {
  readonly size: number;
  /** Exactly these bytes; throws an `EtcdFileError` beyond the end. */
  read(at: number, length: number): Uint8Array;
  close(): void;
}

/** A file that is missing, damaged or not complete. The message is for operators. */
export class EtcdFileError extends UsageError {
  override readonly name = "EtcdFileError";
}

/** Said to somebody who gives the data folder of an etcd, with its write-ahead log. */
const insteadOfFolder = "it is a folder: start its etcd and take a snapshot (`etcdctl snapshot save FILE`); if that etcd was stopped and " +
  "not killed, its file member/snap/db is complete too and is read with --skip-hash-check";

/** Opens a file for reading. Throws an `EtcdFileError` if that is not possible. */
export function openFile(path: string): RandomAccess {
  let file: number;
  try {
    // Opening a pipe would wait for its writer.
    if (statSync(path).isFIFO()) throw new Error("it is a pipe: write its content to a file first");
    file = openSync(path, "r");
  } catch (error) {
    throw new EtcdFileError(`Cannot open "${path}": ${reasonOf(error)}`);
  }
  const found = fstatSync(file);
  if (!found.isFile()) {
    closeSync(file);
    const what = found.isDirectory() ? insteadOfFolder : "it is no plain file";
    throw new EtcdFileError(`Cannot open "${path}": ${what}`);
  }
  return {
    size: found.size,
    read(at, length) {
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length;) {
        const count = readSync(file, bytes, done, length - done, at + done);
        if (count === 0) throw pastEnd(at, length);
        done += count;
      }
      return bytes;
    },
    close: () => closeSync(file),
  };
}

/** Returns the access to bytes in memory. */
export function inMemory(bytes: Uint8Array): RandomAccess {
  return {
    size: bytes.length,
    read(at, length) {
      if (at < 0 || at + length > bytes.length) throw pastEnd(at, length);
      return bytes.subarray(at, at + length);
    },
    close() {},
  };
}

const pastEnd = (at: number, length: number) => new EtcdFileError(`it ends within the ${length} bytes at ${at}: it is truncated`);

/** Returns the access to the first `size` bytes. */
export function beginningOf(bytes: RandomAccess, size: number): RandomAccess {
  return {
    size,
    read(at, length) {
      if (at + length > size) throw pastEnd(at, length);
      return bytes.read(at, length);
    },
    close: () => bytes.close(),
  };
}
