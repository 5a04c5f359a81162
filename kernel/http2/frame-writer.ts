import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import process from "node:process";
import { limits } from "../../core/limits.ts";
import { frameBytesMax, headBytes } from "./frames.ts";

/** Bytes of the buffers of one write: most turns write a few small frames; others write as much as one write may hold. */
const smallBytes = 16 * 1024, largeBytes = limits.writeBytesMax + 8 * headBytes + frameBytesMax;
/** Free buffers that are kept, of each size. */
const freeMax = 32;

interface Slab {
  readonly bytes: Buffer;
  /** Bytes before `begin` are written to the socket, those before `end` are filled. */
  begin: number;
  end: number;
}

/** Buffers of writes. They are used again after a write, because new ones cost page faults and garbage collections. */
export class Slabs {
  readonly #small: Slab[] = [];
  readonly #large: Slab[] = [];

  take(isLarge: boolean): Slab {
    const free = (isLarge ? this.#large : this.#small).pop();
    return free ?? { bytes: Buffer.allocUnsafeSlow(isLarge ? largeBytes : smallBytes), begin: 0, end: 0 };
  }
  give(slab: Slab): void {
    slab.begin = slab.end = 0;
    const free = slab.bytes.length === largeBytes ? this.#large : this.#small;
    if (free.length < freeMax) free.push(slab);
  }
}

/**
 * Writes frames to a socket. Frames that are written until `later` calls leave in one write, and frames that are written during a write leave
 * together after it: a write for each frame costs more than all the rest of a request, and writes that queue up in the socket are copied again.
 */
export class FrameWriter {
  readonly #socket: Socket;
  readonly #slabs: Slabs;
  readonly #onRoom: () => void;
  readonly #later: (flush: () => void) => void;
  /** Slabs in order. The first is being written, the last is being filled. */
  readonly #filled: Slab[] = [];
  #unread = 0;
  #planned = false;
  #finished: (() => void) | undefined;
  /** Start of the current write (performance.now()); undefined if there is none. */
  #writingSince: number | undefined;

  /** `onRoom` is called when the writer is no longer full; `later` calls a function when the frames of this turn are written. */
  constructor(socket: Socket, slabs: Slabs, onRoom: () => void, later: (flush: () => void) => void = process.nextTick) {
    this.#socket = socket;
    this.#slabs = slabs;
    this.#onRoom = onRoom;
    this.#later = later;
  }
  /** Whether data should wait. Frames can be written at any time. */
  get isFull(): boolean {
    return this.#unread >= limits.writeBytesMax;
  }
  /** Bytes that the socket has not taken yet. */
  get unreadBytes(): number {
    return this.#unread;
  }
  /** Start of the current write; undefined if there is none. */
  get writingSince(): number | undefined {
    return this.#writingSince;
  }
  /** Writes a frame with `payload`, or with its bytes `from` to `to`. */
  frame(type: number, flags: number, stream: number, payload: Uint8Array, from = 0, to = payload.length): void {
    const { bytes, end } = this.#begin(type, flags, stream, to - from);
    bytes.set(to - from === payload.length ? payload : payload.subarray(from, to), end - (to - from));
  }
  /** Writes a frame with a payload of Latin-1 text. */
  text(type: number, flags: number, stream: number, payload: string): void {
    const { bytes, end } = this.#begin(type, flags, stream, payload.length);
    bytes.write(payload, end - payload.length, payload.length, "latin1");
  }
  /** Ends the socket after all frames. */
  end(): void {
    this.#finished = () => this.#socket.end();
    if (this.#filled.length === 0) this.#finished();
  }

  #begin(type: number, flags: number, stream: number, length: number): Slab {
    const slab = this.#withSpaceFor(headBytes + length), { bytes, end } = slab;
    bytes[end] = length >> 16;
    bytes[end + 1] = length >> 8;
    bytes[end + 2] = length;
    bytes[end + 3] = type;
    bytes[end + 4] = flags;
    bytes[end + 5] = stream >>> 24;
    bytes[end + 6] = stream >>> 16;
    bytes[end + 7] = stream >>> 8;
    bytes[end + 8] = stream;
    slab.end = end + headBytes + length;
    this.#unread += headBytes + length;
    if (!this.#planned && this.#writingSince === undefined) {
      this.#planned = true;
      this.#later(() => this.#flush());
    }
    return slab;
  }
  #withSpaceFor(bytes: number): Slab {
    const last = this.#filled.at(-1);
    if (last !== undefined && last.bytes.length - last.end >= bytes) return last;
    const next = this.#slabs.take(last !== undefined || bytes > smallBytes);
    if (last !== undefined && last.begin === 0 && this.#writingSince === undefined && last.bytes.length === smallBytes) {
      // A copy of these few bytes costs less than a write of their own.
      next.bytes.set(last.bytes.subarray(0, last.end));
      next.end = last.end;
      this.#filled.pop();
      this.#slabs.give(last);
    }
    this.#filled.push(next);
    return next;
  }
  #flush(): void {
    this.#planned = false;
    const slab = this.#filled[0];
    if (slab === undefined || this.#socket.destroyed) return;
    const piece = slab.bytes.subarray(slab.begin, slab.end);
    slab.begin = slab.end;
    this.#writingSince = performance.now();
    this.#socket.write(piece, (error) => error || this.#written(slab, piece.length));
  }
  #written(slab: Slab, bytes: number): void {
    this.#writingSince = undefined;
    const wasFull = this.isFull;
    this.#unread -= bytes;
    if (slab.begin === slab.end) {
      this.#filled.shift();
      this.#slabs.give(slab);
    }
    if (this.#filled.length > 0) this.#flush();
    else this.#finished?.();
    if (wasFull && !this.isFull) this.#onRoom();
  }
}
