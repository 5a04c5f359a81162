/**
 * The write-ahead log of etcd: the entries in it that are not in the database. Files have records one after another:
 *
 *     length i64 (its upper byte: bytes of padding) | Record {type, crc, data} | padding | length ... | zeros
 */
import { limits } from "../../../core/limits.ts";
import { crc32c } from "./crc32c.ts";
import { numberOf, readMessage } from "./key-value.ts";
import { readBytes } from "../../../core/codec/protobuf-wire.ts";
import { EtcdFileError, type RandomAccess } from "./random-access.ts";

/** One file of the log: the number in its name, the first raft entry in it, and its bytes. */
export interface WalFile {
  readonly name: string;
  readonly sequence: number;
  readonly firstIndex: number;
  readonly open: () => RandomAccess;
}

/** The numbers in the name of a file, `0000000000000001-0000000000001f40.wal`; undefined for another name. */
export function walName(name: string): { readonly sequence: number; readonly firstIndex: number } | undefined {
  const [, sequence, firstIndex] = /^([0-9a-f]{16})-([0-9a-f]{16})\.wal$/.exec(name) ?? [];
  return sequence === undefined || firstIndex === undefined
    ? undefined
    : { sequence: Number(`0x${sequence}`), firstIndex: Number(`0x${firstIndex}`) };
}

const recordTypes = Object.freeze({ entry: 2, state: 3, checksum: 4 });
const headBytes = 8;

/** An entry of the raft log. */
export interface WalEntry {
  readonly index: number;
  /** Whether it changes the members of the cluster; else its data are a request. */
  readonly isMembership: boolean;
  /** Empty for an election. */
  readonly data: Uint8Array;
}

export interface WalEntries {
  /** In their order, without gaps. */
  readonly entries: readonly WalEntry[];
  /** The index up to which the cluster has agreed, as far as the log says it: it says so with a later entry. */
  readonly committed: number;
}

/** The entries after `index`. Throws an `EtcdFileError` if the log is damaged or incomplete. */
export function entriesAfter(files: readonly WalFile[], index: number): WalEntries {
  const inOrder = files.toSorted((a, b) => a.sequence - b.sequence);
  const at = inOrder.findLastIndex(({ firstIndex }) => firstIndex <= index + 1);
  if (at < 0) throw new EtcdFileError(`the write-ahead log has no file with the entries after ${index}: it is incomplete`);
  const entries = new Entries(index);
  let committed = 0;
  for (const [nth, file] of inOrder.slice(at).entries()) {
    if (nth > 0 && file.sequence !== inOrder[at + nth - 1]!.sequence + 1) {
      throw new EtcdFileError(`the write-ahead log has no file before "${file.name}": it is incomplete`);
    }
    const bytes = file.open();
    try {
      readRecords(bytes, (type, data) => {
        if (type === recordTypes.entry) entries.add(data);
        if (type === recordTypes.state) committed = Math.max(committed, committedOf(data));
      });
    } catch (error) {
      if (error instanceof EtcdFileError) throw new EtcdFileError(`the write-ahead log "${file.name}" cannot be read: ${error.message}`);
      throw error;
    } finally {
      bytes.close();
    }
  }
  return { entries: entries.all, committed };
}

/** Calls `record` for each record of a file. The end is a length of zero, or a last record that is not complete. */
export function readRecords(file: RandomAccess, record: (type: number, data: Uint8Array) => void): void {
  let sum = 0, isFirst = true;
  for (let at = 0; at + headBytes <= file.size;) {
    const head = file.read(at, headBytes), view = new DataView(head.buffer, head.byteOffset, headBytes);
    const upper = view.getUint32(4, true), length = view.getUint32(0, true) + (upper & 0xffffff) * 2 ** 32;
    const padding = (upper & 0x80000000) === 0 ? 0 : (upper >>> 24) & 7;
    if (length === 0) return;
    at += headBytes;
    if (at + length + padding > file.size) return;
    if (length > limits.walRecordBytesMax) throw new EtcdFileError(`a record has ${length} bytes, more than ${limits.walRecordBytesMax}`);
    const { type, crc, data } = readRecord(file.read(at, length));
    if (type === recordTypes.checksum) {
      if (!isFirst && crc !== sum) throw new EtcdFileError("a checksum is wrong");
      sum = crc;
    } else {
      sum = crc32c(sum, data);
      if (crc !== sum) throw new EtcdFileError("a checksum is wrong");
      record(type, data);
    }
    isFirst = false;
    at += length + padding;
  }
}

function readRecord(bytes: Uint8Array): { readonly type: number; readonly crc: number; readonly data: Uint8Array } {
  const none: Uint8Array = new Uint8Array();
  const found = { type: 0, crc: 0, data: none };
  readMessage(bytes, "Record", (from, number, type) => {
    if (number === 1) found.type = numberOf(from, type);
    else if (number === 2) found.crc = numberOf(from, type);
    else if (number === 3 && type === 2) found.data = readBytes(from);
    else return false;
    return true;
  });
  return found;
}

/** The commit index of a message HardState. */
function committedOf(bytes: Uint8Array): number {
  let committed = 0;
  readMessage(bytes, "HardState", (from, number, type) => {
    if (number !== 3) return false;
    committed = numberOf(from, type);
    return true;
  });
  return committed;
}

/** Entries after an index. An entry replaces those from its own index on, as raft does. */
class Entries {
  readonly #after: number;
  readonly all: WalEntry[] = [];
  #bytes = 0;

  constructor(after: number) {
    this.#after = after;
  }

  add(bytes: Uint8Array): void {
    const none: Uint8Array = new Uint8Array();
    const entry = { type: 0, index: 0, data: none };
    readMessage(bytes, "Entry", (from, number, type) => {
      if (number === 1) entry.type = numberOf(from, type);
      else if (number === 3) entry.index = numberOf(from, type);
      else if (number === 4 && type === 2) entry.data = readBytes(from);
      else return false;
      return true;
    });
    const { type, index, data } = entry, at = index - this.#after - 1;
    if (at < 0) {
      // It replaces entries that are in the database: those after it are void.
      this.all.length = 0;
      return;
    }
    if (at > this.all.length) throw new EtcdFileError(`there is no entry before ${index}`);
    if (at >= limits.walEntriesMax) throw new EtcdFileError(`it has more than ${limits.walEntriesMax} entries after the database`);
    this.#bytes += bytes.length;
    if (this.#bytes > limits.walEntriesBytesMax) {
      throw new EtcdFileError(`it has more than ${limits.walEntriesBytesMax} bytes of entries after the database`);
    }
    this.all.length = at;
    this.all.push({ index, isMembership: type !== 0, data });
  }
}
