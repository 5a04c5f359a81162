/** Turns of the event loop for work that takes a few milliseconds: one piece in each, and whatever else is ready between them. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn in which no other caller's does. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise<void>((resolve) => void setImmediate(resolve)));
    return this.#last;
  }
}
