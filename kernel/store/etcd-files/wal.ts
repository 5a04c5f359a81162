/**
 * The write-ahead log of etcd: which changes are in it and not in the database. Files have records one after another:
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

const recordTypes = Object.freeze({ entry: 2, checksum: 4 });
const headBytes = 8;

/** The number of entries after `index` that may change keys. Throws an `EtcdFileError` if the log is damaged or incomplete. */
export function changesAfter(files: readonly WalFile[], index: number): number {
  const inOrder = files.toSorted((a, b) => a.sequence - b.sequence);
  const at = inOrder.findLastIndex(({ firstIndex }) => firstIndex <= index + 1);
  if (at < 0) throw new EtcdFileError(`the write-ahead log has no file with the entries after ${index}: it is incomplete`);
  const entries = new Entries(index);
  for (const [nth, file] of inOrder.slice(at).entries()) {
    if (nth > 0 && file.sequence !== inOrder[at + nth - 1]!.sequence + 1) {
      throw new EtcdFileError(`the write-ahead log has no file before "${file.name}": it is incomplete`);
    }
    const bytes = file.open();
    try {
      readRecords(bytes, (type, data) => {
        if (type === recordTypes.entry) entries.add(data);
      });
    } catch (error) {
      if (error instanceof EtcdFileError) throw new EtcdFileError(`the write-ahead log "${file.name}" cannot be read: ${error.message}`);
      throw error;
    } finally {
      bytes.close();
    }
  }
  return entries.changes();
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

/** Entries after an index. An entry replaces those from its own index on, as raft does. */
class Entries {
  readonly #after: number;
  /** Whether each entry may change keys. */
  readonly #changing: boolean[] = [];

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
    const at = entry.index - this.#after - 1;
    if (at < 0) {
      // It replaces entries that are in the database: those after it are void.
      this.#changing.length = 0;
      return;
    }
    if (at > this.#changing.length) throw new EtcdFileError(`there is no entry before ${entry.index}`);
    if (at >= limits.walEntriesMax) throw new EtcdFileError(`it has more than ${limits.walEntriesMax} entries after the database`);
    this.#changing.length = at;
    this.#changing.push(entry.type === 0 && changesKeys(entry.data));
  }

  changes(): number {
    return this.#changing.filter((each) => each).length;
  }
}

/** Fields of InternalRaftRequest: put, delete_range, txn and lease_revoke. */
const changing: readonly number[] = Object.freeze([4, 5, 6, 9]);
/** Methods of the API before version 3, which has keys of its own. Their request has the method where the other has a message. */
const oldMethods: readonly string[] = Object.freeze(["GET", "PUT", "POST", "DELETE", "QGET", "SYNC"]);

/** Whether a request may change keys. A request that cannot be read may. */
function changesKeys(bytes: Uint8Array): boolean {
  let changes = false, isOld = false;
  try {
    readMessage(bytes, "InternalRaftRequest", (from, number, type) => {
      if (changing.includes(number)) changes = true;
      if (number !== 2 || type !== 2) return false;
      isOld = oldMethods.includes(new TextDecoder().decode(readBytes(from)));
      return true;
    });
  } catch (error) {
    if (error instanceof EtcdFileError) return !isOld;
    throw error;
  }
  return changes && !isOld;
}
