/**
 * Reads scalars from CBOR data items. Null is the zero value of Go's built-in types; types with an UnmarshalCBOR method define its meaning.
 */
import { CborFailure, type Later, untaggingReader, wrongType } from "../codec/cbor/failure.ts";
import { CborBytes, CborFloat, type CborItem } from "../codec/cbor/item.ts";
import { int64Max, int64Min, outside, textOf } from "../codec/cbor/text.ts";
import { objectOfCbor, treeOfCbor } from "../codec/cbor/untyped.ts";
import { base64Of, parseBase64 } from "../scalars/base64.ts";
import { isInt32 } from "../scalars/int-or-string.ts";
import { storedQuantity } from "../scalars/quantity.ts";
import { parseMicroTime, parseTime } from "../scalars/time.ts";
import { Unreadable } from "../scalars/unreadable.ts";
import { inOrder } from "../tree/in-order.ts";
import { jsonFromTree } from "../tree/values.ts";
import { decodeDuration } from "./decode-scalars.ts";
import { DecodeError, Decoding } from "./decoding.ts";

/** The state of one run: whether unknown fields end it, and the first error of values that are read last. */
export interface CborRun {
  readonly strict: boolean;
  depth: number;
  afterwards: CborFailure | undefined;
}
/** Reads one value. */
export type CborRead = (item: CborItem, later: Later, run: CborRun) => unknown;

export const readBoolean: CborRead = untaggingReader((item) =>
  item === null ? false : typeof item === "boolean" ? item : outside(item, "bool")
);

const text = textOf("string");
/** Makes the reader of a string. `type` is the name of its type in upstream. */
export function readString(type: string): CborRead {
  const read = textOf(type);
  return (item, later) => read(item, later) ?? "";
}

export function readInt(type: "int32" | "int64"): CborRead {
  return untaggingReader((item) => {
    if (item === null) return 0;
    if (typeof item !== "number" && typeof item !== "bigint") return outside(item, type);
    if (type === "int32" ? typeof item === "number" && isInt32(item) : item >= int64Min && item <= int64Max) return item;
    return item < int64Min ? outside(item, type) : wrongType(item, type, `${item} overflows ${type}`);
  });
}

export const readDouble: CborRead = untaggingReader((item) => {
  if (item === null) return 0;
  if (item instanceof CborFloat) return item.value;
  return typeof item === "number" || (typeof item === "bigint" && item >= int64Min) ? Number(item) : outside(item, "float64");
});

/** Reads bytes: base64 in a byte string, tagged bytes, or a list of numbers, as in Go. */
export const readBytes: CborRead = untaggingReader((item, later) => {
  if (item === null) return "";
  if (Array.isArray(item)) return listedBytes(item);
  if (!(item instanceof CborBytes)) return outside(item, "[]uint8");
  if (later !== undefined) return base64Of(item.bytes);
  const base64 = parseBase64(item.text);
  return base64 instanceof Unreadable ? new CborFailure(`cbor: failed to decode base64 from byte string: ${base64.error}`) : base64;
});

const readByte = untaggingReader<number | CborFailure>((item) => {
  if (item === null) return 0;
  if (typeof item === "number" && item >= 0 && item <= 255) return item;
  const isLarge = (typeof item === "number" || typeof item === "bigint") && item > 255;
  return isLarge ? wrongType(item, "uint8", `${item} overflows uint8`) : outside(item, "uint8");
});
function listedBytes(items: readonly CborItem[]): string | CborFailure {
  const bytes = items.map((item) => readByte(item, undefined));
  const failure = bytes.find((byte) => byte instanceof CborFailure);
  return failure ?? base64Of(Uint8Array.from(bytes as number[])); // none of the numbers is a failure
}

/** Makes the reader of a type that is parsed from a text. It ignores the tags of the item. */
function readTextual<T>(parse: (text: string) => T | Unreadable, ofNull: T): CborRead {
  return (item) => {
    const found = text(item, undefined);
    if (found === undefined || found instanceof CborFailure) return found ?? ofNull;
    const value = parse(found);
    return value instanceof Unreadable ? new CborFailure(value.error) : value;
  };
}
export const readQuantity: CborRead = readTextual((text) => storedQuantity(text.trim()), "0");
export const readTime: CborRead = readTextual<string | null>(parseTime, null);
export const readMicroTime: CborRead = readTextual<string | null>(parseMicroTime, null);

/** Texts and null are strings; any other item must be a number. */
const int32 = readInt("int32");
export const readIntOrString: CborRead = (item, _later, run) => {
  const found = text(item, undefined);
  return found instanceof CborFailure ? int32(item, undefined, run) : found ?? "";
};

/** Returns the error of the tags of an item. */
const tagsOf = untaggingReader<undefined>(() => undefined);

/** Upstream transcodes durations to JSON, so errors are those of the JSON decoder. */
export const readDuration: CborRead = (item) => {
  const why = tagsOf(item, undefined);
  if (why !== undefined) return why;
  const tree = treeOfCbor(item);
  if (tree instanceof CborFailure) return new CborFailure(`cbor: cannot transcode from cbor to json: ${tree.text}`);
  try {
    return decodeDuration(tree, undefined, new Decoding("json", undefined));
  } catch (error) {
    if (error instanceof DecodeError) return new CborFailure(error.message);
    throw error;
  }
};

/** Reads values without a schema. Their errors are reported after all others. */
export const readRaw: CborRead = (item, _later, run) => {
  const why = tagsOf(item, undefined);
  if (why !== undefined) return why;
  const tree = treeOfCbor(item);
  return tree instanceof CborFailure
    ? later(run, `failed to transcode RawExtension to JSON: failed to parse RawExtension bytes as CBOR: ${tree.text}`)
    : jsonFromTree(tree);
};
/** Does the same as `readRaw`, but an error is reported in its order. */
export const readAnyJson: CborRead = (item) => {
  const why = tagsOf(item, undefined);
  if (why !== undefined) return why;
  const tree = treeOfCbor(item);
  return tree instanceof CborFailure ? tree : jsonFromTree(tree);
};
export const readFieldsV1: CborRead = (item, _later, run) => {
  if (item === null) return null;
  const why = tagsOf(item, undefined);
  if (why !== undefined) return why;
  const tree = objectOfCbor(item);
  if (!(tree instanceof CborFailure)) return jsonFromTree(inOrder(tree));
  return later(run, `failed to transcode FieldsV1 to JSON: metav1.FieldsV1 cbor invalid: ${tree.text}`);
};
function later(run: CborRun, why: string): null {
  run.afterwards ??= new CborFailure(why);
  return null;
}
