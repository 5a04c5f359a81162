/** The progress of fills of the watch cache. */
import type { BeginProgress, Progress } from "../../core/progress.ts";

export interface FillProgress {
  /** Takes the number of objects of a page. */
  onPage(objects: number): void;
  /** Runs a fill. Fills at the same time are shown as one. */
  during<T>(fill: () => Promise<T>): Promise<T>;
}

export function fillProgress(begin: BeginProgress): FillProgress {
  let running = 0, shown: Progress | undefined;
  return {
    onPage: (objects) => shown?.done(objects),
    async during(fill) {
      if (running++ === 0) shown = begin("filling the watch cache");
      try {
        return await fill();
      } finally {
        if (--running === 0) shown?.end();
      }
    },
  };
}
