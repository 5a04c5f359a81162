/** The blocks of a list, with the compressed bytes that lists share. */
import type { Clock } from "../../../core/async.ts";
import { deflate, type Deflated } from "../../../protocols/gzip/deflate.ts";
import { concat } from "../../objects/chunks.ts";
import type { ItemBlock, ItemForm } from "../../reads/reads.ts";
import { type EntryMaker, itemOf } from "../index/entry.ts";
import { runOf, type Span } from "../index/key-index.ts";
import { runBytes } from "../index/run-bytes.ts";
import { CompressedBlocks } from "./compressed-blocks.ts";
import { cutsOf } from "./cuts.ts";
import { bound } from "../../../core/bound.ts";
import { deflateBytesMax } from "../bounds.ts";

/** Maximum bytes of compressed blocks of lists that are kept for later lists. */
const compressedBlocksBytesMax = bound(64 * 1024 * 1024);
/** Maximum bytes of kept compressed parts of blocks. A page of a list begins or ends inside a block, and then sends a part of it. */
const compressedEdgesBytesMax = bound(8 * 1024 * 1024);
/** Milliseconds without use after which compressed blocks are dropped; some are dropped after twice the time. */
export const compressedIdleMs = bound(60_000);
/** Maximum number of kept compressed parts that begin with the same object, in one encoding. */
const compressedEdgeVariantsMax = bound(4);

/**
 * The blocks that are kept for later lists: whole blocks, and parts of them, with which most pages begin and end. Parts have a separate bound:
 * a client can request any number of different ones.
 */
export interface SharedBlocks {
  readonly whole: CompressedBlocks;
  readonly edges: CompressedBlocks;
}

export function sharedBlocks(clock: Clock): SharedBlocks {
  const idleMs = compressedIdleMs;
  return {
    whole: new CompressedBlocks({ bytesMax: compressedBlocksBytesMax, variantsMax: 1, idleMs }, clock),
    edges: new CompressedBlocks({ bytesMax: compressedEdgesBytesMax, variantsMax: compressedEdgeVariantsMax, idleMs }, clock),
  };
}

/** Called for each block that is sent. `isKept`: whether its compressed bytes were kept from an earlier list. */
export type BlockSent = (isKept: boolean) => void;

/** The blocks of entries of one kind, in order. */
export function* blocksOf(
  maker: EntryMaker,
  spans: Iterable<Span>,
  form: ItemForm,
  shared: SharedBlocks,
  sent: BlockSent,
): Generator<ItemBlock> {
  for (const { chunk, from, to } of spans) {
    let start = 0;
    for (const end of cutsOf(chunk)) {
      const first = Math.max(start, from), last = Math.min(end, to);
      const kept = first === start && last === end ? shared.whole : shared.edges;
      start = end;
      if (first < last) yield blockOf(maker, { chunk, from: first, to: last }, form, kept, sent);
    }
  }
}

function blockOf(maker: EntryMaker, span: Span, form: ItemForm, kept: CompressedBlocks, sent: BlockSent): ItemBlock {
  return {
    length() {
      const before = kept.get(form.name, span);
      return sum(before ?? partsOf(maker, span, form));
    },
    *pieces() {
      const before = kept.get(form.name, span);
      sent(before !== undefined);
      if (before !== undefined) return yield* before;
      const bytes = concat(partsOf(maker, span, form));
      const pieces: Deflated[] = [];
      for (let at = 0; at < bytes.length;) {
        const piece = deflate(bytes.subarray(at, at += deflateBytesMax));
        pieces.push(piece);
        // The block is kept here, before the caller may yield to another list.
        if (at >= bytes.length) kept.keep(form.name, span, pieces);
        yield piece;
      }
    },
  };
}

/** Returns the bytes of a block in parts, in order. */
function partsOf(maker: EntryMaker, span: Span, { between, bytesOf }: ItemForm): readonly Uint8Array[] {
  const run = runOf(span);
  if (bytesOf === undefined) return [...runBytes([run])];
  const separator = toBytes.encode(between);
  const parts: Uint8Array[] = [];
  for (const entry of run) {
    if (parts.length > 0 && separator.length > 0) parts.push(separator);
    parts.push(bytesOf(itemOf(maker, entry)));
  }
  return parts;
}

const toBytes = new TextEncoder();

function sum(parts: readonly { readonly length: number }[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}
