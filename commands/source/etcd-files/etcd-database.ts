/**
 * The newest state of etcd's database. The bucket `key` has one record for each change, in the order of revisions; the last record of a
 * key is its value, unless it is a deletion. Only the places of values are kept: values are read again with the page that needs them.
 */
import type { Progress } from "../../../core/progress.ts";
import { compareKeys, decodeKey, encodeKey } from "../../../kernel/store/bytes.ts";
import type { Entry, Listing, Page, Range, Revision } from "../../../kernel/store/store.ts";
import { openBolt } from "./bolt.ts";
import { readRecordKey, readRecordValue } from "./key-value.ts";
import { EtcdFileError, type RandomAccess } from "./random-access.ts";
import { bound } from "../../../core/bound.ts";

/** Keys of a snapshot whose places are kept in memory, about 200 bytes for each. */
const etcdFileKeysMax = bound(10_000_000);

/** Where a value is in the file. */
interface Place {
  readonly revision: Revision;
  readonly at: number;
  readonly length: number;
}

export interface EtcdDatabase {
  readonly revision: Revision;
  /** Throws an `EtcdFileError` if the file was written after it was opened. */
  list(range: Range, page?: Page): Listing;
}

/** Reads the places of all keys below the prefix. Throws an `EtcdFileError` for a damaged file. */
export function openDatabase(file: RandomAccess, prefix: string, progress?: Progress): EtcdDatabase {
  const bolt = openBolt(file), transaction = bolt.transaction();
  const records = bolt.bucket("key");
  if (records === undefined) throw new EtcdFileError("it has no keys of etcd: it is another program's database");
  const start = encodeKey(prefix);
  const places = new Map<string, Place>();
  let newest = 1, done = 0;
  for (const { key, value, at } of records) {
    const { revision, isDeletion } = readRecordKey(key);
    newest = revision;
    const record = readRecordValue(value);
    if (++done % progressEvery === 0) progress?.done(progressEvery);
    if (!startsWith(record.key, start)) continue;
    const name = decodeKey(record.key);
    if (isDeletion) places.delete(name);
    else places.set(name, { revision, at, length: value.length });
    if (places.size > etcdFileKeysMax) throw new EtcdFileError(`it has more than ${etcdFileKeysMax} keys`);
  }
  const keys = sortKeys([...places.keys()]);
  return {
    revision: newest,
    list(range, { limit = Infinity, counted = true } = {}) {
      if (bolt.transaction() !== transaction) {
        throw new EtcdFileError("it was written while it was read: stop its etcd first, or read the running etcd");
      }
      const entries: Entry[] = [];
      const first = indexFrom(keys, range.after !== undefined && compareKeys(range.after, range.prefix) >= 0 ? range.after : range.prefix);
      let count = 0;
      for (let index = keys[first] === range.after ? first + 1 : first; index < keys.length; index++) {
        const key = keys[index]!;
        if (!key.startsWith(range.prefix)) break;
        count++;
        if (entries.length === limit) {
          if (counted) continue;
          break; // One more shows that there are more.
        }
        const { revision, at, length } = places.get(key)!;
        entries.push({ key, value: readRecordValue(file.read(at, length)).value, revision });
      }
      return { entries, revision: newest, count };
    },
  };
}

/** Records between two reports of progress. */
const progressEvery = 1_000;

/** Returns the index of the first key that is not before this one. */
function indexFrom(keys: readonly string[], key: string): number {
  let low = 0, high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(keys[middle]!, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorts keys by their bytes, which is the order of UTF-16 for keys without surrogates. */
function sortKeys(keys: string[]): readonly string[] {
  return keys.some((key) => /[\ud800-\udfff]/.test(key)) ? keys.sort(compareKeys) : keys.sort();
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && start.every((byte, index) => bytes[index] === byte);
}
