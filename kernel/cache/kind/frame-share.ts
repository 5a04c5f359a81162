/**
 * Frames of events, encoded once for all watches that write alike, and pieces of several frames, put together once for all
 * watches that are at the same place.
 */
import { limits } from "../../../core/limits.ts";
import { concat } from "../../objects/chunks.ts";
import type { Item } from "../../objects/objects.ts";
import type { Framing } from "../../reads/reads.ts";
import { bodyParts, type EntryMaker, itemOf } from "../index/entry.ts";
import type { RingEvent, Verdict } from "./ring.ts";

export interface FrameShare {
  /** The frame of an event for those who see it so. */
  frame(event: RingEvent, type: Verdict, framing: Framing): Uint8Array;
  /** What an event shows to those who see it so. */
  item(event: RingEvent, type: Verdict): Item;
  /** What a watch of this name was given from a place on, if nothing has been published since. */
  piece(name: string, from: number): Piece | undefined;
  keep(name: string, piece: Piece): void;
  /** There is more now than the pieces hold. */
  outdate(): void;
  clear(): void;
}

/** What goes out in one write; undefined bytes where none of the events concerns such a watch. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array | undefined;
  /** The sizes of the frames in it. */
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
    // The verdict has looked at the state that it shows.
    return itemOf(maker, (type === "DELETED" ? prior : next)!, revision);
  }
  /** The oldest go first: maps keep the order in which they were filled. */
  function shrink(): void {
    for (const [event, some] of frames) {
      if (bytes <= limits.sharedFramesBytesMax) return;
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
      if (bytes > limits.sharedFramesBytesMax) shrink();
      return made;
    },
    item: itemFor,
    piece(name, from) {
      const piece = pieces.get(name);
      return piece?.from === from ? piece : undefined;
    },
    keep(name, piece) {
      pieces.set(name, piece);
    },
    outdate() {
      if (pieces.size > 0) pieces = new Map();
    },
    clear() {
      pieces = new Map();
      frames = new Map();
      bytes = 0;
    },
  };
}

/** What comes before the body of an entry in a frame of the stored form. */
export function plainHead({ kind: { headBytes } }: EntryMaker, type: Verdict): Uint8Array {
  return concat([toBytes.encode(`{"type":"${type}","object":`), headBytes]);
}
