/** Records of etcd's database: their revision is the key in the file, their value is a message KeyValue. */
import type { Reader } from "protobufjs/minimal.js";
import { newReader } from "../../../core/codec/protobufjs.ts";
import { ProtobufError, readable, readBytes, readFields, readVarint } from "../../../core/codec/protobuf-wire.ts";
import { EtcdFileError } from "./random-access.ts";

/** A revision, and the number of the change in its transaction. */
export interface RecordKey {
  readonly revision: number;
  readonly isDeletion: boolean;
}

/** `_` between two big-endian numbers of eight bytes; a `t` after them marks a deletion. */
const separatorAt = 8, plainBytes = 17, deletion = 0x74, separator = 0x5f;

export function readRecordKey(bytes: Uint8Array): RecordKey {
  const isDeletion = bytes.length === plainBytes + 1 && bytes[plainBytes] === deletion;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const revision = bytes.length < plainBytes ? 0 : Number(view.getBigInt64(0));
  const isKnown = (isDeletion || bytes.length === plainBytes) && bytes[separatorAt] === separator;
  if (!isKnown || revision <= 0 || !Number.isSafeInteger(revision)) {
    throw new EtcdFileError("a key of its database is no revision: it is damaged");
  }
  return { revision, isDeletion };
}

export interface RecordValue {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly created: number | bigint;
  readonly version: number | bigint;
  /** 0 if there is none. */
  readonly lease: number | bigint;
}

const keyField = 1, createdField = 2, versionField = 4, valueField = 5, leaseField = 6, varint = 0, delimited = 2;

/** The fields of a message KeyValue but its revision; key and value are views. Throws an `EtcdFileError`. */
export function readRecordValue(bytes: Uint8Array): RecordValue {
  const none: Uint8Array = new Uint8Array();
  const found: { -readonly [Field in keyof RecordValue]: RecordValue[Field] } = {
    key: none,
    value: none,
    created: 0,
    version: 0,
    lease: 0,
  };
  readMessage(bytes, "KeyValue", (from, number, type) => {
    if (type === delimited && number === keyField) found.key = readBytes(from);
    else if (type === delimited && number === valueField) found.value = readBytes(from);
    else if (type === varint && number === createdField) found.created = readVarint(from);
    else if (type === varint && number === versionField) found.version = readVarint(from);
    else if (type === varint && number === leaseField) found.lease = readVarint(from);
    else return false;
    return true;
  });
  if (found.key.length === 0) throw new EtcdFileError("a record of its database has no key: it is damaged");
  return found;
}

/** Reads the fields of a message of etcd; `field` returns false for those that are skipped. Throws an `EtcdFileError`. */
export function readMessage(bytes: Uint8Array, name: string, field: (from: Reader, number: number, type: number) => boolean): void {
  const from = newReader(bytes);
  try {
    readFields(from, from.len, name, (number, type) => field(from, number, type));
  } catch (error) {
    const reason = readable(error);
    if (reason instanceof ProtobufError) throw new EtcdFileError(`a message ${name} is damaged: ${reason.message}`);
    throw error;
  }
}

/** A field of one integer. */
export function numberOf(from: Reader, type: number): number {
  if (type !== varint) throw new ProtobufError(`wrong wireType = ${type}`);
  return Number(readVarint(from));
}
