/**
 * Whether the database has disk space, and which writes are allowed without it:
 *
 *   open ──> a write fails for lack of space ──> full ──> the reserve is whole again, or the database has free pages ──> open
 *
 * While the disk is full, only writes that free space are allowed (deletions, compaction). They use up the reserve, piece by piece.
 */
import { reasonOf } from "../../../core/reason-of.ts";
import type { Reserve } from "./reserve.ts";

/** The writes that a run may make: all, only those that free space, or none. */
export type Allowed = "all" | "freeing" | "reads";

export interface DiskSpace {
  readonly full: boolean;
  /**
   * Returns what the next run may do. Without a reserve, the free pages of the database must suffice; if it has none, the disk counts as
   * full.
   */
  allowed(): Allowed;
  /** Called when a run has failed for lack of space. Returns what the run may do now; only reads once the reserve is used up. */
  pressed(): Allowed;
  /** Checks whether there is space again. */
  look(): void;
}

/** The operations of a database that `diskSpace` uses. */
export interface DiskSpaceOptions {
  readonly reserve: Reserve;
  /** Unused bytes in the database. */
  readonly freeBytes: () => number;
  /** Whether a write of a fixed size fits; it is rolled back. */
  readonly fits: () => boolean;
  /** Copies the write-ahead log into the database, so that the log can be overwritten. */
  readonly checkpoint: () => void;
  /** Free bytes in the database that suffice if the disk has none. */
  readonly enoughBytes: number;
}

export function diskSpace({ reserve, freeBytes, fits, checkpoint, enoughBytes }: DiskSpaceOptions): DiskSpace {
  /** Whether the reserve is whole. If it is not, the database counts as full before its last page is used. */
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

/** Whether sqlite has failed for lack of space. The error is recognised by the message of SQLITE_FULL, because Deno's error has no code. */
export function isFullError(error: unknown): boolean {
  return reasonOf(error).includes("database or disk is full");
}
