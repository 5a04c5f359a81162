/** Spreads the work of busy connections over turns of the event loop: one step each turn, in rotation over the connections. */
export class Turns {
  readonly #steps: (() => boolean)[] = [];
  #scheduled = false;
  #number = 0;
  #counting = false;

  /** Number of the current turn. */
  get current(): number {
    if (!this.#counting) {
      this.#counting = true;
      setImmediate(() => {
        this.#counting = false;
        this.#number++;
      });
    }
    return this.#number;
  }
  /** Calls `step` in later turns until it returns false. */
  add(step: () => boolean): void {
    this.#steps.push(step);
    this.#schedule();
  }
  #schedule(): void {
    if (this.#scheduled || this.#steps.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const step = this.#steps.shift();
      try {
        if (step?.() === true) this.#steps.push(step);
      } finally {
        this.#schedule();
      }
    });
  }
}
