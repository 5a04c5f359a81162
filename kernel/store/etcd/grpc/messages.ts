/** Messages as gRPC lays them into the data of a stream: a byte 0, the length in four bytes, and the bytes. */
import { Buffer } from "node:buffer";
import { grpcCode, GrpcError } from "./errors.ts";

const frameHead = 5;

/** A message as it is sent. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHead + message.length);
  frame[0] = 0; // not compressed
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, frameHead);
  return frame;
}
/** The message of an answer that has but one. Throws a GrpcError where it is anything else. */
export function onlyMessage(chunks: readonly Buffer[]): Buffer {
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  if (bytes.length < frameHead || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - frameHead) {
    throw new GrpcError(grpcCode.unavailable, "The server sent something other than one plain message");
  }
  return bytes.subarray(frameHead);
}

/** Puts messages together from chunks that are cut anywhere, without copying what is still incomplete again and again. */
export function messageReader(): (chunk: Buffer) => Iterable<Buffer> {
  let parts: Buffer[] = [];
  let have = 0;
  let need = frameHead;
  return function* (chunk) {
    parts.push(chunk);
    have += chunk.length;
    while (have >= need) {
      const bytes: Buffer = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      need = frameHead + bytes.readUInt32BE(1);
      parts = [bytes];
      if (have < need) return;
      yield bytes.subarray(frameHead, need);
      have -= need;
      parts = have === 0 ? [] : [bytes.subarray(need)];
      need = frameHead;
    }
  };
}
