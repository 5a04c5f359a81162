import { Buffer } from "node:buffer";
import type { Reader, Writer } from "protobufjs/minimal.js";
import { protobufjs } from "../../core/codec/protobufjs.ts";
import type { Method } from "../grpc/grpc.ts";

/** A revision of the store of etcd. */
export type Revision = number;

/**
 * The messages of etcd's v3 API that the store uses, encoded and decoded without intermediate objects. Field numbers are those of
 * etcd's rpc.proto and kv.proto; other fields are skipped.
 */
export interface KeyValue {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly created: Revision;
  readonly revision: Revision;
  /** How often the key has been written since it was created. */
  readonly version: number;
}

export interface RangeRequest {
  readonly from: Uint8Array;
  /** Exclusive; undefined for the single key `from`. */
  readonly to?: Uint8Array | undefined;
  readonly limit?: number | undefined;
  readonly at?: Revision | undefined;
  /** Without values. */
  readonly keysOnly?: boolean | undefined;
}

export interface RangeReply {
  readonly entries: readonly KeyValue[];
  readonly count: number;
  /** The store's newest revision, also for a read at an older one. */
  readonly revision: Revision;
}

/** Write or delete one key if its revision is `expect` (0 for absent), read it otherwise. */
export interface TxnRequest {
  readonly key: Uint8Array;
  readonly expect: Revision;
  readonly value: Uint8Array | undefined;
  readonly lease: string | undefined;
}

export interface TxnReply {
  readonly succeeded: boolean;
  readonly revision: Revision;
  readonly current: KeyValue | undefined;
}

/** Write one key if it has been written `version` times, read it otherwise. */
export interface ClaimRequest {
  readonly key: Uint8Array;
  readonly version: number;
  readonly value: Uint8Array;
}

export interface ClaimReply {
  readonly succeeded: boolean;
  readonly revision: Revision;
  /** Of a claim that did not succeed. */
  readonly version: number;
}

export interface WatchEvent {
  readonly deleted: boolean;
  readonly now: KeyValue;
  readonly before: KeyValue | undefined;
}

export type WatchRequest =
  | { readonly from: Uint8Array; readonly to: Uint8Array; readonly start: Revision; readonly previous: boolean }
  | "progress";

export interface WatchReply {
  readonly revision: Revision;
  readonly created: boolean;
  readonly canceled: boolean;
  /** With `canceled`: the compaction revision if the start was compacted, else 0. */
  readonly compacted: Revision;
  readonly reason: string;
  /** Whether more events of the same revisions follow in the next reply. */
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
}

/** The end of a range that includes all later keys. */
export const noEnd: Uint8Array = new Uint8Array(1);

type Fields = { readonly [field: number]: (reader: Reader) => void };

const varint = 0;
const delimited = 2;

export const range: Method<RangeRequest, RangeReply> = {
  path: "/etcdserverpb.KV/Range",
  encode: (request) => finish(writeRange(protobufjs().Writer.create(), request)),
  decode: (bytes) => readRange(readerOf(bytes)),
};

/** The same in pieces, in the order of the keys (etcd 3.7 and later). Only the last piece has a count and a revision. */
export const rangeStream: Method<RangeRequest, RangeReply> = {
  path: "/etcdserverpb.KV/RangeStream",
  encode: range.encode,
  decode(bytes) {
    let reply: RangeReply = { entries: [], count: 0, revision: 0 };
    readFields(readerOf(bytes), { 1: (reader) => reply = readRange(nested(reader)) });
    return reply;
  },
};

export const txn: Method<TxnRequest, TxnReply> = {
  path: "/etcdserverpb.KV/Txn",
  encode({ key, expect, value, lease }) {
    if (value !== undefined && lease === undefined) return compareAndPut(key, expect, value);
    const writer = protobufjs().Writer.create();
    compare(writer, key, { target: 2, field: 6 }, expect);
    message(
      writer,
      2,
      () =>
        value === undefined ? message(writer, 3, () => writeKey(writer, key)) : message(writer, 2, () => put(writer, key, value, lease)),
    );
    message(writer, 3, () => message(writer, 1, () => writeKey(writer, key)));
    return finish(writer);
  },
  decode: readTxn,
};

/** The transaction by which API servers agree on who compacts. */
export const claim: Method<ClaimRequest, ClaimReply> = {
  path: "/etcdserverpb.KV/Txn",
  encode({ key, version, value }) {
    const writer = protobufjs().Writer.create();
    compare(writer, key, { target: 0, field: 4 }, version);
    message(writer, 2, () => message(writer, 2, () => put(writer, key, value, undefined)));
    message(writer, 3, () => message(writer, 1, () => writeKey(writer, key)));
    return finish(writer);
  },
  decode(bytes) {
    const { succeeded, revision, current } = readTxn(bytes);
    return { succeeded, revision, version: current?.version ?? 0 };
  },
};

