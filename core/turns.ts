/** Turns of the event loop, for work that would hold up I/O if it ran in one piece. */

/**
 * Resolves in a later turn of the event loop, after I/O that is ready. Deno 2.9 runs immediates that schedule immediates without polling
 * I/O between them (a chain of 0.8 s delayed all I/O by 0.8 s); a timer makes it poll, and takes 1 to 2 ms.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void afterIo(resolve));
}

/** Calls `run` as `nextTurn` resolves. */
export const afterIo: (run: () => void) => void = "Deno" in globalThis
  ? (run) => void setTimeout(() => void setImmediate(run), 0)
  : (run) => void setImmediate(run);

/** Gives each caller a turn of its own, in the order of the calls: for work that takes a few milliseconds. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn in which no other caller's does. */
  next(): Promise<void> {
    this.#last = this.#last.then(nextTurn);
    return this.#last;
  }
}
