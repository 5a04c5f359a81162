/** Bodies of many parts: small ones go out whole, large ones in pieces that are pulled as the client reads. */
import { limits } from "../../core/limits.ts";
import { nextTurn } from "../../core/turns.ts";

/** A part of a body: text, or bytes that are shared. */
export type Part = string | Uint8Array;
/** Text or bytes when all of it fits into one piece, else pieces. */
export type Chunked = string | Uint8Array | AsyncIterable<Uint8Array>;

const toBytes = new TextEncoder();
/** Bytes that lie together in this number go out as they lie; what is smaller is gathered. */
const wholeBytes = limits.chunkBytes / 4;

/** How long the event loop may be kept by what can be interrupted. */
const turnMs = 5;

/** `parts` as a body. */
export function chunked(parts: readonly Part[]): Chunked {
  if (parts.length === 1) return parts[0]!;
  const size = sizeOf(parts);
  return size > limits.chunkBytes ? pieces(parts) : gathered(parts, size);
}

/** A body that is made while it goes out, and how many bytes it has: all of them, or those that were made to find out that they are
 *  enough to be compressed. */
export interface Begun {
  readonly body: Chunked;
  readonly bytes: number;
}

/** Makes the first of `parts`, the event loop having its turns meanwhile; the others are made as they are pulled. */
export async function begun(parts: Iterable<Part>): Promise<Begun> {
  const first: Uint8Array[] = [];
  const rest = parts[Symbol.iterator]();
  const turn = new Turn();
  let bytes = 0;
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const part = typeof next.value === "string" ? toBytes.encode(next.value) : next.value;
    first.push(part);
    bytes += part.length;
    if (bytes >= limits.gzipBytesMin) return { body: pieces(inOrder(first, { [Symbol.iterator]: () => rest })), bytes };
    if (turn.isOver) await turn.next();
  }
  return { body: chunked(first), bytes };
}

export function* inOrder(...some: readonly Iterable<Part>[]): Generator<Part> {
  for (const parts of some) yield* parts;
}

/** Tells when a long piece of work has kept the event loop for long enough, and waits until others had their turn. */
export class Turn {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since > turnMs;
  }
  async next(): Promise<void> {
    await nextTurn();
    this.begin();
  }
  /** Others had their turn by themselves. */
  begin(): void {
    this.#since = performance.now();
  }
}

/** Upper bound of the bytes of a body: exact for bytes, three for each UTF-16 unit of text. */
export function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + boundOf(part), 0);
}
function boundOf(part: Part): number {
  return typeof part === "string" ? part.length * 3 : part.length;
}

function gathered(parts: readonly Part[], bound: number): Uint8Array {
  // Small ones come out of a pool: memory of its own, filled with zeros first, costs a small answer more than all that goes into it.
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

/** The parts in memory of their own, for those who keep it. */
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

async function* pieces(parts: Iterable<Part>): AsyncGenerator<Uint8Array> {
  let waiting: Part[] = [];
  let size = 0;
  const turn = new Turn();
  for (const part of parts) {
    if (turn.isOver) await turn.next();
    const whole = typeof part !== "string" && part.length >= wholeBytes;
    if (!whole) {
      waiting.push(part);
      size += boundOf(part);
    }
    if (size > 0 && (whole || size >= limits.chunkBytes)) {
      yield gathered(waiting, size);
      [waiting, size] = [[], 0];
      turn.begin();
    }
    if (whole) yield part;
  }
  if (size > 0) yield gathered(waiting, size);
}