/** `target`: what of the key is compared; `field`: the field of its value. The result, EQUAL, is zero. */
function compare(writer: Writer, key: Uint8Array, { target, field }: { target: number; field: number }, value: number): void {
  message(writer, 1, () => {
    if (target !== 0) tag(writer, 2, varint).uint32(target);
    tag(writer, 3, delimited).bytes(key);
    tag(writer, field, varint).int64(value);
  });
}

function readTxn(bytes: Buffer): TxnReply {
  let succeeded = false;
  let revision = 0;
  let current: KeyValue | undefined;
  const reader = readerOf(bytes);
  while (reader.pos < reader.len) {
    const head = reader.uint32();
    if (head === 10) revision = readHeader(reader);
    else if (head === 16) succeeded = reader.bool();
    // One operation, one result: a range (field 1) if the comparison failed.
    else if (head === 26) within(reader, { 1: (inner) => current = readRange(nested(inner)).entries[0] });
    else reader.skipType(head & 7);
  }
  return { succeeded, revision, current };
}

/** Returns the most frequent request, without a writer: if the key has the revision `expect`, put the value, else get the key. */
function compareAndPut(key: Uint8Array, expect: number, value: Uint8Array): Uint8Array {
  const keyBytes = fieldBytes(key.length), putBytes = keyBytes + fieldBytes(value.length);
  const compareBytes = 2 + keyBytes + 1 + varintBytes(expect);
  const bytes = Buffer.allocUnsafe(
    fieldBytes(compareBytes) + fieldBytes(fieldBytes(putBytes)) + fieldBytes(fieldBytes(keyBytes)),
  );
  let at = 0;
  const number = (value: number): void => {
    let left = value;
    for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes[at++] = left % 0x80 | 0x80;
    bytes[at++] = left;
  };
  /** The head of a length-delimited field. */
  const begin = (field: number, length: number): void => {
    bytes[at++] = field << 3 | delimited;
    number(length);
  };
  const member = (field: number, content: Uint8Array): void => {
    begin(field, content.length);
    bytes.set(content, at);
    at += content.length;
  };
  begin(1, compareBytes);
  bytes[at++] = 2 << 3 | varint;
  bytes[at++] = 2; // target: modification revision; the result, EQUAL, is zero
  member(3, key);
  bytes[at++] = 6 << 3 | varint;
  number(expect);
  begin(2, fieldBytes(putBytes));
  begin(2, putBytes);
  member(1, key);
  member(2, value);
  begin(3, fieldBytes(keyBytes));
  begin(1, keyBytes);
  member(1, key);
  return bytes;
}
/** Returns the bytes of a length-delimited field below 16 with its head. */
function fieldBytes(length: number): number {
  return 1 + varintBytes(length) + length;
}
function varintBytes(value: number): number {
  let bytes = 1;
  for (let left = value; left > 0x7f; left = Math.floor(left / 0x80)) bytes++;
  return bytes;
}

export const putKey: Method<{ key: Uint8Array; value: Uint8Array }, undefined> = {
  path: "/etcdserverpb.KV/Put",
  encode({ key, value }) {
    const writer = protobufjs().Writer.create();
    put(writer, key, value, undefined);
    return finish(writer);
  },
  decode: () => undefined,
};

export const compaction: Method<Revision, undefined> = {
  path: "/etcdserverpb.KV/Compact",
  encode: (revision) => finish(tag(protobufjs().Writer.create(), 1, varint).int64(revision)),
  decode: () => undefined,
};

/** Grants a lease of `seconds` (the server may extend it) and returns its identifier. */
export const leaseGrant: Method<number, string> = {
  path: "/etcdserverpb.Lease/LeaseGrant",
  encode: (seconds) => finish(tag(protobufjs().Writer.create(), 1, varint).int64(seconds)),
  decode(bytes) {
    let id = "";
    readFields(readerOf(bytes), { 2: (reader) => id = reader.int64().toString() }); // uses all 63 bits, so it stays text
    return id;
  },
};

/** The version of the member ("3.5.21") and the bytes of its database. */
export const status: Method<undefined, { readonly version: string; readonly bytes: number }> = {
  path: "/etcdserverpb.Maintenance/Status",
  encode: () => empty,
  decode(bytes) {
    const found = { version: "", bytes: 0 };
    readFields(readerOf(bytes), {
      2: (reader) => found.version = reader.string(),
      3: (reader) => found.bytes = Number(reader.int64().toString()),
    });
    return found;
  },
};

