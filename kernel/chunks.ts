/** Bodies of many parts: small ones go out whole, large ones in pieces that are pulled as the client reads. */
import { limits } from "../core/limits.ts";

/** A part of a body: text, or bytes that are shared. */
export type Part = string | Uint8Array;
/** Text or bytes when all of it fits into one piece, else pieces. */
export type Chunked = string | Uint8Array | AsyncIterable<Uint8Array>;

const toBytes = new TextEncoder();
/** Bytes that lie together in this number go out as they lie; what is smaller is gathered. */
const wholeBytes = limits.chunkBytes / 4;

/** `parts` as a body. `bytes`: how many they are at most, where the parts are made while they go out. */
export function chunked(parts: Iterable<Part>, bytes?: number): Chunked {
  if (bytes !== undefined && bytes > limits.chunkBytes) return pieces(parts);
  const all = [...parts];
  if (all.length === 1) return all[0]!;
  const size = sizeOf(all);
  return size > limits.chunkBytes ? pieces(all) : gathered(all, size);
}

/** Upper bound of the bytes of a body: exact for bytes, three for each UTF-16 unit of text. */
export function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + boundOf(part), 0);
}
function boundOf(part: Part): number {
  return typeof part === "string" ? part.length * 3 : part.length;
}

function gathered(parts: readonly Part[], bound: number): Uint8Array {
  const out = new Uint8Array(bound);
  let length = 0;
  for (const part of parts) {
    if (typeof part === "string") length += toBytes.encodeInto(part, out.subarray(length)).written;
    else {
      out.set(part, length);
      length += part.length;
    }
  }
  return out.subarray(0, length);
}

async function* pieces(parts: Iterable<Part>): AsyncGenerator<Uint8Array> {
  let waiting: Part[] = [];
  let size = 0;
  for (const part of parts) {
    const whole = typeof part !== "string" && part.length >= wholeBytes;
    if (!whole) {
      waiting.push(part);
      size += boundOf(part);
    }
    if (size > 0 && (whole || size >= limits.chunkBytes)) {
      yield gathered(waiting, size);
      [waiting, size] = [[], 0];
    }
    if (whole) yield part;
  }
  if (size > 0) yield gathered(waiting, size);
}
