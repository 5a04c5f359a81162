/**
 * The envelope of protobuf messages: four magic bytes and a message with the kind. Also lists and watch frames around messages that are
 * already encoded.
 */
import type { Reader } from "protobufjs/minimal.js";
import { newReader, newWriter } from "./protobufjs.ts";
import { decodingError, endOfNext, knownFields, ProtobufError, readBytes, readFields, readText } from "./protobuf-wire.ts";

const magic = Object.freeze([0x6b, 0x38, 0x73, 0x00]);

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The message itself. */
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

/** Whether bytes begin with the magic bytes of an envelope. */
export function isEnvelope(bytes: Uint8Array): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/** Reads an envelope. Throws `ProtobufError` with upstream's message if it is invalid. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new ProtobufError("empty data");
  if (!isEnvelope(bytes)) {
    throw new ProtobufError(`provided data does not appear to be a protobuf message, expected prefix [${magic.join(" ")}]`);
  }
  if (bytes.length === magic.length) throw new ProtobufError("empty body");
  const found = { apiVersion: "", kind: "", raw: new Uint8Array() as Uint8Array, contentEncoding: "", contentType: "" };
  const from = newReader(bytes.subarray(magic.length));
  try {
    const fields = knownFields({
      1: [2, "TypeMeta", () => readTypeMeta(from, found)],
      2: [2, "Raw", () => found.raw = readBytes(from)],
      3: [2, "ContentEncoding", () => found.contentEncoding = readText(from)],
      4: [2, "ContentType", () => found.contentType = readText(from)],
    });
    readFields(from, from.len, "Unknown", fields);
  } catch (error) {
    throw decodingError(error);
  }
  return found;
}

function readTypeMeta(from: Reader, to: { apiVersion: string; kind: string }): void {
  const fields = knownFields({
    1: [2, "APIVersion", () => to.apiVersion = readText(from)],
    2: [2, "Kind", () => to.kind = readText(from)],
  });
  readFields(from, endOfNext(from), "TypeMeta", fields);
  // An invalid group version is treated as empty, as upstream; the same in JSON is rejected.
  if (to.apiVersion.split("/").length > 2) to.apiVersion = "";
}

/** Writes a message in an envelope. */
export function writeEnvelope({ kind, apiVersion }: { readonly kind: string; readonly apiVersion: string }, raw: Uint8Array): Uint8Array {
  const { head, tail } = envelopeAround({ kind, apiVersion }, raw.length);
  return newWriter().raw(head).raw(raw).raw(tail).finish();
}

/** Returns the parts of an envelope before and after a message. `bytes`: length of the message. */
export function envelopeAround(
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  bytes: number,
): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  const head = newWriter().raw(Uint8Array.from(magic));
  head.uint32(10).fork().uint32(10).string(apiVersion).uint32(18).string(kind).ldelim();
  // Empty content encoding and content type are written too, as upstream.
  return { head: head.uint32(18).uint32(bytes).finish(), tail: newWriter().uint32(26).string("").uint32(34).string("").finish() };
}

/** One field of a list message: its metadata or one item, without envelope. */
export function writeListField(field: "metadata" | "items", message: Uint8Array): Uint8Array {
  return newWriter().uint32(field === "metadata" ? 10 : 18).bytes(message).finish();
}

/** One frame of a watch: the length in four bytes, then the event with the enveloped object. */
export function writeWatchFrame(type: string, enveloped: Uint8Array): Uint8Array {
  const event = newWriter().uint32(10).string(type).uint32(18).fork().uint32(10).bytes(enveloped).ldelim().finish();
  const frame = new Uint8Array(4 + event.length);
  new DataView(frame.buffer).setUint32(0, event.length);
  frame.set(event, 4);
  return frame;
}
