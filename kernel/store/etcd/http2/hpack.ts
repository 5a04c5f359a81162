/**
 * Header blocks (RFC 7541) without a dynamic table: the settings of this client forbid one. A block therefore has the same meaning at
 * any time, and the blocks of calls are encoded once.
 */
import { limits } from "../../../../core/limits.ts";
import { Buffer } from "node:buffer";
import { huffmanDecoded } from "./huffman.ts";

/** Headers by lower-case name. Of the static table only ":status" is decoded; the store uses no other. */
export type Headers = ReadonlyMap<string, string>;

/** Index of the first ":status" value in the static table. */
const statusFirst = 8;
const statuses = Object.freeze(["200", "204", "206", "304", "400", "404", "500"]);
/** Last index of the static table. */
const staticMax = 61;

const huffmanBit = 0x80;

/** A block of literal fields without indexing. */
export function headerBlock(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value);
    return Buffer.concat([integer(bytes.length, 7), bytes]);
  };
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]));
}

/** Decodes a whole block. Throws if it is malformed or refers to a dynamic table. */
export function readHeaders(block: Buffer): Headers {
  const headers = new Map<string, string>();
  let at = 0;

  function byteAt(index: number): number {
    const byte = block[index];
    if (byte === undefined) throw new Error("A header is longer than its block");
    return byte;
  }
  function number(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = byteAt(at++) & most;
    if (value < most) return value;
    for (let shift = 0;; shift += 7) {
      // No valid integer here comes near 2^28.
      if (shift > 21) throw new Error("A number in a header is too large");
      const byte = byteAt(at++);
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  function text(): string {
    const coded = (byteAt(at) & huffmanBit) !== 0;
    const length = number(7);
    if (length > block.length - at) throw new Error("A header is longer than its block");
    const bytes = block.subarray(at, at += length);
    return coded ? huffmanDecoded(bytes) : bytes.toString("latin1");
  }
  function numbered(index: number): void {
    if (index === 0 || index > staticMax) throw new Error("A header refers to the dynamic table, which is disabled");
  }
  while (at < block.length) {
    const head = byteAt(at);
    if (head >= 0x80) {
      const index = number(7);
      numbered(index);
      const status = statuses[index - statusFirst];
      if (status !== undefined) headers.set(":status", status);
    } else if (head >= 0x20 && head < 0x40) {
      if (number(5) !== 0) throw new Error("A header table is larger than allowed");
    } else {
      // With indexing (6 bits), without indexing, and never indexed (4 bits): equal without a dynamic table.
      const index = number(head >= 0x40 ? 6 : 4);
      if (index !== 0) numbered(index);
      const name = index === 0 ? text() : index >= statusFirst && index < statusFirst + statuses.length ? ":status" : undefined;
      const value = text();
      if (name !== undefined) headers.set(name, value);
    }
  }
  return headers;
}

/** As `readHeaders`, with a cache of short blocks, because nearly all answers have the same ones. */
export function headerReader(): (block: Buffer) => Headers {
  const known = new Map<string, Headers>();
  return (block) => {
    if (block.length > limits.etcdKnownHeaderBytesMax) return readHeaders(block);
    const key = block.toString("latin1");
    const before = known.get(key);
    if (before !== undefined) return before;
    const headers = readHeaders(block);
    if (known.size === limits.etcdKnownHeadersMax) known.clear();
    known.set(key, headers);
    return headers;
  };
}

function integer(value: number, prefixBits: number): Buffer {
  const most = (1 << prefixBits) - 1;
  if (value < most) return Buffer.of(value);
  const bytes = [most];
  let rest = value - most;
  for (; rest >= 0x80; rest >>>= 7) bytes.push(rest & 0x7f | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
