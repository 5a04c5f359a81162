/** Disk space reserved for deletions and compaction: a file of random bytes that is released piece by piece. */
import { randomFillSync } from "node:crypto";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { bound } from "../../../core/bound.ts";
import { storeReserveBytes } from "./bounds.ts";

/** Bytes of one piece of the reserve. The embedded store releases the reserve piece by piece. */
export const storeReservePieceBytes = bound(4 * 1024 * 1024);

export interface Reserve {
  /** Releases a piece; returns false if no piece is left. */
  release(): boolean;
  /** Takes released pieces back. Returns whether the reserve is whole and one more piece is free beside it. */
  refill(): boolean;
  close(): void;
}

/** Number of bytes that one write to the reserve's file takes. */
const blockBytes = 64 * 1024;

/** The reserve of a store in memory, or of one whose reserve file cannot be created. It has no pieces. */
export const noReserve: Reserve = Object.freeze({ release: () => false, refill: () => true, close() {} });

/**
 * The reserve in a file. Its bytes are random, because compressing or sparse file systems would otherwise reserve nothing. Writing
 * allocates the space at once; nothing is synced, because the content does not matter.
 */
export function openReserve(path: string): Reserve {
  const wholeBytes = storeReserveBytes;
  const pieceBytes = storeReservePieceBytes;
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);

  /**
   * Writes the piece at offset `at` with the buffer `block`. If that fails, truncates the file there and returns false. A buffer for the whole piece would
   * stay in memory: this thread has no further work after a start, and an idle thread collects no garbage.
   */
  function write(at: number, block: Uint8Array): boolean {
    try {
      for (let done = 0; done < pieceBytes;) {
        done += writeSync(file, randomFillSync(block), 0, Math.min(block.length, pieceBytes - done), at + done);
      }
      return true;
    } catch {
      ftruncateSync(file, at);
      return false;
    }
  }
  return {
    release() {
      const bytes = fstatSync(file).size;
      if (bytes === 0) return false;
      ftruncateSync(file, Math.max(0, Math.min(bytes, wholeBytes) - pieceBytes));
      return true;
    },
    refill() {
      const before = fstatSync(file).size;
      const wholePieces = Math.floor(Math.min(before, wholeBytes) / pieceBytes);
      if (wholePieces * pieceBytes === wholeBytes && before === wholeBytes) return true;
      const block = new Uint8Array(blockBytes);
      for (let at = wholePieces * pieceBytes; at <= wholeBytes; at += pieceBytes) if (!write(at, block)) return false;
      ftruncateSync(file, wholeBytes);
      return true;
    },
    close: () => closeSync(file),
  };
}
