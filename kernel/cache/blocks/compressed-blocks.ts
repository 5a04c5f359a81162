/**
 * Compressed blocks of lists, kept while lists use them. A block is a sequence of entries in one form. Entries are immutable, so a block is
 * found by the identity of its entries: it cannot be out of date.
 *
 *   kept in two generations:   old  |  young        a block that is used moves to the young ones
 *   after the idle time:       the old ones are dropped, the young ones become the old ones
 *
 * The same happens as soon as the young ones exceed half of the bound.
 */
import type { Clock } from "../../../core/async.ts";
import type { Deflated } from "../../../protocols/gzip/deflate.ts";
import type { CachedEntry } from "../index/entry.ts";
import type { Span } from "../index/key-index.ts";

interface Block {
  readonly form: string;
  readonly entries: readonly CachedEntry[];
  readonly pieces: readonly Deflated[];
  readonly bytes: number;
}

interface Generation {
  readonly blocks: Set<Block>;
  bytes: number;
}

export interface CompressedBlocksBounds {
  readonly bytesMax: number;
  /** Maximum number of kept blocks of one form that begin with the same entry. */
  readonly variantsMax: number;
  /** A block is kept at least once, and at most twice as long, after its last use. */
  readonly idleMs: number;
}

/** Approximate memory of a block in bytes: objects, and references to its entries. */
const blockBytes = 400, referenceBytes = 8;

export class CompressedBlocks {
  readonly #bounds: CompressedBlocksBounds;
  readonly #clock: Clock;
  /** The kept blocks, by their first entry. */
  readonly #known = new Map<CachedEntry, Block[]>();
  #young: Generation = { blocks: new Set(), bytes: 0 };
  #old: Generation = { blocks: new Set(), bytes: 0 };
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(bounds: CompressedBlocksBounds, clock: Clock) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** The memory of all kept blocks, in bytes. */
  get bytes(): number {
    return this.#young.bytes + this.#old.bytes;
  }

  /** Returns the compressed pieces of the block of these entries; undefined if they are not kept. */
  get(form: string, span: Span): readonly Deflated[] | undefined {
    const some = this.#known.get(span.chunk[span.from]!);
    if (some === undefined) return undefined;
    for (const block of some) {
      if (block.form !== form || !isOf(span, block.entries)) continue;
      if (this.#old.blocks.delete(block)) {
        this.#old.bytes -= block.bytes;
        this.#admit(block);
      }
      return block.pieces;
    }
    return undefined;
  }

  /** Keeps the pieces of a block. The oldest of those that begin with the same entry in this form is dropped if there are too many. */
  keep(form: string, { chunk, from, to }: Span, pieces: readonly Deflated[]): void {
    if (this.#closed || this.get(form, { chunk, from, to }) !== undefined) return;
    let bytes = blockBytes + (to - from) * referenceBytes;
    for (const { blocks } of pieces) bytes += blocks.length;
    if (bytes > this.#bounds.bytesMax / 2) return;
    const entries = chunk.slice(from, to);
    const block = { form, entries, pieces, bytes };
    const [first] = entries as [CachedEntry];
    const some = this.#known.get(first) ?? [];
    const same = some.filter((other) => other.form === form);
    if (same.length >= this.#bounds.variantsMax) this.#drop(same[0]!);
    this.#known.set(first, [...this.#known.get(first) ?? [], block]);
    this.#admit(block);
    this.#cancel ??= this.#clock.after(this.#bounds.idleMs, () => this.#rest());
  }

  /** Drops all blocks, and keeps none from now on. */
  close(): void {
    this.#closed = true;
    this.#cancel?.();
    this.#rotate();
    this.#rotate();
  }

  #admit(block: Block): void {
    if (this.#young.bytes + block.bytes > this.#bounds.bytesMax / 2) this.#rotate();
    this.#young.blocks.add(block);
    this.#young.bytes += block.bytes;
  }

  #rest(): void {
    this.#rotate();
    this.#cancel = this.#old.blocks.size === 0 ? undefined : this.#clock.after(this.#bounds.idleMs, () => this.#rest());
  }

  #rotate(): void {
    for (const block of this.#old.blocks) this.#forget(block);
    this.#old = this.#young;
    this.#young = { blocks: new Set(), bytes: 0 };
  }

  #drop(block: Block): void {
    for (const generation of [this.#young, this.#old]) if (generation.blocks.delete(block)) generation.bytes -= block.bytes;
    this.#forget(block);
  }

  #forget(block: Block): void {
    const first = block.entries[0]!;
    const others = this.#known.get(first)?.filter((other) => other !== block) ?? [];
    if (others.length === 0) this.#known.delete(first);
    else this.#known.set(first, others);
  }
}

function isOf({ chunk, from, to }: Span, entries: readonly CachedEntry[]): boolean {
  if (entries.length !== to - from) return false;
  for (let index = 0; index < entries.length; index++) if (entries[index] !== chunk[from + index]) return false;
  return true;
}
