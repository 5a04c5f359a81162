/** Bounds on what the requests to all remote servers do in one turn of the event loop. */
import { afterIo, Turns } from "../../core/turns.ts";

/**
 * Work that many requests do at once: above an amount in one turn of the event loop they go on one after another, in later turns. For reading:
 * in one turn the runtime reads up to 2 MiB of each connection, decrypts and parses them; a reader that waits makes its connection wait.
 */
export class TurnBound {
  readonly #most: number;
  readonly #turns = new Turns();
  /** Of this turn of the event loop. */
  #done = 0;
  #isCounting = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Call it with each part of the work. Resolves when the caller may go on; undefined: at once. */
  took(amount: number): Promise<void> | undefined {
    if (!this.#isCounting) {
      this.#isCounting = true;
      afterIo(() => {
        this.#isCounting = false;
        this.#done = 0;
      });
    }
    this.#done += amount;
    return this.#done > this.#most ? this.#turns.next() : undefined;
  }
}
