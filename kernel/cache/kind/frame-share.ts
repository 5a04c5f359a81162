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

export interface FrameShare {
  /** The frame of an event with this verdict. */
  frame(event: RingEvent, type: Verdict, framing: Framing): Uint8Array;
  /** The item that an event shows with this verdict. */
  item(event: RingEvent, type: Verdict): Item;
  /** The piece that a watch with this name got from this position; undefined if newer events were published since. */
  piece(name: string, from: number): Piece | undefined;
  keep(piece: Piece): void;
  /** Drops the pieces, because newer events were published and they lack these. */
  outdate(): void;
  /** Drops the frames of events up to a revision. A frame keeps its event in memory, and the event its entries. */
  forget(revision: Revision): void;
  clear(): void;
}

/** The bytes that a watch sends in one write. They are undefined if none of the events concerns the watch. */
export interface Piece {
  /** The name that the watches have that share this piece. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array | undefined;
  /** Sizes of the frames in bytes. */
  readonly sizes: readonly number[];
}

const toBytes = new TextEncoder();
const end = toBytes.encode("}\n");

export function frameShare(maker: EntryMaker): FrameShare {
  let pieces = new Map<string, Piece>();
  let frames = new Map<RingEvent, Map<string, Uint8Array>>();
  let bytes = 0;
  const heads = new Map<string, Uint8Array>();

  function plainFrame({ prior, next, revision }: RingEvent, type: Verdict): Uint8Array {
    const head = headOf(type);
    const shown = type === "DELETED" ? prior : next;
    return concat([head, ...bodyParts(shown!, revision), end]);
  }
  function headOf(type: Verdict): Uint8Array {
    const known = heads.get(type);
    if (known !== undefined) return known;
    const made = plainHead(maker, type);
    heads.set(type, made);
    return made;
  }
  function otherFrame(event: RingEvent, type: Verdict, framing: Framing): Uint8Array {
    return framing.frame(type, itemFor(event, type), false);
  }
  function itemFor({ prior, next, revision }: RingEvent, type: Verdict): Item {
    // This verdict is only given where this state exists.
    return itemOf(maker, (type === "DELETED" ? prior : next)!, revision);
  }
  /** Drops frames, the oldest first, up to the first one for which `isOver` is false. Maps iterate in insertion order. */
  function dropWhile(isOver: (event: RingEvent) => boolean): void {
    for (const [event, some] of frames) {
      if (!isOver(event)) return;
      for (const frame of some.values()) bytes -= frame.length;
      frames.delete(event);
    }
  }

  return {
    frame(event, type, framing) {
      const name = `${type} ${framing.id}`;
      let some = frames.get(event);
      const known = some?.get(name);
      if (known !== undefined) return known;
      const made = framing.plain ? plainFrame(event, type) : otherFrame(event, type, framing);
      if (some === undefined) frames.set(event, some = new Map());
      some.set(name, made);
      bytes += made.length;
      dropWhile(() => bytes > sharedFramesBytesMax);
      return made;
    },
    item: itemFor,
    piece(name, from) {
      const piece = pieces.get(name);
      return piece?.from === from ? piece : undefined;
    },
    keep(piece) {
      pieces.set(piece.name, piece);
    },
    outdate() {
      if (pieces.size > 0) pieces = new Map();
    },
    forget(revision) {
      dropWhile((event) => event.revision <= revision);
    },
    clear() {
      pieces = new Map();
      frames = new Map();
      bytes = 0;
    },
  };
}

/** Returns the bytes of a frame that precede the body of an entry in the stored form. */
export function plainHead({ kind: { headBytes } }: EntryMaker, type: Verdict): Uint8Array {
  return concat([toBytes.encode(`{"type":"${type}","object":`), headBytes]);
}
