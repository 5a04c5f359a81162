/** Header blocks in one HEADERS frame, or continued in others (RFC 9113, sections 6.2 and 6.10). */
import { limits } from "../../../../core/limits.ts";
import { Buffer } from "node:buffer";
import { flag, frameType, unpadded } from "./frames.ts";

/**
 * Reads frames with headers and emits whole blocks; returns false for other frames. Throws if another frame interrupts a block, or
 * if the block exceeds its bounds.
 */
export function headerFrames(
  give: (stream: number, ends: boolean, block: Buffer) => void,
): (type: number, flags: number, stream: number, payload: Buffer) => boolean {
  let partial: { readonly stream: number; readonly ends: boolean; readonly pieces: Buffer[]; bytes: number } | undefined;

  function begin(flags: number, stream: number, payload: Buffer): void {
    const fields = unpadded(flags, payload);
    const block = (flags & flag.priority) === 0 ? fields : fields.subarray(5);
    const ends = (flags & flag.endStream) !== 0;
    if ((flags & flag.endHeaders) !== 0) give(stream, ends, block);
    else partial = { stream, ends, pieces: [block], bytes: block.length };
  }
  return (type, flags, stream, payload) => {
    if (partial === undefined && type === frameType.headers) {
      begin(flags, stream, payload);
      return true;
    }
    if (partial === undefined && type !== frameType.continuation) return false;
    if (partial === undefined || type !== frameType.continuation || stream !== partial.stream) {
      throw new Error("A header block was interrupted, or continued without a start");
    }
    const { ends, pieces } = partial;
    pieces.push(payload);
    partial.bytes += payload.length;
    if (partial.bytes > limits.etcdHeaderBytesMax || pieces.length > limits.etcdHeaderFramesMax) {
      throw new Error("The headers of an answer are too long");
    }
    if ((flags & flag.endHeaders) !== 0) {
      partial = undefined;
      give(stream, ends, Buffer.concat(pieces));
    }
    return true;
  };
}
