/** Things that requests begin and later ones name. */
import { notFoundError, StatusError } from "../../core/status-error.ts";

/** A bounded number of things by their names: `rule-1`. */
export class Kept<T> {
  readonly #what: string;
  readonly #max: number;
  readonly #kept = new Map<string, T>();
  #made = 0;

  /** `what`: the word in names and errors. */
  constructor(what: string, max: number) {
    this.#what = what;
    this.#max = max;
  }

  /** Throws if there are too many. */
  checkRoom(): void {
    if (this.#kept.size < this.#max) return;
    throw new StatusError("TooManyRequests", `there are ${this.#max} ${this.#what}s, which is the most: end one of them`);
  }

  /** Keeps a thing. Returns its name. Throws if there are too many. */
  add(thing: T): string {
    this.checkRoom();
    const id = `${this.#what}-${++this.#made}`;
    this.#kept.set(id, thing);
    return id;
  }

  /** Throws for a name that is not kept. */
  get(id: string): T {
    const found = this.#kept.get(id);
    if (found === undefined) throw notFoundError({ group: "", name: this.#what }, id);
    return found;
  }

  /** Keeps a thing no longer, and returns it. Throws for a name that is not kept. */
  take(id: string): T {
    const found = this.get(id);
    this.#kept.delete(id);
    return found;
  }

  /** All of them, the oldest first. */
  all(): readonly (readonly [id: string, thing: T])[] {
    return [...this.#kept];
  }

  /** Keeps none of them any longer, and returns them. */
  takeAll(): readonly T[] {
    const all = [...this.#kept.values()];
    this.#kept.clear();
    return all;
  }
}
