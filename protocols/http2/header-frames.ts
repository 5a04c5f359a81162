/** Header blocks in one HEADERS frame, or continued in others (RFC 9113, sections 6.2 and 6.10). */
import { Buffer } from "node:buffer";
import { ConnectionError, errorCode, flag, frameType, unpad } from "./frames.ts";

/** Bounds of one encoded block. */
export interface BlockBounds {
  readonly bytesMax: number;
  readonly framesMax: number;
}

export interface Block {
  readonly stream: number;
  /** Whether the block is the last of its stream. */
  readonly ends: boolean;
  readonly bytes: Buffer;
  /** The stream that this one depends on, by a deprecated priority. */
  readonly dependency: number | undefined;
}

const priorityBytes = 5;

/**
 * Reads frames with headers and emits whole blocks; returns false for other frames. Throws if another frame interrupts a block, or
 * if the block exceeds its bounds.
 */
export function headerFrames(
  { bytesMax, framesMax }: BlockBounds,
  give: (block: Block) => void,
): (type: number, flags: number, stream: number, payload: Buffer) => boolean {
  let partial: (Omit<Block, "bytes"> & { readonly pieces: Buffer[]; bytes: number }) | undefined;

  function begin(flags: number, stream: number, payload: Buffer): void {
    const fields = unpad(flags, payload);
    const hasPriority = (flags & flag.priority) !== 0;
    if (hasPriority && fields.length < priorityBytes) {
      throw new ConnectionError(errorCode.frameSize, "A frame is shorter than its priority");
    }
    const dependency = hasPriority ? fields.readUInt32BE(0) & 0x7fffffff : undefined;
    const bytes = hasPriority ? fields.subarray(priorityBytes) : fields;
    const ends = (flags & flag.endStream) !== 0;
    if ((flags & flag.endHeaders) !== 0) give({ stream, ends, bytes, dependency });
    else partial = { stream, ends, dependency, pieces: [bytes], bytes: bytes.length };
  }
  return (type, flags, stream, payload) => {
    if (partial === undefined && type === frameType.headers) {
      begin(flags, stream, payload);
      return true;
    }
    if (partial === undefined && type !== frameType.continuation) return false;
    if (partial === undefined || type !== frameType.continuation || stream !== partial.stream) {
      throw new ConnectionError(errorCode.protocol, "A header block was interrupted, or continued without a start");
    }
    const { ends, dependency, pieces } = partial;
    pieces.push(payload);
    partial.bytes += payload.length;
    if (partial.bytes > bytesMax || pieces.length > framesMax) {
      throw new ConnectionError(errorCode.enhanceYourCalm, "A header block is too long");
    }
    if ((flags & flag.endHeaders) !== 0) {
      partial = undefined;
      give({ stream, ends, bytes: Buffer.concat(pieces), dependency });
    }
    return true;
  };
}
