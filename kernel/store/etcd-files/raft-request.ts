/** Requests in entries of etcd's write-ahead log (`InternalRaftRequest`), as far as they change keys. */
import type { Reader } from "protobufjs/minimal.js";
import { readBytes, readVarint } from "../../../core/codec/protobuf-wire.ts";
import { limits } from "../../../core/limits.ts";
import { decodeKey, encodeKey } from "../bytes.ts";
import { sameBytes } from "../same-bytes.ts";
import { readMessage } from "./key-value.ts";
import { EtcdFileError } from "./random-access.ts";

/** An integer of 64 bits; a bigint only if it is not safe, so that equal ones are equal. */
export type Integer = number | bigint;

export interface Put {
  readonly tag: "put";
  readonly key: string;
  readonly value: Uint8Array;
  readonly lease: Integer;
  readonly keepsValue: boolean;
  readonly keepsLease: boolean;
}
export interface Deletion {
  readonly tag: "delete";
  readonly range: KeyRange;
}
export interface Txn {
  readonly tag: "txn";
  readonly compares: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}
export type Operation = Put | Deletion | Txn;

/** A key; with `to` all keys from it on that are before `to`. Every key is before "". */
export interface KeyRange {
  readonly key: string;
  readonly to: string | undefined;
}
export interface Compare {
  readonly range: KeyRange;
  readonly target: "version" | "created" | "revision" | "value" | "lease";
  readonly result: "equal" | "greater" | "less" | "different";
  readonly number: Integer;
  readonly value: Uint8Array;
}

export type RaftRequest =
  | Operation
  | { readonly tag: "grant"; readonly lease: Integer }
  | { readonly tag: "revoke"; readonly lease: Integer }
  /** An alarm, authentication, or a request of a newer etcd: it may decide that later requests are rejected. */
  | { readonly tag: "other"; readonly field: number }
  | { readonly tag: "nothing" };

const targets = Object.freeze(["version", "created", "revision", "value", "lease"] as const);
const results = Object.freeze(["equal", "greater", "less", "different"] as const);
const none: Uint8Array = new Uint8Array();

