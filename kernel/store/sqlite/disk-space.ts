/**
 * Whether the database has room, and what is still done when it has none:
 *
 *   open ──> a write fails for want of room ──> full ──> the reserve is whole again, or the database has free pages ──> open
 *
 * While it is full, only writes that free room are made (deletions, compaction), at the cost of the reserve, piece by piece.
 */
import { reasonOf } from "../../../core/reason-of.ts";
import type { Reserve } from "./reserve.ts";

/** What a run may do: all, only what frees room, or only reads. */
export type Allowed = "all" | "freeing" | "reads";

export interface DiskSpace {
  readonly full: boolean;
  /** What the next run may do. Where the reserve is gone, free pages in the database must do: without them it is full. */
  allowed(): Allowed;
  /** Called when a run has failed for want of room: what the same run may do now, once there is nothing to release, only reads. */
  pressed(): Allowed;
  /** Looks whether there is room again. */
  look(): void;
}

/** The parts of a database that `roomOf` uses. */
export interface DiskSpaceOptions {
  readonly reserve: Reserve;
  /** Bytes in the database that nothing uses. */
  readonly freeBytes: () => number;
  /** Whether a write of some size fits; leaves nothing behind. */
  readonly fits: () => boolean;
  /** Copies what was logged into the database, so that its log can be written from the beginning again. */
  readonly checkpoint: () => void;
  /** Free bytes in the database that count as room where the disk has none. */
  readonly enoughBytes: number;
}

export function diskSpace({ reserve, freeBytes, fits, checkpoint, enoughBytes }: DiskSpaceOptions): DiskSpace {
  /** Whether the reserve is whole. Without it the database is full before its last page is used. */
  let isWhole = reserve.refill();
  let full = !isWhole && freeBytes() < enoughBytes;
  return {
    get full() {
      return full;
    },
    allowed() {
      if (!full && !isWhole) full = freeBytes() < enoughBytes / 2;
      return full ? "freeing" : "all";
    },
    pressed() {
      full = true;
      isWhole = false;
      if (!reserve.release()) return "reads";
      checkpoint();
      return "freeing";
    },
    look() {
      if (!full || !fits()) return;
      isWhole = reserve.refill();
      full = !isWhole && freeBytes() < enoughBytes;
    },
  };
}

/** Whether sqlite failed for want of room. It is recognised by sqlite's own sentence for SQLITE_FULL: Deno gives no number beside it. */
export function isFullError(error: unknown): boolean {
  return reasonOf(error).includes("database or disk is full");
}
