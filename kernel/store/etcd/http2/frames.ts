/** Reads and writes the frames of HTTP/2 (RFC 9113, sections 4 and 6). */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import process from "node:process";

export const frameType = Object.freeze({
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
});
/** The meaning of a flag depends on the type of frame. */
export const flag = Object.freeze({ endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 });

/** Largest payload of a frame in both directions, in bytes: the default of RFC 9113 (SETTINGS_MAX_FRAME_SIZE). */
export const frameBytesMax = 16_384;

const headBytes = 9;
/** Bytes of one write buffer: enough for about forty commits of a kilobyte. */
const slabBytes = 65_536;

export type TakeFrame = (type: number, flags: number, stream: number, payload: Buffer) => void;

/** Reads chunks of any size and emits whole frames; throws if one is too long. */
export function frameReader(take: TakeFrame): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= headBytes) {
      const length = bytes.readUIntBE(at, 3);
      if (length > frameBytesMax) throw new Error(`A frame has ${length} bytes; at most ${frameBytesMax} are allowed`);
      const end = at + headBytes + length;
      if (end > bytes.length) break;
      take(bytes.readUInt8(at + 3), bytes.readUInt8(at + 4), bytes.readUInt32BE(at + 5) & 0x7fffffff, bytes.subarray(at + headBytes, end));
      at = end;
    }
    rest = at === bytes.length ? undefined : bytes.subarray(at);
  };
}

/** The content of a frame of headers or data without its padding. Throws if the padding is longer than the frame. */
export function unpadded(flags: number, payload: Buffer): Buffer {
  if ((flags & flag.padded) === 0) return payload;
  const padding = payload[0] ?? 0;
  if (padding >= payload.length) throw new Error("A frame has more padding than bytes");
  return payload.subarray(1, payload.length - padding);
}

/** Writes a frame with `payload`, or with its bytes `from` to `to`. */
export type WriteFrame = (type: number, flags: number, stream: number, payload: Uint8Array, from?: number, to?: number) => void;

/**
 * Writes frames to a socket. Frames written in one turn of the event loop leave in one write: on Deno a write for each frame costs
 * more than all the rest of a call.
 */
export function frameWriter(socket: Socket): WriteFrame {
  let slab = Buffer.alloc(0);
  let begin = 0, end = 0;
  let planned = false;

  function flush(): void {
    planned = false;
    if (end > begin && !socket.destroyed) socket.write(slab.subarray(begin, end));
    begin = end;
  }
  return (type, flags, stream, payload, from = 0, to = payload.length) => {
    const length = to - from;
    if (slab.length - end < headBytes + length) {
      flush();
      slab = Buffer.allocUnsafeSlow(slabBytes);
      begin = end = 0;
    }
    if (!planned) {
      planned = true;
      process.nextTick(flush);
    }
    slab.writeUIntBE(length, end, 3);
    slab[end + 3] = type;
    slab[end + 4] = flags;
    slab.writeUInt32BE(stream, end + 5);
    slab.set(length === payload.length ? payload : payload.subarray(from, to), end + headBytes);
    end += headBytes + length;
  };
}
