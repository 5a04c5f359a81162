/** Room on the disk that is kept for deletions and compaction: a file of random bytes, given back piece by piece. */
import { randomFillSync } from "node:crypto";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { limits } from "../../../core/limits.ts";

export interface Reserve {
  /** Gives a piece back to the disk; false where nothing is left. */
  release(): boolean;
  /** Takes back what was released. Whether all of it is there, and as much again as one piece is free beside it. */
  refill(): boolean;
  close(): void;
}

/** For a store in memory, and where the file cannot be made. */
export const noReserve: Reserve = Object.freeze({ release: () => false, refill: () => true, close() {} });

/**
 * The reserve in a file. Its bytes are random, because file systems that compress or leave holes would keep no room for others. Writing
 * makes the file system give the room at once; nothing is synced, because what matters is the room and not the bytes.
 */
export function openReserve(path: string): Reserve {
  const { storeReserveBytes: wholeBytes, storeReservePieceBytes: pieceBytes } = limits;
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);

  /** Whether the piece that begins at `at` could be written; otherwise the file ends there. */
  function write(at: number): boolean {
    const piece = randomFillSync(new Uint8Array(pieceBytes));
    try {
      for (let done = 0; done < pieceBytes;) done += writeSync(file, piece, done, pieceBytes - done, at + done);
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
      for (let at = wholePieces * pieceBytes; at <= wholeBytes; at += pieceBytes) if (!write(at)) return false;
      ftruncateSync(file, wholeBytes);
      return true;
    },
    close: () => closeSync(file),
  };
}
