import { combine } from "./crc32.ts";
import type { Deflated } from "./deflate.ts";

/** Magic bytes, method deflate, no flags, no time, no level, unknown system. */
const header = Object.freeze([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** The final block of the deflate format, without content. */
const lastBlock = Object.freeze([3, 0]);

/** One gzip member (RFC 1952) around deflated bytes. */
export class GzipMember {
  #crc = 0;
  #length = 0;

  begin(): Uint8Array {
    return Uint8Array.from(header);
  }
  /** Appends bytes; returns their blocks. */
  add({ blocks, crc, shift, length }: Deflated): Uint8Array {
    this.#crc = combine(this.#crc, crc, shift);
    this.#length += length;
    return blocks;
  }
  end(): Uint8Array {
    const end = new Uint8Array(lastBlock.length + 8);
    end.set(lastBlock);
    const view = new DataView(end.buffer, lastBlock.length);
    view.setUint32(0, this.#crc, true);
    // Modulo 2^32, by the format.
    view.setUint32(4, this.#length, true);
    return end;
  }
}

/** Yields the bytes of one member that contains the concatenation of `parts`. */
export function* gzipMember(parts: Iterable<Deflated>): Generator<Uint8Array> {
  const member = new GzipMember();
  yield member.begin();
  for (const part of parts) yield member.add(part);
  yield member.end();
}
