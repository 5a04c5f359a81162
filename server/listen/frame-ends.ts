/** Bytes of a frame before its payload (RFC 9113, 4.1). */
const headBytes = 9;
const prefaceBytes = 24;

/** Finds the boundaries of a client's HTTP/2 frames in chunks of any size. */
export class FrameEnds {
  /** Remaining bytes of the preface, or of the current frame's payload. */
  #left = prefaceBytes;
  /** Bytes read of an incomplete frame header, and the payload's length so far. */
  #head = 0;
  #length = 0;

  /** The offset after the `count`-th frame that ends in `bytes` after `from`, or the length of `bytes`. */
  after(bytes: Uint8Array, from: number, count: number): number {
    let at = from;
    while (at < bytes.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        at += taken;
      } else {
        const byte = bytes[at++]!;
        if (this.#head < 3) this.#length = this.#length * 256 + byte;
        if (++this.#head < headBytes) continue;
        this.#left = this.#length;
        this.#head = 0;
        this.#length = 0;
      }
      if (this.#left === 0 && --count <= 0) break;
    }
    return at;
  }
}
