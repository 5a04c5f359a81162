/** Decodes header blocks (RFC 7541). */
import type { Buffer } from "node:buffer";
import { ConnectionError, errorCode } from "./frames.ts";
import { huffmanDecoded } from "./huffman.ts";
import { staticFields } from "./static-table.ts";

/** A header field. Fields of the tables are shared by all blocks that refer to them. */
export interface Field {
  /** One character for each byte, as in the value. */
  readonly name: string;
  readonly value: string;
  /** The result of the decoder's `check`. */
  readonly isValid: boolean;
}

export interface DecoderOptions {
  /** Largest size of the dynamic table, in bytes as RFC 7541 counts them: the advertised SETTINGS_HEADER_TABLE_SIZE. */
  readonly tableBytesMax: number;
  /** Largest size of the fields of one block, in bytes as RFC 7541 counts them, and their largest number. */
  readonly listBytesMax: number;
  readonly fieldsMax: number;
  /** Checks a field once, when it is read; fields of the tables are not checked again. */
  check(name: string, value: string): boolean;
}

/** Bytes that each field counts in addition to its name and value (RFC 7541, section 4.1). */
const fieldBytes = 32;
const huffmanBit = 0x80;
/** All but one are valid: HTTP/2 forbids a transfer-encoding, also the empty one of the static table. */
const known: readonly Field[] = Object.freeze(
  staticFields.map(([name, value]) => Object.freeze({ name, value, isValid: name !== "transfer-encoding" })),
);

/** Decodes the blocks of one connection, in order. */
export class HeaderDecoder {
  readonly #options: DecoderOptions;
  /** The dynamic table; the newest field is the last. */
  #table: Field[] = [];
  /** Evicted fields at the start of `#table`. */
  #evicted = 0;
  #tableBytes = 0;
  #tableBytesMax: number;
  #block!: Buffer;
  #at = 0;

  constructor(options: DecoderOptions) {
    this.#options = options;
    this.#tableBytesMax = options.tableBytesMax;
  }
  /** Decodes a whole block; undefined if its fields exceed their bounds. Throws if the block is malformed: the connection cannot continue. */
  decode(block: Buffer): Field[] | undefined {
    this.#block = block;
    this.#at = 0;
    const { listBytesMax, fieldsMax } = this.#options;
    const fields: Field[] = [];
    let bytes = 0, isResized = true;
    while (this.#at < block.length) {
      const head = block[this.#at]!;
      if (head >= 0x20 && head < 0x40) {
        if (!isResized) throw malformedError("A header block changes the size of its table after a field");
        this.#resize(this.#number(5));
        continue;
      }
      isResized = false;
      const field = head >= 0x80 ? this.#numbered(this.#number(7)) : this.#literal(head);
      bytes += sizeOf(field);
      // The whole block is read in any case, because it changes the table.
      if (bytes <= listBytesMax && fields.length < fieldsMax) fields.push(field);
      else bytes = Infinity;
    }
    return bytes === Infinity ? undefined : fields;
  }

  #literal(head: number): Field {
    const isIndexed = head >= 0x40;
    // Without indexing, and never indexed: the difference concerns proxies.
    const index = this.#number(isIndexed ? 6 : 4);
    const name = index === 0 ? this.#text() : this.#numbered(index).name;
    const value = this.#text();
    const field: Field = { name, value, isValid: this.#options.check(name, value) };
    if (isIndexed) this.#add(field);
    return field;
  }
  #add(field: Field): void {
    this.#tableBytes += sizeOf(field);
    this.#table.push(field);
    this.#evict();
  }
  #resize(bytes: number): void {
    if (bytes > this.#options.tableBytesMax) throw malformedError("A header table is larger than allowed");
    this.#tableBytesMax = bytes;
    this.#evict();
  }
  /** Removes the oldest fields, also a new one that is larger than the whole table. */
  #evict(): void {
    while (this.#tableBytes > this.#tableBytesMax) this.#tableBytes -= sizeOf(this.#table[this.#evicted++]!);
    // `shift()` for each field would move all others.
    if (this.#evicted < 64 || this.#evicted < this.#table.length / 2) return;
    this.#table = this.#table.slice(this.#evicted);
    this.#evicted = 0;
  }
  #numbered(index: number): Field {
    if (index <= known.length) {
      const field = known[index - 1];
      if (field === undefined) throw malformedError("A header has the number 0");
      return field;
    }
    const at = this.#table.length - (index - known.length);
    if (at < this.#evicted) throw malformedError("A header refers to a field that is not in the table");
    return this.#table[at]!;
  }
  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw malformedError("A header is longer than its block");
    return byte;
  }
  /** An integer with a prefix (RFC 7541, section 5.1). */
  #number(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0;; shift += 7) {
      // No valid integer here comes near 2^28.
      if (shift > 21) throw malformedError("A number in a header is too large");
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  #text(): string {
    const isCoded = ((this.#block[this.#at] ?? 0) & huffmanBit) !== 0;
    const length = this.#number(7), from = this.#at, to = from + length;
    if (to > this.#block.length) throw malformedError("A header is longer than its block");
    this.#at = to;
    return isCoded ? huffmanDecoded(this.#block.subarray(from, to)) : this.#block.toString("latin1", from, to);
  }
}

function sizeOf({ name, value }: Field): number {
  return name.length + value.length + fieldBytes;
}

function malformedError(message: string): Error {
  return new ConnectionError(errorCode.compression, message);
}
