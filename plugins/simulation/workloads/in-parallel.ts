/** Runs writes side by side. */
import { bound } from "../../../core/bound.ts";

/** Writes of one reconciler that run at the same time. */
const writesAtOnceMax = bound(32);

/** Runs `each` for all items, some at a time. After an error no further one begins; rejects with the first error when those that run have ended. */
export async function inParallel<T>(items: readonly T[], each: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = items.values(), failed: unknown[] = [];
  const worker = async () => {
    for (const item of waiting) {
      if (failed.length > 0) return;
      await each(item).catch((error) => failed.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(writesAtOnceMax, items.length) }, worker));
  if (failed.length > 0) throw failed[0];
}
