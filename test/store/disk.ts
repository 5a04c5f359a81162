/** Full disks for tests: a limited number of sqlite pages, and a small file system in memory. */
import { execFileSync } from "node:child_process";
import type { EngineOptions } from "../../kernel/store/sqlite/engine.ts";

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
        // The number of used pages is not known: the reserve is whole again when the disk has grown.
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

/** A mounted file system in memory of limited size; undefined if this user may not mount one. */
export function smallDisk(folder: string, mebibytes: number): (() => void) | undefined {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], { stdio: "ignore" });
    return () => void execFileSync("umount", ["-l", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
}
