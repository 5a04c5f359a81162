/**
 * The newest state of etcd's database. The bucket `key` has one record for each change, in the order of revisions; the last record of a
 * key is its value, unless it is a deletion. Only the places of values are kept: values are read again with the page that needs them.
 * Requests of the write-ahead log that are not in the database are applied to these places.
 */
import { limits } from "../../../core/limits.ts";
import type { Progress } from "../../../core/progress.ts";
import { compareKeys, decodeKey, encodeKey } from "../bytes.ts";
import type { Entry, Listing, Page, Range, Revision } from "../store.ts";
import { type BoltFile, openBolt } from "./bolt.ts";
import { readRecordKey, readRecordValue } from "./key-value.ts";
import { type Integer, readRaftRequest } from "./raft-request.ts";
import { type Keys, type KeyState, Replay } from "./replay.ts";
import { EtcdFileError, type RandomAccess } from "./random-access.ts";

interface Place {
  readonly revision: Revision;
  /** Of the record in the file; `written` has one that is not in it. */
  readonly at: number;
  readonly length: number;
  readonly written?: KeyState;
}

/** What the database says of its server, without a walk over its keys. */
export interface ServerFacts {
  /** The raft entry up to which changes are in the database. */
  readonly consistentIndex: number;
  /** Members of its cluster. */
  readonly members: number;
  /** Why its server may reject requests of its log; undefined if it does not. */
  readonly rejects: string | undefined;
}

export function serverFacts(file: RandomAccess): ServerFacts {
  const bolt = openBolt(file), [alarm] = bolt.bucket("alarm") ?? [];
  const isProtected = [...bolt.bucket("auth") ?? []].some(({ key, value }) => decodeKey(key) === "authEnabled" && value[0] === 1);
  return {
    consistentIndex: consistentIndexOf(bolt),
    members: [...bolt.bucket("members") ?? []].length,
    rejects: alarm !== undefined ? "it has an alarm" : isProtected ? "authentication is on" : undefined,
  };
}

export interface EtcdDatabase {
  readonly revision: Revision;
  /** The raft entry up to which changes are in the database. */
  readonly consistentIndex: number;
  /** Throws an `EtcdFileError` if the file was written after it was opened. */
  list(range: Range, page?: Page): Listing;
}

/**
 * Reads the places of all keys below the prefix. `log`: requests to apply, which concern all keys. Throws an `EtcdFileError` for a damaged file and for requests
 * that cannot be applied.
 */
export function openDatabase(file: RandomAccess, prefix: string, progress?: Progress, log: readonly Uint8Array[] = []): EtcdDatabase {
  const bolt = openBolt(file), transaction = bolt.transaction();
  const records = bolt.bucket("key");
  if (records === undefined) throw new EtcdFileError("it has no keys of etcd: it is another program's database");
  const start = encodeKey(log.length === 0 ? prefix : "");
  const places = new Map<string, Place>(), leases = log.length === 0 ? undefined : leasesOf(bolt);
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
    if (leases !== undefined) attach(leases, name, isDeletion ? 0 : record.lease);
    if (places.size > limits.etcdFileKeysMax) throw new EtcdFileError(`it has more than ${limits.etcdFileKeysMax} keys`);
  }
  if (leases !== undefined) {
    const replay = new Replay(keysIn(file, places), leases.keys, Math.max(newest, compactedOf(bolt)));
    for (const request of log) replay.apply(readRaftRequest(request));
    newest = replay.revision;
  }
  const keys = sorted([...places.keys()]);
  return {
    revision: newest,
    consistentIndex: consistentIndexOf(bolt),
    list(range, { limit = Infinity, counted = true } = {}) {
      if (bolt.transaction() !== transaction) {
        throw new EtcdFileError(writtenMeanwhile);
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
        const { revision, at, length, written } = places.get(key)!;
        entries.push({ key, value: written?.value ?? readRecordValue(file.read(at, length)).value, revision });
      }
      return { entries, revision: newest, count };
    },
  };
}

/** The leases of a database, and the keys of each. */
interface Leases {
  readonly keys: Map<Integer, Set<string>>;
  readonly ofKey: Map<string, Integer>;
}

function leasesOf(bolt: BoltFile): Leases {
  const keys = new Map<Integer, Set<string>>();
  for (const { key } of bolt.bucket("lease") ?? []) {
    if (key.length !== leaseIdBytes) throw new EtcdFileError("a lease of its database is damaged");
    const id = new DataView(key.buffer, key.byteOffset, key.byteLength).getBigInt64(0);
    keys.set(Number.isSafeInteger(Number(id)) ? Number(id) : id, new Set());
  }
  return { keys, ofKey: new Map() };
}
const leaseIdBytes = 8;

function attach({ keys, ofKey }: Leases, name: string, lease: Integer): void {
  const before = ofKey.get(name);
  if (before !== undefined) keys.get(before)?.delete(name);
  ofKey.delete(name);
  if (lease === 0) return;
  ofKey.set(name, lease);
  keys.get(lease)?.add(name);
}

/** The places as the keys of a replay. */
function keysIn(file: RandomAccess, places: Map<string, Place>): Keys {
  return {
    get(key) {
      const place = places.get(key);
      if (place === undefined || place.written !== undefined) return place?.written;
      const { created, version, lease, value } = readRecordValue(file.read(place.at, place.length));
      return { created, version, lease, value, revision: place.revision };
    },
    has: (key) => places.has(key),
    all: () => places.keys(),
    set: (key, written) => void places.set(key, { revision: written.revision, at: 0, length: 0, written }),
    delete: (key) => void places.delete(key),
  };
}

/** The revision up to which old records were removed; the newest may be among them, if it was a deletion. */
function compactedOf(bolt: BoltFile): Revision {
  let newest = 0;
  for (const { key, value } of bolt.bucket("meta") ?? []) {
    const name = decodeKey(key);
    if (name === "scheduledCompactRev" || name === "finishedCompactRev") newest = Math.max(newest, readRecordKey(value).revision);
  }
  return newest;
}

export const writtenMeanwhile = "it was written while it was read: stop its etcd first, or read the running etcd";

/** Records between two reports of progress. */
const progressEvery = 1_000;

/** The index of the first key that is not before this one. */
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
function sorted(keys: string[]): readonly string[] {
  return keys.some((key) => /[\ud800-\udfff]/.test(key)) ? keys.sort(compareKeys) : keys.sort();
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && start.every((byte, index) => bytes[index] === byte);
}

function consistentIndexOf(bolt: BoltFile): number {
  const wanted = "consistent_index";
  for (const { key, value } of bolt.bucket("meta") ?? []) {
    if (key.length !== wanted.length || decodeKey(key) !== wanted || value.length !== 8) continue;
    return Number(new DataView(value.buffer, value.byteOffset, 8).getBigUint64(0));
  }
  return 0;
}
