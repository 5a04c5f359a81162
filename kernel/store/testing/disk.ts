/** Disks without room, for tests: pages of sqlite that are counted, and a small file system in memory. */
import { execFileSync } from "node:child_process";
import type { EngineOptions } from "../sqlite/engine.ts";

/** A disk of pages, a quarter of which are in reserve. */
export function pagedDisk(pages: number): { readonly grow: (more: number) => void; readonly engine: EngineOptions } {
  const disk = { pages, reserved: 0, piece: 0 };
  const whole = Math.floor(pages / 4), piece = Math.floor(whole / 4);
  return {
    grow: (more: number) => void (disk.pages += more),
    engine: {
      pagesMax: () => disk.pages - disk.reserved,
      reserve: () => ({
        release() {
          if (disk.reserved === 0) return false;
          disk.reserved = Math.max(0, disk.reserved - piece);
          return true;
        },
        // How many of these pages are used is not known: it is whole again when the disk has grown.
        refill() {
          if (disk.pages < pages + (disk.piece++ === 0 ? 0 : whole)) return false;
          disk.reserved = whole;
          return true;
        },
        close() {},
      }),
    },
  };
}

/** A file system in memory that is really full when it is; undefined where this user may not mount one. */
export function smallDisk(folder: string, mebibytes: number): (() => void) | undefined {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], { stdio: "ignore" });
    return () => void execFileSync("umount", ["-l", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
}
