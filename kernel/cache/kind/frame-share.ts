/** Frames of events, encoded once for all watches of one encoding, and pieces of several frames, joined once for equal watches at one position. */
import { concat } from "../../objects/chunks.ts";
import type { Item } from "../../objects/objects.ts";
import type { Framing } from "../../reads/reads.ts";
import type { Revision } from "../../store/store.ts";
import { bodyParts, type EntryMaker, itemOf } from "../index/entry.ts";
import type { RingEvent, Verdict } from "./ring.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum bytes of cached frames for watches that have not begun yet. */
const sharedFramesBytesMax = bound(8 * 1024 * 1024);
/** Maximum bytes of the cached pieces of a kind, for watches that are behind. */
const sharedPiecesBytesMax = bound(4 * 1024 * 1024);
/** Bytes that a piece without frames counts as. */
const pieceBytes = 200;

/** The bytes that a watch sends in one write. They are undefined if none of the events concerns the watch. */
export interface Piece {
  /** The name that the watches have that share this piece. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Whether later events do not belong to it. */
  readonly isWhole: boolean;
  readonly bytes: Uint8Array | undefined;
  /** Sizes of the frames in bytes. */
  readonly sizes: readonly number[];
}

const toBytes = new TextEncoder();
const end = toBytes.encode("}\n");

/** The shared frames and pieces of one kind. */
export class FrameShare {
  readonly #maker: EntryMaker;
  /** The bytes of a frame before the body, by verdict. */
  readonly #heads = new Map<Verdict, Uint8Array>();
  /** By name and first position. */
  #pieces = new Map<string, Map<number, Piece>>();
  #pieceBytes = 0;
  /** The frames of each event by verdict and encoding, the oldest event first. */
  #frames = new Map<RingEvent, Map<string, Uint8Array>>();
  /** The sum of the frames' lengths. */
  #bytes = 0;
  constructor(maker: EntryMaker) {
    this.#maker = maker;
  }
  /** The frame of an event with this verdict. */
  frame(event: RingEvent, type: Verdict, framing: Framing): Uint8Array {
    const name = `${type} ${framing.id}`;
    let some = this.#frames.get(event);
    const known = some?.get(name);
    if (known !== undefined) return known;
    const made = framing.plain ? this.#plainFrame(event, type) : framing.frame(type, this.item(event, type), false);
    if (some === undefined) this.#frames.set(event, some = new Map());
    some.set(name, made);
    this.#bytes += made.length;
    this.#dropWhile(() => this.#bytes > sharedFramesBytesMax);
    return made;
  }
  /** The item that an event shows with this verdict. */
  item({ prior, next, revision }: RingEvent, type: Verdict): Item {
    // This verdict is only given where this state exists.
    return itemOf(this.#maker, (type === "DELETED" ? prior : next)!, revision);
  }
  /** The piece that a watch with this name got from this position; undefined if it lacks newer events up to `end`. */
  piece(name: string, from: number, end: number): Piece | undefined {
    const piece = this.#pieces.get(name)?.get(from);
    return piece === undefined || piece.isWhole || piece.to === end ? piece : undefined;
  }
  keep(piece: Piece): void {
    const { name, from, bytes } = piece, size = pieceBytes + (bytes?.length ?? 0);
    if (this.#pieceBytes + size > sharedPiecesBytesMax) this.outdate();
    const some = this.#pieces.get(name) ?? new Map<number, Piece>();
    this.#pieces.set(name, some.set(from, piece));
    this.#pieceBytes += size;
  }
  /** Drops the pieces. */
  outdate(): void {
    if (this.#pieceBytes > 0) this.#pieces = new Map();
    this.#pieceBytes = 0;
  }
  /** Drops the frames of events up to a revision. A frame keeps its event in memory, and the event its entries. */
  forget(revision: Revision): void {
    this.#dropWhile((event) => event.revision <= revision);
  }
  clear(): void {
    this.outdate();
    this.#frames = new Map();
    this.#bytes = 0;
  }
  #plainFrame({ prior, next, revision }: RingEvent, type: Verdict): Uint8Array {
    const shown = type === "DELETED" ? prior : next;
    return concat([this.#headOf(type), ...bodyParts(shown!, revision), end]);
  }
  #headOf(type: Verdict): Uint8Array {
    const known = this.#heads.get(type);
    if (known !== undefined) return known;
    const made = plainHead(this.#maker, type);
    this.#heads.set(type, made);
    return made;
  }
  /** Drops frames, the oldest first, up to the first one for which `isOver` is false. Maps iterate in insertion order. */
  #dropWhile(isOver: (event: RingEvent) => boolean): void {
    for (const [event, some] of this.#frames) {
      if (!isOver(event)) return;
      for (const frame of some.values()) this.#bytes -= frame.length;
      this.#frames.delete(event);
    }
  }
}

/** Returns the bytes of a frame that precede the body of an entry in the stored form. */
export function plainHead({ kind: { headBytes } }: EntryMaker, type: Verdict): Uint8Array {
  return concat([toBytes.encode(`{"type":"${type}","object":`), headBytes]);
}