/** Fields of requests that change neither keys nor what later requests may do. The identity, ranges, compactions, checkpoints of leases, users and roles, the cluster's version and members. */
const harmless: ReadonlySet<number> = new Set([
  1,
  2,
  3,
  7,
  11,
  100,
  1011,
  1012,
  1013,
  ...span(1100, 1108),
  ...span(1200, 1208),
  1300,
  1301,
  1302,
  9900,
]);
function span(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** Methods of the API before version 3, which has keys of its own. Their request has the method where the other has a message. */
const oldMethods: readonly string[] = Object.freeze(["GET", "PUT", "POST", "DELETE", "QGET", "SYNC"]);

/** Throws an `EtcdFileError` for a request that is damaged. */
export function readRaftRequest(bytes: Uint8Array): RaftRequest {
  if (isOld(bytes)) return { tag: "nothing" };
  let request: RaftRequest = { tag: "nothing" };
  readMessage(bytes, "InternalRaftRequest", (from, number, type) => {
    if (harmless.has(number)) return false;
    const inner = type === 2 ? readBytes(from) : undefined;
    if (inner === undefined) request = { tag: "other", field: number };
    else if (number === 4) request = putOf(inner);
    else if (number === 5) request = { tag: "delete", range: rangeOf(inner, 2) };
    else if (number === 6) request = txnOf(inner, 0);
    else if (number === 8) request = { tag: "grant", lease: integerOf(inner, 2) };
    else if (number === 9) request = { tag: "revoke", lease: integerOf(inner, 1) };
    else request = { tag: "other", field: number };
    return inner !== undefined;
  });
  return request;
}

function isOld(bytes: Uint8Array): boolean {
  let isOld = false;
  try {
    readMessage(bytes, "Request", (from, number, type) => {
      if (number !== 2 || type !== 2) return false;
      isOld = oldMethods.includes(new TextDecoder().decode(readBytes(from)));
      return true;
    });
  } catch (error) {
    if (!(error instanceof EtcdFileError)) throw error;
  }
  return isOld;
}

function putOf(bytes: Uint8Array): Put {
  let key = none, value = none, lease: Integer = 0, keepsValue = false, keepsLease = false;
  readMessage(bytes, "PutRequest", (from, number, type) => {
    if (number === 1) key = delimited(from, type, number);
    else if (number === 2) value = delimited(from, type, number);
    else if (number === 3) lease = integer(from, type, number);
    else if (number === 5) keepsValue = integer(from, type, number) !== 0;
    else if (number === 6) keepsLease = integer(from, type, number) !== 0;
    else return false;
    return true;
  });
  return { tag: "put", key: keyOf(key), value, lease, keepsValue, keepsLease };
}

function txnOf(bytes: Uint8Array, depth: number): Txn {
  if (depth > limits.walTxnDepthMax) throw new EtcdFileError(`a transaction of its log is nested deeper than ${limits.walTxnDepthMax}`);
  const compares: Compare[] = [], success: Operation[] = [], failure: Operation[] = [];
  readMessage(bytes, "TxnRequest", (from, number, type) => {
    if (number === 1) compares.push(compareOf(delimited(from, type, number)));
    else if (number === 2 || number === 3) {
      const operation = operationOf(delimited(from, type, number), depth);
      if (operation !== undefined) (number === 2 ? success : failure).push(operation);
    } else return false;
    return true;
  });
  return { tag: "txn", compares, success, failure };
}

/** Undefined for a read. */
function operationOf(bytes: Uint8Array, depth: number): Operation | undefined {
  let operation: Operation | undefined;
  readMessage(bytes, "RequestOp", (from, number, type) => {
    if (number > 4) return false;
    const inner = delimited(from, type, number);
    if (number === 2) operation = putOf(inner);
    else if (number === 3) operation = { tag: "delete", range: rangeOf(inner, 2) };
    else if (number === 4) operation = txnOf(inner, depth + 1);
    // A read of an old revision fails if that is compacted, and the transaction with it.
    else if (integerOf(inner, 4) !== 0) {
      throw new EtcdFileError("a transaction of its log reads an old revision, which is not applied here");
    }
    return true;
  });
  return operation;
}

function compareOf(bytes: Uint8Array): Compare {
  let result: Compare["result"] | undefined = "equal", target: Compare["target"] | undefined = "version", number: Integer = 0, value = none;
  readMessage(bytes, "Compare", (from, field, type) => {
    if (field === 1) result = results[Number(integer(from, type, field))];
    else if (field === 2) target = targets[Number(integer(from, type, field))];
    else if (field === 7) value = delimited(from, type, field);
    else if (field === 4 || field === 5 || field === 6 || field === 8) number = integer(from, type, field);
    else return false;
    return true;
  });
  if (result === undefined || target === undefined) throw new EtcdFileError("a comparison of its log is not known here");
  return { range: rangeOf(bytes, 64, 3), target, result, number, value };
}

/** The key of a message, and the end of its range in the field `end`. */
function rangeOf(bytes: Uint8Array, end: number, keyField = 1): KeyRange {
  let key = none, to = none;
  readMessage(bytes, "range", (from, number, type) => {
    if (number === keyField) key = delimited(from, type, number);
    else if (number === end) to = delimited(from, type, number);
    else return false;
    return true;
  });
  if (to.length === 0) return { key: keyOf(key), to: undefined };
  return { key: keyOf(key), to: to.length === 1 && to[0] === 0 ? "" : keyOf(to) };
}

function integerOf(bytes: Uint8Array, field: number): Integer {
  let found: Integer = 0;
  readMessage(bytes, "request", (from, number, type) => {
    if (number !== field) return false;
    found = integer(from, type, number);
    return true;
  });
  return found;
}

function keyOf(bytes: Uint8Array): string {
  const key = decodeKey(bytes);
  if (!sameBytes(encodeKey(key), bytes)) {
    throw new EtcdFileError("a request of its log has a key that is not UTF-8, which is not applied here");
  }
  return key;
}

function delimited(from: Reader, type: number, number: number): Uint8Array {
  if (type !== 2) throw new EtcdFileError(`a request of its log is damaged: field ${number} has the wire type ${type}`);
  return readBytes(from);
}
function integer(from: Reader, type: number, number: number): Integer {
  if (type !== 0) throw new EtcdFileError(`a request of its log is damaged: field ${number} has the wire type ${type}`);
  return readVarint(from);
}
