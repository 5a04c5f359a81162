import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import process from "node:process";
import { flag, frameBytesMax, frameType, headBytes } from "./frames.ts";
import { bound } from "../../core/bound.ts";

/** Maximum bytes of one write to a connection. A write is encrypted as a whole and kept in memory until its client has read it, so large
 *  writes would delay other clients and take memory for each client. */
export const writeBytesMax = bound(128 * 1024);

/** Bytes of the buffers of one write: most turns write a few small frames; others write as much as one write may hold. */
const smallBytes = 16 * 1024, largeBytes = writeBytesMax + 8 * headBytes + frameBytesMax;
/** Free buffers that are kept, of each size. */
const freeMax = 32;

interface Slab {
  readonly bytes: Buffer;
  /** Bytes before `begin` are written to the socket, those before `end` are filled. */
  begin: number;
  end: number;
  /** Streams that end with a frame after `begin`. */
  ends: number;
}

/** Buffers of writes. They are used again after a write, because new ones cost page faults and garbage collections. */
export class Slabs {
  readonly #small: Slab[] = [];
  readonly #large: Slab[] = [];
  readonly #bytesMax: number;
  readonly #onExcess: () => boolean;
  #held = 0;
  #isExcessive = false;

  /**
   * @param bytesMax bytes of all buffers in use, above which `onExcess` is called in a later turn, until it returns false: it ends a
   *   connection that holds some of them
   */
  constructor(bytesMax = Infinity, onExcess: () => boolean = () => false) {
    this.#bytesMax = bytesMax;
    this.#onExcess = onExcess;
  }
  /** Bytes of the buffers in use. */
  get heldBytes(): number {
    return this.#held;
  }
  take(isLarge: boolean): Slab {
    const free = (isLarge ? this.#large : this.#small).pop();
    const slab = free ?? { bytes: Buffer.allocUnsafeSlow(isLarge ? largeBytes : smallBytes), begin: 0, end: 0, ends: 0 };
    this.#held += slab.bytes.length;
    if (this.#held > this.#bytesMax && !this.#isExcessive) this.#reduce();
    return slab;
  }
  give(slab: Slab): void {
    this.drop(slab);
    slab.begin = slab.end = slab.ends = 0;
    const free = slab.bytes.length === largeBytes ? this.#large : this.#small;
    if (free.length < freeMax) free.push(slab);
  }
  /** As `give`, for a buffer that the socket may still read: it is not used again. */
  drop({ bytes }: Slab): void {
    this.#held -= bytes.length;
  }
  /** Not at once: a connection must not end within the call that writes its frame. */
  #reduce(): void {
    this.#isExcessive = true;
    setImmediate(() => {
      while (this.#held > this.#bytesMax && this.#onExcess());
      this.#isExcessive = false;
    });
  }
}

/**
 * Writes frames to a socket. Frames that are written until `later` calls leave in one write, and frames that are written during a write leave
 * together after it: a write for each frame costs more than all the rest of a request, and writes that queue up in the socket are copied again.
 */
export class FrameWriter {
  readonly #socket: Socket;
  readonly #slabs: Slabs;
  readonly #onTaken: () => void;
  readonly #later: (flush: () => void) => void;
  /** Slabs in order. The first is being written, the last is being filled. */
  readonly #filled: Slab[] = [];
  #unread = 0;
  #unreadEnds = 0;
  #planned = false;
  #finished: (() => void) | undefined;
  /** Start of the current write (performance.now()); undefined if there is none. */
  #writingSince: number | undefined;

  /** `onTaken` is called when the socket has taken a write; `later` calls a function when the frames of this turn are written. */
  constructor(socket: Socket, slabs: Slabs, onTaken: () => void, later: (flush: () => void) => void = process.nextTick) {
    this.#socket = socket;
    this.#slabs = slabs;
    this.#onTaken = onTaken;
    this.#later = later;
  }
  /** Whether data should wait. Frames can be written at any time. */
  get isFull(): boolean {
    return this.#unread >= writeBytesMax;
  }
  /** Bytes that the socket has not taken yet. */
  get unreadBytes(): number {
    return this.#unread;
  }
  /** Streams whose last frame the socket has not taken yet. */
  get unreadEnds(): number {
    return this.#unreadEnds;
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
  /** Releases the buffers: the socket is closed. */
  drop(): void {
    this.#writingSince = undefined;
    for (const slab of this.#filled.splice(0)) this.#slabs.drop(slab);
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
    if (endsStream(type, flags)) {
      slab.ends++;
      this.#unreadEnds++;
    }
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
      next.ends = last.ends;
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
    const piece = slab.bytes.subarray(slab.begin, slab.end), { ends } = slab;
    slab.begin = slab.end;
    slab.ends = 0;
    this.#writingSince = performance.now();
    this.#socket.write(piece, (error) => error || this.#written(slab, piece.length, ends));
  }
  #written(slab: Slab, bytes: number, ends: number): void {
    if (this.#filled[0] !== slab) return; // dropped
    this.#writingSince = undefined;
    this.#unread -= bytes;
    this.#unreadEnds -= ends;
    if (slab.begin === slab.end) {
      this.#filled.shift();
      this.#slabs.give(slab);
    }
    if (this.#filled.length > 0) this.#flush();
    else this.#finished?.();
    this.#onTaken();
  }
}

function endsStream(type: number, flags: number): boolean {
  return type === frameType.reset || type <= frameType.headers && (flags & flag.endStream) !== 0;
}
