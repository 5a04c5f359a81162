/** Frames of SPDY/3.1 between a client that opens all streams and a server that only answers (draft 3.1, section 2.2). */
import { bound } from "../../core/bound.ts";

/** Bytes of a control frame that a server sends; of its content, the first eight are read. */
export const spdyControlBytesMax = bound(64 * 1024);

const headBytes = 8;
const controlBit = 0x80;
const version = 3;
const finFlag = 1;
/** Types of control frames. */
const type = Object.freeze({ synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 });
const known: ReadonlySet<number> = new Set(Object.values(type));
/** Bytes of the content that are needed of frames that are read. */
const bytesNeeded: Readonly<Record<number, number>> = Object.freeze({ [type.synReply]: 4, [type.rstStream]: 8, [type.ping]: 4 });

/** A server that does not speak SPDY. */
export class SpdyError extends Error {
  override readonly name = "SpdyError";
}

/** What a server sends. */
export interface SpdyEvents {
  /** Data of a stream. The bytes are a view of the piece that was read. */
  data(stream: number, content: Uint8Array): void;
  /** The server has accepted a stream. */
  accepted(stream: number): void;
  /** The server sends no more on this stream. */
  ended(stream: number): void;
  /** A ping to be answered with its id. */
  ping(id: number): void;
}

/** Reads the frames of a server, in pieces of any size. */
export class SpdyFrames {
  readonly #events: SpdyEvents;
  readonly #head = new Uint8Array(headBytes);
  #headBytes = 0;
  readonly #content = new Uint8Array(headBytes);
  #contentBytes = 0;
  /** Bytes of the frame that are still to come. */
  #rest = 0;

  constructor(events: SpdyEvents) {
    this.#events = events;
  }

  /** Throws a SpdyError for what is no frame, or one that a server must not send. */
  read(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      if (this.#headBytes < headBytes) {
        this.#head[this.#headBytes++] = piece[at++]!;
        if (this.#headBytes === headBytes) this.#begin();
      } else {
        const end = Math.min(piece.length, at + this.#rest);
        this.#take(piece.subarray(at, end));
        this.#rest -= end - at;
        at = end;
      }
      if (this.#headBytes === headBytes && this.#rest === 0) this.#end();
    }
  }

  get #isControl(): boolean {
    return (this.#head[0]! & controlBit) !== 0;
  }
  get #type(): number {
    return this.#head[3]!;
  }

  #begin(): void {
    const head = this.#head;
    this.#rest = head[5]! * 65_536 + head[6]! * 256 + head[7]!;
    this.#contentBytes = 0;
    if (!this.#isControl) return;
    const found = (head[0]! & 0x7f) * 256 + head[1]!, kind = head[2]! * 256 + head[3]!;
    if (found !== version || !known.has(kind)) throw new SpdyError(`invalid SPDY frame: version ${found}, type ${kind}`);
    if (kind === type.synStream) throw new SpdyError("the server opens a stream");
    if (this.#rest > spdyControlBytesMax) throw new SpdyError(`a SPDY control frame of ${this.#rest} bytes`);
    if (this.#rest < (bytesNeeded[kind] ?? 0)) throw new SpdyError(`a SPDY frame of type ${kind} with ${this.#rest} bytes`);
  }

  #take(part: Uint8Array): void {
    if (!this.#isControl) return this.#events.data(idOf(this.#head, 0), part);
    const kept = part.subarray(0, headBytes - this.#contentBytes);
    this.#content.set(kept, this.#contentBytes);
    this.#contentBytes += kept.length;
  }

  #end(): void {
    this.#headBytes = 0;
    const isLast = (this.#head[4]! & finFlag) !== 0;
    if (!this.#isControl) return isLast ? this.#events.ended(idOf(this.#head, 0)) : undefined;
    const id = idOf(this.#content, 0);
    if (this.#type === type.synReply) this.#events.accepted(id);
    else if (this.#type === type.rstStream) this.#events.ended(id);
    else if (this.#type === type.ping) this.#events.ping(new DataView(this.#content.buffer).getUint32(0));
    if (isLast && (this.#type === type.synReply || this.#type === type.headers)) this.#events.ended(id);
  }
}

/** Returns a stream's id in 31 bits. */
function idOf(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at) & 0x7fffffff;
}

function controlFrame(kind: number, flags: number, content: Uint8Array): Uint8Array {
  const frame = new Uint8Array(headBytes + content.length), view = new DataView(frame.buffer);
  view.setUint16(0, controlBit * 256 + version);
  view.setUint16(2, kind);
  view.setUint32(4, flags * 2 ** 24 + content.length);
  frame.set(content, headBytes);
  return frame;
}

const streamBytes = 10;
/** The head of a zlib stream without a dictionary (RFC 1950): it stands before the headers of the first stream only. */
const zlibHead = Uint8Array.of(0x78, 0x01);
/** An empty block, at which readers hand out what they have (RFC 1951, section 3.2.4). */
const flushed = Uint8Array.of(0, 0, 0, 0xff, 0xff);
const encoder = new TextEncoder();

/**
 * Returns the frame that opens a stream. Clients count their streams 1, 3, 5 and so on; the headers have names in lower case, and 65,535
 * bytes at most.
 */
export function openFrame(stream: number, headers: Readonly<Record<string, string>>): Uint8Array {
  const block = headerBlock(headers), first = stream === 1 ? zlibHead : new Uint8Array(0), { length } = block;
  const stored = Uint8Array.of(0, length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff);
  const begin = new Uint8Array(streamBytes);
  new DataView(begin.buffer).setUint32(0, stream);
  return controlFrame(type.synStream, 0, joined([begin, first, stored, block, flushed]));
}

/** Returns the number of pairs, and each name and value after its length. */
function headerBlock(headers: Readonly<Record<string, string>>): Uint8Array {
  const pairs = Object.entries(headers), words = pairs.flat().map((word) => encoder.encode(word));
  return joined([uint32(pairs.length), ...words.flatMap((word) => [uint32(word.length), word])]);
}

/** Returns the head of a frame with `length` bytes of data, which follow it. `isLast`: the stream has no more. */
export function dataHead(stream: number, length: number, isLast = false): Uint8Array {
  return joined([uint32(stream), uint32((isLast ? finFlag : 0) * 2 ** 24 + length)]);
}

/** Returns the answer to a ping. */
export function pingFrame(id: number): Uint8Array {
  return controlFrame(type.ping, 0, uint32(id));
}

function uint32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

/** Returns the bytes of all parts. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
