/** The limit of open files of this process, and how many of them connections may use. */
import { readFileSync } from "node:fs";
import { limits } from "../../core/limits.ts";

/** Maximum connections under a limit of open files: some are left for the store, files, and requests to other servers. */
export function connectionsUnder(openFilesMax: number): number {
  const kept = Math.max(openFilesMax * limits.descriptorsKeptShare, Math.min(openFilesMax / 2, limits.descriptorsKeptMin));
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
