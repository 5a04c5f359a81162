/** Sends bodies that consist of many parts. Small ones are sent whole, large ones in chunks that are made as the client reads. */
import { nextTurn, Turns } from "../../core/turns.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of a list or object from which on it is compressed, if the client accepts gzip. */
export const gzipBytesMin = bound(128 * 1024);
/** Bytes of one chunk of a list response. */
export const chunkBytes = bound(64 * 1024);

/** A part of a body: text, or bytes that are shared. */
export type BodyPart = string | Uint8Array;
/** A body of a response: text or bytes if it fits into one chunk, else chunks. */
export type Chunked = string | Uint8Array | AsyncIterable<Uint8Array>;

const toBytes = new TextEncoder();
/** Parts of at least this many bytes are sent without a copy; smaller ones are joined. */
const wholeBytes = chunkBytes / 4;

/** Milliseconds after which interruptible work yields to the event loop. */
const turnMs = 5;
/** Bodies that have yielded continue one after another. After 20 ms of their work other I/O gets a turn. */
const sharedTurns = new Turns(20);

/** Makes the body that consists of `parts`. */
export function bodyOfParts(parts: readonly BodyPart[]): Chunked {
  if (parts.length === 1) return parts[0]!;
  const size = sizeOf(parts);
  return size > chunkBytes ? pieces(parts) : gather(parts, size);
}

/** A body whose encoding has begun. `bytes` is its size, or if it has at least `gzipBytesMin` bytes, the number of bytes encoded so far. */
export interface Begun {
  readonly body: Chunked;
  readonly bytes: number;
}

/**
 * Encodes parts until there are `gzipBytesMin` bytes, and yields to the event loop between them. The other parts are encoded as the client
 * reads.
 */
export async function beginBody(parts: Iterable<BodyPart>): Promise<Begun> {
  const first: Uint8Array[] = [];
  const rest = parts[Symbol.iterator]();
  const turn = new Turn();
  let bytes = 0;
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const part = typeof next.value === "string" ? toBytes.encode(next.value) : next.value;
    first.push(part);
    bytes += part.length;
    if (bytes >= gzipBytesMin) return { body: pieces(inOrder(first, { [Symbol.iterator]: () => rest })), bytes };
    if (turn.isOver) await turn.next();
  }
  return { body: bodyOfParts(first), bytes };
}

export function* inOrder(...some: readonly Iterable<BodyPart>[]): Generator<BodyPart> {
  for (const parts of some) yield* parts;
}

/** Measures how long work has occupied the current turn of the event loop, and yields to the event loop. */
export class Turn {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since > turnMs;
  }
  async next(): Promise<void> {
    await nextTurn();
    await sharedTurns.next();
    this.begin();
  }
  /** Restarts the measurement, after the caller has itself yielded to the event loop. */
  begin(): void {
    this.#since = performance.now();
  }
}

/** Returns an upper bound of the bytes of a body. It is exact for bytes; each UTF-16 unit of text counts as three. */
export function sizeOf(parts: readonly BodyPart[]): number {
  return parts.reduce((sum, part) => sum + boundOf(part), 0);
}
function boundOf(part: BodyPart): number {
  return typeof part === "string" ? part.length * 3 : part.length;
}

function gather(parts: readonly BodyPart[], bound: number): Uint8Array {
  // Small buffers come from a pool: allocating and zeroing separate memory costs more than filling it.
  const out = Buffer.allocUnsafe(bound);
  let length = 0;
  for (const part of parts) {
    if (typeof part === "string") length += toBytes.encodeInto(part, out.subarray(length)).written;
    else {
      out.set(part, length);
      length += part.length;
    }
  }
  return length === bound ? out : out.subarray(0, length);
}

/** Joins the parts. The result has memory of its own, unless there is only one part. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  let length = 0;
  for (const part of parts) length += part.length;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Yields a body of any size in chunks. Its parts are made as the chunks are requested, and other work may run between them. */
export async function* pieces(parts: Iterable<BodyPart>): AsyncGenerator<Uint8Array> {
  let waiting: BodyPart[] = [];
  let size = 0;
  const turn = new Turn();
  for (const part of parts) {
    if (turn.isOver) await turn.next();
    const whole = typeof part !== "string" && part.length >= wholeBytes;
    if (!whole) {
      waiting.push(part);
      size += boundOf(part);
    }
    if (size > 0 && (whole || size >= chunkBytes)) {
      yield gather(waiting, size);
      [waiting, size] = [[], 0];
      turn.begin();
    }
    if (whole) yield part;
  }
  if (size > 0) yield gather(waiting, size);
}
