/** A queue whose items can be read by their position: 0 is the oldest. */
export class Fifo<T> {
  readonly #slots: (T | undefined)[];
  /** Number of empty slots at the head. They are removed when half of all slots are empty. */
  #empty = 0;

  /** @param slots an empty array for the items, which only this queue changes */
  constructor(slots: (T | undefined)[] = []) {
    this.#slots = slots;
  }

  get length(): number {
    return this.#slots.length - this.#empty;
  }

  push(item: T): void {
    this.#slots.push(item);
  }

  /** Returns the item at a position, which must be at least 0 and below `length`. */
  at(position: number): T {
    return this.#slots[this.#empty + position]!;
  }

  /** Returns the items from one position up to another, or to the last one. */
  slice(from: number, to: number): readonly T[] {
    return this.#slots.slice(this.#empty + from, this.#empty + to) as T[]; // `as`: all empty slots are before these
  }

  /** Removes the oldest item. The queue no longer refers to it: an item in an unused slot would keep its memory. */
  shift(): void {
    if (this.length === 0) return;
    this.#slots[this.#empty++] = undefined;
    if (this.#empty <= this.#slots.length / 2) return;
    this.#slots.splice(0, this.#empty);
    this.#empty = 0;
  }
}
