/** gRPC messages in the data of a stream: a zero byte, the length in four bytes, and the message. */
import { Buffer } from "node:buffer";
import { grpcCode, GrpcError } from "./errors.ts";

const frameHead = 5;

/** Returns a message with its gRPC header. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHead + message.length);
  frame[0] = 0; // not compressed
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, frameHead);
  return frame;
}
/** Returns the single message of a unary answer. Throws a GrpcError if there is none, or more than one. */
export function onlyMessage(chunks: readonly Buffer[]): Buffer {
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  if (bytes.length < frameHead || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - frameHead) {
    throw new GrpcError(grpcCode.unavailable, "The server sent something other than one plain message");
  }
  return bytes.subarray(frameHead);
}

/** Assembles messages from chunks of any size; incomplete messages are copied once only. */
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
