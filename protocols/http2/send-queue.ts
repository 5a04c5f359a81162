/** Data of streams, held back until the other side's flow-control windows and the socket allow it (RFC 9113, section 5.2). */
import { ConnectionError, errorCode, flag, frameBytesMax, frameType } from "./frames.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { firstWindowBytes } from "./settings.ts";

const windowMax = 0x7fffffff;
/** Bytes of one stream before other waiting streams continue. */
const turnBytes = 4 * frameBytesMax;

/** The data that one stream sends. */
export interface Sending {
  readonly id: number;
  /** Bytes that the other side accepts of this stream. Negative after it has reduced the initial window. */
  window: number;
  /** Parts in order; `at` bytes of the first are written. */
  readonly parts: Uint8Array[];
  at: number;
  ends: boolean;
  /** Whether all data is written, the end of the stream included. */
  isDone: boolean;
  /** Whether data may be sent: until `SendQueue.close()`. */
  isOpen: boolean;
  /** Called after data that has waited was written, and after the end of the stream. */
  onWritten?: () => void;
}

export class SendQueue {
  readonly #writer: Pick<FrameWriter, "frame" | "isFull">;
  readonly #open = new Set<Sending>();
  /** Streams that wait for the connection's window or for the socket, in order. Those that wait for their own window are not among them. */
  readonly #ready = new Set<Sending>();
  #window = firstWindowBytes;
  #first = firstWindowBytes;

  constructor(writer: Pick<FrameWriter, "frame" | "isFull">) {
    this.#writer = writer;
  }
  /** Registers a stream. */
  open(id: number): Sending {
    const stream: Sending = { id, window: this.#first, parts: [], at: 0, ends: false, isDone: false, isOpen: true };
    this.#open.add(stream);
    return stream;
  }
  /** Appends data to a stream; `ends`: it is the last. */
  send(stream: Sending, data: Uint8Array, ends: boolean): void {
    if (!stream.isOpen) return;
    if (this.#isWritable(stream, data.length)) return this.#write(stream, data, ends);
    stream.parts.push(data);
    stream.ends = ends;
    // Behind streams that wait already. Their windows do not hold back the end of a stream.
    if (this.#ready.size > 0 && data.length > 0) this.#ready.add(stream);
    else if (stream.parts.length === 1) this.#push(stream, Infinity);
  }
  /** Drops data that is not written yet. */
  close(stream: Sending): void {
    stream.isOpen = false;
    this.#open.delete(stream);
    this.#ready.delete(stream);
  }
  /** Increases the window of the connection in bytes. Throws if it exceeds 2^31-1. */
  allow(bytes: number): void {
    if (this.#window + bytes > windowMax) throw tooLarge();
    this.#window += bytes;
    this.resume();
  }
  /** Increases the window of a stream; returns false if it exceeds 2^31-1. */
  allowStream(stream: Sending, bytes: number): boolean {
    if (stream.window + bytes > windowMax) return false;
    stream.window += bytes;
    if (stream.parts.length > 0 && stream.window > 0 && stream.isOpen) {
      this.#ready.add(stream);
      this.resume();
    }
    return true;
  }
  /** Sets the initial window of streams in bytes; the windows of open streams change by the difference. */
  resize(bytes: number): void {
    if (bytes > windowMax) throw tooLarge();
    const difference = bytes - this.#first;
    this.#first = bytes;
    for (const stream of this.#open) {
      if (!this.allowStream(stream, difference)) throw tooLarge();
    }
  }
  /** Writes what waits, as far as the windows and the socket allow. */
  resume(): void {
    for (const stream of this.#ready) {
      if (this.#writer.isFull || this.#window <= 0) return;
      this.#ready.delete(stream);
      this.#push(stream, turnBytes);
    }
  }

  /** Whether nothing waits, and one frame holds all of it: so are nearly all events of watches. */
  #isWritable({ parts, window }: Sending, bytes: number): boolean {
    return parts.length === 0 && this.#ready.size === 0 && bytes > 0 && bytes <= frameBytesMax && bytes <= window &&
      bytes <= this.#window &&
      !this.#writer.isFull;
  }
  #write(stream: Sending, data: Uint8Array, ends: boolean): void {
    this.#writer.frame(frameType.data, ends ? flag.endStream : 0, stream.id, data);
    this.#window -= data.length;
    stream.window -= data.length;
    if (!ends) return;
    stream.ends = stream.isDone = true;
    stream.onWritten?.();
  }
  /** Writes at most `turn` bytes of a stream. */
  #push(stream: Sending, turn: number): void {
    let left = turn;
    for (let data = stream.parts[0]; data !== undefined; data = stream.parts[0]) {
      const rest = data.length - stream.at;
      const bytes = Math.max(0, Math.min(rest, frameBytesMax, stream.window, this.#window, left)); // a window may be negative
      if (rest > 0 && (bytes <= 0 || this.#writer.isFull)) break;
      const isLast = bytes === rest && stream.ends && stream.parts.length === 1;
      this.#writer.frame(frameType.data, isLast ? flag.endStream : 0, stream.id, data, stream.at, stream.at + bytes);
      this.#window -= bytes;
      stream.window -= bytes;
      stream.at += bytes;
      left -= bytes;
      if (isLast) stream.isDone = true;
      if (bytes < rest) continue;
      stream.parts.shift();
      stream.at = 0;
    }
    if (stream.parts.length > 0 && stream.window > 0) this.#ready.add(stream);
    if (left < turn || stream.isDone) stream.onWritten?.();
  }
}

function tooLarge(): Error {
  return new ConnectionError(errorCode.flowControl, "The flow-control window exceeds 2^31-1 bytes");
}
