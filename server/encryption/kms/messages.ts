/** The messages of a KMS plugin (k8s.io/kms, v2), and what a value consists of that was encrypted with one of its keys. */
import { bound } from "../../../core/bound.ts";
import { newReader, newWriter } from "../../../core/codec/protobufjs.ts";
import type { Method } from "../../../protocols/grpc/grpc.ts";

/** Annotations of a KMS plugin's answer, and of a stored value. Upstream bounds their bytes only. */
export const kmsAnnotationsMax = bound(10_000);

/** Names and values that a plugin stores beside its ciphertext, in any order. */
export type Annotations = ReadonlyMap<string, Uint8Array>;

export interface StatusReply {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}
export interface EncryptReply {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Annotations;
}
export interface DecryptRequest extends EncryptReply {
  readonly uid: string;
}

/** How the decrypted source becomes the key of a value. */
export const sourceType = Object.freeze({ key: 0, seed: 1 });

/** A value in the store, behind its prefix. */
export interface EncryptedObject {
  readonly data: Uint8Array;
  readonly keyId: string;
  readonly source: Uint8Array;
  readonly annotations: Annotations;
  readonly sourceType: number;
}

const varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5;
const skipped: readonly number[] = [varint, fixed64, delimited, fixed32];

export const statusMethod: Method<undefined, StatusReply> = {
  path: "/v2.KeyManagementService/Status",
  encode: () => new Uint8Array(0),
  decode(bytes) {
    const found = membersOf(bytes);
    return { version: textOf(found.bytes(1)), healthz: textOf(found.bytes(2)), keyId: textOf(found.bytes(3)) };
  },
};

export const encryptMethod: Method<{ readonly plaintext: Uint8Array; readonly uid: string }, EncryptReply> = {
  path: "/v2.KeyManagementService/Encrypt",
  encode: ({ plaintext, uid }) => written([[1, plaintext], [2, bytesOf(uid)]]),
  decode(bytes) {
    const found = membersOf(bytes);
    return { ciphertext: found.bytes(1), keyId: textOf(found.bytes(2)), annotations: annotationsOf(found.all(3)) };
  },
};

export const decryptMethod: Method<DecryptRequest, Uint8Array> = {
  path: "/v2.KeyManagementService/Decrypt",
  encode: ({ ciphertext, uid, keyId, annotations }) =>
    written([[1, ciphertext], [2, bytesOf(uid)], [3, bytesOf(keyId)], ...entriesOf(4, annotations)]),
  // A copy: the bytes of the answer are not kept.
  decode: (bytes) => membersOf(bytes).bytes(1).slice(),
};

export function encodeObject({ data, keyId, source, annotations, sourceType }: EncryptedObject): Uint8Array {
  return written([[1, data], [2, bytesOf(keyId)], [3, source], ...entriesOf(4, annotations)], [5, sourceType]);
}

/** As `encodeObject`, with `rest`: the object without its data, encoded once for all values of a key. */
export function withData(data: Uint8Array, rest: Uint8Array): Uint8Array {
  let lengthBytes = 1;
  for (let left = data.length; left > 127; left = Math.floor(left / 128)) lengthBytes++;
  const whole = new Uint8Array(1 + lengthBytes + data.length + rest.length);
  whole[0] = 1 << 3 | delimited;
  let at = 1, left = data.length;
  for (; left > 127; left = Math.floor(left / 128)) whole[at++] = left % 128 | 128;
  whole[at++] = left;
  whole.set(data, at);
  whole.set(rest, at + data.length);
  return whole;
}

/** Throws an error for bytes that are not a message. */
export function decodeObject(bytes: Uint8Array): EncryptedObject {
  const found = membersOf(bytes);
  return {
    data: found.bytes(1),
    keyId: textOf(found.bytes(2)),
    source: found.bytes(3),
    annotations: annotationsOf(found.all(4)),
    sourceType: found.number(5),
  };
}

type Member = readonly [field: number, content: Uint8Array];

function written(members: readonly Member[], number?: readonly [field: number, value: number]): Uint8Array {
  const writer = newWriter();
  for (const [field, content] of members) if (content.length > 0) writer.uint32(field << 3 | delimited).bytes(content);
  if (number !== undefined && number[1] !== 0) writer.uint32(number[0] << 3 | varint).uint32(number[1]);
  return writer.finish();
}

/** Entries of a map, in the order of names, so that equal objects have equal bytes. */
function entriesOf(field: number, annotations: Annotations): readonly Member[] {
  return Array.from(annotations).toSorted(([one], [other]) => one < other ? -1 : 1).map(([name, value]) =>
    [field, written([[1, bytesOf(name)], [2, value]])] as const
  );
}

function annotationsOf(entries: readonly Uint8Array[]): Annotations {
  if (entries.length > kmsAnnotationsMax) throw new Error(`${entries.length} annotations, more than ${kmsAnnotationsMax}`);
  return new Map(entries.map((entry) => {
    const found = membersOf(entry);
    return [textOf(found.bytes(1)), found.bytes(2)];
  }));
}

interface Members {
  /** The last value of a field; empty if there is none. */
  bytes(field: number): Uint8Array;
  all(field: number): readonly Uint8Array[];
  number(field: number): number;
}

/** Fields of other wire types count as unknown and are skipped, as in Go. */
function membersOf(bytes: Uint8Array): Members {
  const reader = newReader(bytes), texts = new Map<number, Uint8Array[]>(), numbers = new Map<number, number>();
  while (reader.pos < reader.len) {
    const tag = reader.uint32(), field = tag >>> 3, type = tag & 7;
    if (field === 0 || !skipped.includes(type)) throw new Error("not a message");
    if (type === delimited) {
      const content = reader.bytes(), before = texts.get(field);
      if (before === undefined) texts.set(field, [content]);
      else before.push(content);
    } else if (type === varint) numbers.set(field, reader.int32());
    else reader.skipType(type);
  }
  const all = (field: number) => texts.get(field) ?? [];
  return { all, bytes: (field) => all(field).at(-1) ?? new Uint8Array(0), number: (field) => numbers.get(field) ?? 0 };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Throws for bytes that are not UTF-8, as Go's decoder. */
const textOf = (bytes: Uint8Array): string => utf8.decode(bytes);
