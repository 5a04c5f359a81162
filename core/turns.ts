/** Lets long work yield to the event loop, because I/O would be delayed if the work ran in one turn. */

/**
 * Resolves in a later turn of the event loop, after I/O that is ready. Deno 2.9 runs immediates that schedule immediates without polling
 * I/O between them (a chain of 0.8 s delayed all I/O by 0.8 s); a timer makes it poll, and takes 1 to 2 ms.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void afterIo(resolve));
}

/** Calls `run` at the time at which `nextTurn` resolves. */
export const afterIo: (run: () => void) => void = "Deno" in globalThis
  ? (run) => void setTimeout(() => void setImmediate(run), 0)
  : (run) => void setImmediate(run);

/**
 * Milliseconds of one caller's work after which I/O gets several turns. An HTTPS request takes up to three turns to be read and answered.
 */
const longWorkMs = 20;
const turnsAfterLongWork = 3;

/** Gives each caller a separate turn, in the order of the calls, with I/O between long turns. */
export class Turns {
  readonly #workMs: number;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** Start of a sequence of callers, or the last time at which I/O ran, in milliseconds of `performance.now()`. */
  #since = 0;
  /** Start of the last caller's turn. */
  #begun = 0;

  /** Makes turns. `workMs` is the number of milliseconds of work after which waiting callers let I/O run. */
  constructor(workMs = 5) {
    this.#workMs = workMs;
  }

  /** Resolves in a turn that no other caller has. */
  next(): Promise<void> {
    const isBehind = this.#waiting++ > 0;
    this.#last = this.#last.then(() => this.#turn(isBehind));
    return this.#last;
  }

  async #turn(isBehind: boolean): Promise<void> {
    if (!isBehind) this.#since = performance.now();
    // The caller works until this resolves; the next caller begins then.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const now = performance.now();
    if (now - this.#since > this.#workMs) {
      const turns = now - this.#begun > longWorkMs ? turnsAfterLongWork : 1;
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      this.#since = performance.now();
    }
    this.#waiting--;
    this.#begun = performance.now();
  }
}
