import type { Clock } from "../store/clock.ts";

/** Waits for the time, or until the signal aborts. */
export function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      cancel();
      signal.removeEventListener("abort", over);
      resolve();
    };
    const cancel = clock.after(ms, over);
    signal.addEventListener("abort", over);
  });
}
