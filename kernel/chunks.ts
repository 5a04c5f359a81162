/** Bodies of many parts: small ones go out whole, large ones in pieces that are pulled as the client reads. */
import { limits } from "../core/limits.ts";

/** A part of a body: text, or bytes that are shared. */
export type Part = string | Uint8Array;

const toBytes = new TextEncoder();

/** Text or bytes when all of it fits into one piece, else pieces of about `limits.chunkBytes`. */
export function chunked(parts: readonly Part[]): string | Uint8Array | AsyncIterable<Uint8Array> {
  if (parts.length === 1) return parts[0]!;
  const size = sizeOf(parts);
  if (size > limits.chunkBytes) return pieces(parts);
  return gathered(parts, size);
}

/** Upper bound of the bytes of a body: exact for bytes, three for each UTF-16 unit of text. */
function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length * 3 : part.length), 0);
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

async function* pieces(parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  let from = 0, size = 0;
  for (const [index, part] of parts.entries()) {
    size += typeof part === "string" ? part.length * 3 : part.length;
    if (size < limits.chunkBytes) continue;
    yield gathered(parts.slice(from, index + 1), size);
    [from, size] = [index + 1, 0];
  }
  if (from < parts.length) yield gathered(parts.slice(from), size);
}
