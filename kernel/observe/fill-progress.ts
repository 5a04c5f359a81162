/** Log lines of a fill of the watch cache that takes long, so that an operator who waits for a start sees it move. */
import type { Log } from "./log.ts";

/** Milliseconds between two lines. A shorter fill logs none. */
const everyMs = 2_000;
/** Milliseconds without a page after which the next page belongs to another fill. */
const pauseMs = 30_000;

/** The result is called with the number of objects of each page that was read. `now` is in milliseconds and monotonic. */
export function fillProgress(log: Pick<Log, "info">, now: () => number): (objects: number) => void {
  let begun = -Infinity, told = -Infinity, last = -Infinity, read = 0;
  return (objects) => {
    const at = now();
    if (at - last > pauseMs) [begun, told, read] = [at, at, 0];
    last = at;
    read += objects;
    if (at - told < everyMs) return;
    told = at;
    log.info("filling the watch cache", { objects: read, seconds: Math.round((at - begun) / 1000) });
  };
}
