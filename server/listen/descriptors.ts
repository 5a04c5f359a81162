/** The limit of open files of this process, and how many of them connections may use. */
import { readFileSync } from "node:fs";
import { bound } from "../../core/bound.ts";

/** Share of the limit of open files that connections leave to the rest of the process. */
const descriptorsKeptShare = bound(1 / 8);
/** Descriptors that connections leave at least, for those that arrive while others are closed; at most half of the limit. */
export const descriptorsKeptMin = bound(640);

/** Maximum connections under a limit of open files: some are left for the store, files, and requests to other servers. */
export function connectionsUnder(openFilesMax: number): number {
  const kept = Math.max(openFilesMax * descriptorsKeptShare, Math.min(openFilesMax / 2, descriptorsKeptMin));
  return Math.max(1, Math.floor(openFilesMax - kept));
}

/** Maximum connections of this process; Infinity where its limit of open files cannot be read, such as under Deno's permissions. */
export function connectionsMax(read: () => string = () => readFileSync("/proc/self/limits", "utf8")): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(read())?.[1];
    return limit === undefined ? Infinity : connectionsUnder(Number(limit));
  } catch {
    return Infinity;
  }
}