export const watch: Method<WatchRequest, WatchReply> = {
  path: "/etcdserverpb.Watch/Watch",
  encode(request) {
    const writer = protobufjs().Writer.create();
    if (request === "progress") message(writer, 3, () => {});
    else {
      message(writer, 1, () => {
        writeKey(writer, request.from);
        tag(writer, 2, delimited).bytes(request.to);
        tag(writer, 3, varint).int64(request.start);
        tag(writer, 4, varint).bool(true); // periodic progress notifications
        if (request.previous) tag(writer, 6, varint).bool(true);
        tag(writer, 8, varint).bool(true); // fragments
      });
    }
    return finish(writer);
  },
  decode(bytes) {
    const reply = { revision: 0, created: false, canceled: false, compacted: 0, reason: "", fragment: false };
    const events: WatchEvent[] = [];
    readFields(readerOf(bytes), {
      1: (reader) => reply.revision = readHeader(reader),
      3: (reader) => reply.created = reader.bool(),
      4: (reader) => reply.canceled = reader.bool(),
      5: (reader) => reply.compacted = int64(reader),
      6: (reader) => reply.reason = reader.string(),
      7: (reader) => reply.fragment = reader.bool(),
      11: (reader) => events.push(readEvent(reader)),
    });
    return { ...reply, events };
  },
};

function writeRange(writer: Writer, { from, to, limit, at, keysOnly = false }: RangeRequest): Writer {
  writeKey(writer, from);
  if (to !== undefined) tag(writer, 2, delimited).bytes(to);
  if (limit !== undefined) tag(writer, 3, varint).int64(limit);
  if (at !== undefined) tag(writer, 4, varint).int64(at);
  if (keysOnly) tag(writer, 8, varint).bool(true);
  return writer;
}

function writeKey(writer: Writer, key: Uint8Array): void {
  tag(writer, 1, delimited).bytes(key);
}

function put(writer: Writer, key: Uint8Array, value: Uint8Array, lease: string | undefined): void {
  writeKey(writer, key);
  tag(writer, 2, delimited).bytes(value);
  if (lease !== undefined) tag(writer, 3, varint).int64(lease);
}

function readRange(reader: Reader): RangeReply {
  const entries: KeyValue[] = [];
  let count = 0;
  let revision = 0;
  readFields(reader, {
    1: (inner) => revision = readHeader(inner),
    2: (inner) => entries.push(readKeyValue(inner)),
    4: (inner) => count = int64(inner),
  });
  return { entries, count, revision };
}

function readEvent(reader: Reader): WatchEvent {
  // As in `readKeyValue`.
  let deleted = false;
  let now: KeyValue | undefined;
  let before: KeyValue | undefined;
  for (const end = reader.uint32() + reader.pos; reader.pos < end;) {
    const head = reader.uint32();
    if (head === 8) deleted = reader.uint32() === 1;
    else if (head === 18) now = readKeyValue(reader);
    else if (head === 26) before = readKeyValue(reader);
    else reader.skipType(head & 7);
  }
  if (now === undefined) throw new Error("etcd sent an event without a key");
  return { deleted, now, before };
}

function readKeyValue(reader: Reader): KeyValue {
  // The most frequent message: no table, no closures.
  let key: Uint8Array = empty;
  let value: Uint8Array = empty;
  let created = 0;
  let revision = 0;
  let version = 0;
  for (const end = reader.uint32() + reader.pos; reader.pos < end;) {
    const head = reader.uint32();
    if (head === 10) key = reader.bytes();
    else if (head === 16) created = int64(reader);
    else if (head === 24) revision = int64(reader);
    else if (head === 32) version = int64(reader);
    else if (head === 42) value = reader.bytes();
    else reader.skipType(head & 7);
  }
  return { key, value, created, revision, version };
}

const empty = new Uint8Array(0);

function readHeader(reader: Reader): Revision {
  let revision = 0;
  for (const end = reader.uint32() + reader.pos; reader.pos < end;) {
    const head = reader.uint32();
    if (head === 24) revision = int64(reader);
    else reader.skipType(head & 7);
  }
  return revision;
}

/** Revisions stay safe integers: at a million writes a second they would pass 2^53 in three hundred years. */
function int64(reader: Reader): number {
  const value = reader.int64();
  if (typeof value === "number") return value;
  // The product would make V8 keep small numbers as objects too: 16 bytes for each entry of the cache.
  return value.high === 0 && value.low >= 0 ? value.low : value.high * 2 ** 32 + (value.low >>> 0);
}

function readerOf(bytes: Buffer): Reader {
  return protobufjs().Reader.create(bytes);
}

/** Reads the fields of a length-delimited message. */
function within(reader: Reader, fields: Fields): void {
  const length = reader.uint32();
  readFields(reader, fields, reader.pos + length);
}

/** Returns a separate reader over a length-delimited message. */
function nested(reader: Reader): Reader {
  return protobufjs().Reader.create(reader.bytes());
}

function readFields(reader: Reader, fields: Fields, end: number = reader.len): void {
  while (reader.pos < end) {
    const head = reader.uint32();
    const read = fields[head >>> 3];
    if (read === undefined) reader.skipType(head & 7);
    else read(reader);
  }
}

function tag(writer: Writer, field: number, wireType: number): Writer {
  return writer.uint32(field << 3 | wireType);
}

function message(writer: Writer, field: number, write: () => void): void {
  tag(writer, field, delimited).fork();
  write();
  writer.ldelim();
}

function finish(writer: Writer): Uint8Array {
  return writer.finish();
}
