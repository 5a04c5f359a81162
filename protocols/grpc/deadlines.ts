/** Many deadlines on one timer: a timer for each call costs more than all other bookkeeping of the call. */
export interface Deadlines {
  /** Calls `late` after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, late: () => void): () => void;
  /** Cancels all deadlines. */
  close(): void;
}

interface Deadline {
  readonly at: number;
  readonly late: () => void;
}

export function deadlines(): Deadlines {
  const waiting = new Set<Deadline>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let firesAt = Infinity;

  function plan(): void {
    clearTimeout(timer);
    firesAt = Infinity;
    for (const { at } of waiting) firesAt = Math.min(firesAt, at);
    timer = waiting.size === 0 ? undefined : setTimeout(fire, Math.max(0, Math.ceil(firesAt - performance.now())));
  }
  function fire(): void {
    const now = performance.now();
    for (const deadline of waiting) {
      if (deadline.at <= now && waiting.delete(deadline)) deadline.late();
    }
    plan();
  }
  return {
    after(ms, late) {
      const deadline = { at: performance.now() + ms, late };
      waiting.add(deadline);
      if (deadline.at < firesAt) plan();
      return () => void waiting.delete(deadline);
    },
    close() {
      waiting.clear();
      plan();
    },
  };
}
