/** The frames of HTTP/2 (RFC 9113, sections 4 and 6), for the listener and for the client of etcd. */
import { Buffer } from "node:buffer";

export const frameType = Object.freeze({
  data: 0,
  headers: 1,
  priority: 2,
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

/** Codes of RST_STREAM and GOAWAY (RFC 9113, section 7). */
export const errorCode = Object.freeze({
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
});

/** Largest payload of a frame in both directions, in bytes: the default of RFC 9113 (SETTINGS_MAX_FRAME_SIZE). */
export const frameBytesMax = 16_384;
export const headBytes = 9;
/** Largest identifier of a stream. */
export const streamIdMax = 0x7fffffff;

/** A violation of the protocol that ends the connection, with the code of its GOAWAY frame. */
export class ConnectionError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const nothing = Buffer.alloc(0);

/** Reads frames from chunks of any size, one at a time. `payload` and `uint32` are of the current frame: until the next call of `add` or `next`. */
export class FrameReader {
  /** The current frame. */
  type = 0;
  flags = 0;
  stream = 0;
  /** Bytes of the payload. */
  length = 0;
  #bytes: Buffer = nothing;
  #at = 0;
  /** Chunks after `#bytes`. */
  #later: Buffer[] = [];

  get payload(): Buffer {
    return this.#bytes.subarray(this.#at - this.length, this.#at);
  }
  /** The first four bytes of the payload as a number, without a Buffer: each client of watches sends a WINDOW_UPDATE for every few events. */
  get uint32(): number {
    return this.#bytes.readUInt32BE(this.#at - this.length);
  }
  add(chunk: Buffer): void {
    if (this.#at === this.#bytes.length && this.#later.length === 0) {
      this.#bytes = chunk;
      this.#at = 0;
    } else this.#later.push(chunk);
  }
  /** Skips bytes before the first frame; false if some of them are missing. Throws if others were received. */
  skip(expected: Buffer): boolean {
    this.#join();
    const received = this.#bytes.subarray(this.#at, this.#at + expected.length);
    if (!received.equals(expected.subarray(0, received.length))) throw new ConnectionError(errorCode.protocol, "The preface is missing");
    if (received.length < expected.length) return false;
    this.#at += expected.length;
    return true;
  }
  /** Proceeds to the next frame; false if it is incomplete. Throws if it is too long. */
  next(): boolean {
    while (!this.#isWhole()) if (!this.#join()) return false;
    const bytes = this.#bytes, at = this.#at;
    this.type = bytes[at + 3]!;
    this.flags = bytes[at + 4]!;
    this.stream = (bytes[at + 5]! & 0x7f) << 24 | bytes[at + 6]! << 16 | bytes[at + 7]! << 8 | bytes[at + 8]!;
    this.length = lengthAt(bytes, at);
    this.#at = at + headBytes + this.length;
    return true;
  }
  /** Whether the next frame is whole. */
  #isWhole(): boolean {
    const rest = this.#bytes.length - this.#at;
    if (rest < headBytes) return false;
    const length = lengthAt(this.#bytes, this.#at);
    if (length <= frameBytesMax) return rest >= headBytes + length;
    throw new ConnectionError(errorCode.frameSize, `A frame has ${length} bytes; at most ${frameBytesMax} are allowed`);
  }
  #join(): boolean {
    if (this.#later.length === 0) return false;
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), ...this.#later]);
    this.#at = 0;
    this.#later = [];
    return true;
  }
}

function lengthAt(bytes: Buffer, at: number): number {
  return bytes[at]! << 16 | bytes[at + 1]! << 8 | bytes[at + 2]!;
}

export type TakeFrame = (type: number, flags: number, stream: number, payload: Buffer) => void;

/** Reads chunks of any size and emits whole frames; throws if one is too long. */
export function readFrames(take: TakeFrame): (chunk: Buffer) => void {
  const reader = new FrameReader();
  return (chunk) => {
    reader.add(chunk);
    while (reader.next()) take(reader.type, reader.flags, reader.stream, reader.payload);
  };
}

/** Returns the content of a frame of headers or data without its padding. Throws if the padding is longer than the frame. */
export function unpad(flags: number, payload: Buffer): Buffer {
  if ((flags & flag.padded) === 0) return payload;
  const padding = payload[0] ?? 0;
  if (padding >= payload.length) throw new ConnectionError(errorCode.protocol, "A frame has more padding than bytes");
  return payload.subarray(1, payload.length - padding);
}

/** Returns a payload of one number of four bytes: an error code, or an increment of a window. */
export function uint32Bytes(value: number): Buffer {
  return Buffer.of(value >>> 24, value >>> 16, value >>> 8, value);
}
