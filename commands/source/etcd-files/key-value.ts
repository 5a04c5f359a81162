/** Records of etcd's database: their revision is the key in the file, their value is a message KeyValue. */
import { newReader } from "../../../core/codec/protobufjs.ts";
import { decodingError, ProtobufError, readBytes, readFields } from "../../../core/codec/protobuf-wire.ts";
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
}

const keyField = 1, valueField = 5, delimited = 2;

/** Returns the key and the value of a message KeyValue, as views. Throws an `EtcdFileError`. */
export function readRecordValue(bytes: Uint8Array): RecordValue {
  const none: Uint8Array = new Uint8Array();
  const found = { key: none, value: none };
  const from = newReader(bytes);
  try {
    readFields(from, from.len, "KeyValue", (number, type) => {
      if (type !== delimited || number !== keyField && number !== valueField) return false;
      found[number === keyField ? "key" : "value"] = readBytes(from);
      return true;
    });
  } catch (error) {
    const reason = decodingError(error);
    if (reason instanceof ProtobufError) throw new EtcdFileError(`a message KeyValue is damaged: ${reason.message}`);
    throw error;
  }
  if (found.key.length === 0) throw new EtcdFileError("a record of its database has no key: it is damaged");
  return found;
}
