/**
 * The running requests of a queue, as a linked list. A set of the language is made anew after every few additions and removals, which most
 * requests would pay for.
 */

/** A member of at most one list. */
export interface Linked<T> {
  before: T | undefined;
  after: T | undefined;
}

export class RunningList<T extends Linked<T>> {
  #first: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a member that is in no list. */
  add(member: T): void {
    const first = this.#first;
    member.after = first;
    if (first !== undefined) first.before = member;
    this.#first = member;
    this.#size++;
  }

  /** Removes a member of this list. */
  remove(member: T): void {
    const { before, after } = member;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after !== undefined) after.before = before;
    member.before = member.after = undefined;
    this.#size--;
  }

  /** From the oldest one to the newest one. */
  all(): readonly T[] {
    const all: T[] = [];
    for (let each = this.#first; each !== undefined; each = each.after) all.push(each);
    return all.reverse();
  }
}
