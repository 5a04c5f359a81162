/** Encodes documents and watch events in the binary encodings. They are encoded from objects, and not from JSON. */
import { cborEvent } from "../../core/codec/cbor/documents.ts";
import { CborWriter } from "../../core/codec/cbor/write.ts";
import type { Encoding } from "../../core/codec/negotiate.ts";
import { writeEnvelope, writeWatchFrame } from "../../core/codec/protobuf.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { protobufWriter } from "../../core/derive/protobuf.ts";
import type { StructNode, Typed } from "../../core/schema.ts";

export type BinaryEncoding = "protobuf" | "cbor";

export function isBinary(encoding: Encoding): encoding is BinaryEncoding {
  return encoding === "protobuf" || encoding === "cbor";
}

interface Named {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Encodes a whole document. */
export function binaryDocument<T extends object>(encoding: BinaryEncoding, schema: Typed<T, StructNode>, object: T & Named): Uint8Array {
  if (encoding === "protobuf") return writeEnvelope(object, protobufWriter(schema)(object));
  return cborWriter(schema)(object, new CborWriter().selfDescribed()).finish();
}

/** Encodes one event of a watch. */
export function binaryEvent(encoding: BinaryEncoding, type: string, document: Uint8Array): Uint8Array {
  return encoding === "protobuf" ? writeWatchFrame(type, document) : cborEvent(type, document);
}
