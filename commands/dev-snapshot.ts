/** What a change of plugin sources is recognised by. */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { bound } from "../core/bound.ts";

/** Files beside plugin modules whose changes `thole dev` notices. */
const developedFilesMax = bound(5_000);

/**
 * Returns size and time of each file in these folders and below, by path. Dependencies and hidden folders are left out, and files after
 * `developedFilesMax`.
 */
export function snapshotOf(folders: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>(), waiting = [...new Set(folders)];
  for (let folder = waiting.pop(); folder !== undefined && found.size < developedFilesMax; folder = waiting.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory()) waiting.push(path);
      else if (/\.([cm]?[jt]s|json)$/.test(entry.name)) found.set(path, stampOf(path));
    }
  }
  return found;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Removed meanwhile.
  }
}

function stampOf(path: string): string {
  try {
    const { mtimeMs, size } = statSync(path);
    return `${mtimeMs} ${size}`;
  } catch {
    return "gone";
  }
}
