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

/** Milliseconds of work after which callers that wait let I/O happen. */
const workMs = 5;
/** Milliseconds of one caller's work after which I/O gets several turns: an HTTPS request takes up to three to be read and answered. */
const longWorkMs = 20;
const turnsAfterLongWork = 3;

/** Gives each caller a turn of its own, in the order of the calls, with I/O between turns that took long. */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** When the first caller of a row of callers came, or I/O had its turns: milliseconds of `performance.now()`. */
  #since = 0;
  /** When the last caller's turn began. */
  #begun = 0;

  /** Resolves in a turn in which no other caller's does. */
  next(): Promise<void> {
    const isBehind = this.#waiting++ > 0;
    this.#last = this.#last.then(() => this.#turn(isBehind));
    return this.#last;
  }

  async #turn(isBehind: boolean): Promise<void> {
    if (!isBehind) this.#since = performance.now();
    // The caller before works until then.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const now = performance.now();
    if (now - this.#since > workMs) {
      const turns = now - this.#begun > longWorkMs ? turnsAfterLongWork : 1;
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      this.#since = performance.now();
    }
    this.#waiting--;
    this.#begun = performance.now();
  }
}
