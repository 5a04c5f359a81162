import { afterIo } from "../../core/turns.ts";

/** Milliseconds of steps after which I/O is polled. */
const stepsMs = 5;

/** Spreads the work of busy connections over turns of the event loop: one step each turn, in rotation over the connections. */
export class StepScheduler {
  readonly #steps: (() => boolean)[] = [];
  #scheduled = false;
  /** Time of the last turn after I/O, in milliseconds. */
  #polled = 0;
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
    if (this.#scheduled) return;
    if (this.#steps.length === 0) {
      this.#polled = 0;
      return;
    }
    this.#scheduled = true;
    const now = performance.now();
    if (this.#polled === 0) this.#polled = now;
    if (now - this.#polled < stepsMs) return void setImmediate(() => this.#run());
    afterIo(() => {
      this.#polled = performance.now();
      this.#run();
    });
  }
  #run(): void {
    this.#scheduled = false;
    const step = this.#steps.shift();
    try {
      if (step?.() === true) this.#steps.push(step);
    } finally {
      this.#schedule();
    }
  }
}
