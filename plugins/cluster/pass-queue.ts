/** Work that is done again and again until nothing is left, side by side up to a bound. */

import type { WorkMeter } from "../../core/work.ts";

const firstPauseMs = 50;
const longestPauseMs = 5_000;

/** How long to wait after so many passes that left something. */
export function pauseMs(passes: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(passes, 30));
}

/** Names that are worked on, each at most once at a time, again after a pause while the work says so. */
export class PassQueue {
  readonly #max: number;
  readonly #work: (name: string) => Promise<boolean>;
  readonly #onFailure: (error: unknown) => void;
  readonly #meter: WorkMeter | undefined;
  readonly #due = new Set<string>();
  readonly #active = new Map<string, Promise<void>>();
  readonly #pausing = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #passes = new Map<string, number>();
  #closed = false;

  constructor(max: number, work: (name: string) => Promise<boolean>, onFailure: (error: unknown) => void, meter?: WorkMeter) {
    this.#max = max;
    this.#work = work;
    this.#onFailure = onFailure;
    this.#meter = meter;
  }

  /** Works on the name as soon as there is a place; once more where that is being done, and not before the end of a pause. */
  add(name: string): void {
    if (this.#pausing.has(name)) return;
    this.#due.add(name);
    this.#meter?.added(name);
    this.#start();
  }
  /** Does not come back to the name. */
  forget(name: string): void {
    if (this.#due.delete(name)) this.#meter?.forgotten(name);
    clearTimeout(this.#pausing.get(name));
    this.#pausing.delete(name);
    this.#passes.delete(name);
  }
  /** Starts nothing more and waits for what is being worked on. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const name of [...this.#due, ...this.#pausing.keys()]) this.forget(name);
    await Promise.all(this.#active.values());
  }

  #start(): void {
    for (const name of this.#due) {
      if (this.#closed || this.#active.size >= this.#max) return;
      if (this.#active.has(name)) continue;
      this.#due.delete(name);
      this.#meter?.started(name);
      this.#active.set(name, this.#run(name));
    }
  }
  async #run(name: string): Promise<void> {
    try {
      const again = await this.#work(name);
      this.#active.delete(name);
      this.#meter?.done(name, again);
      if (again && !this.#closed) this.#pause(name);
      else this.#passes.delete(name);
    } catch (error) {
      this.#active.delete(name);
      this.#meter?.done(name);
      this.#onFailure(error);
    }
    this.#start();
  }
  #pause(name: string): void {
    if (this.#due.delete(name)) this.#meter?.forgotten(name);
    const passes = this.#passes.get(name) ?? 0;
    this.#passes.set(name, passes + 1);
    this.#pausing.set(
      name,
      setTimeout(() => {
        this.#pausing.delete(name);
        this.add(name);
      }, pauseMs(passes)),
    );
  }
}
