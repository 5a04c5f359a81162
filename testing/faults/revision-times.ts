/** Which revision a store had at a time. */
import { bound } from "../../core/bound.ts";
import type { Revision } from "../../kernel/store/store.ts";

/** Times that are known. The older half is forgotten when there are more. */
const timesMax = bound(20_000);

/** The revisions that a store had when requests began. */
export class RevisionTimes {
  #known: { readonly time: number; readonly revision: Revision }[] = [];

  /** Notes the newest revision of the store. */
  note(time: number, revision: Revision): void {
    const last = this.#known.at(-1);
    if (last?.revision === revision) return;
    if (this.#known.length === timesMax) this.#known = this.#known.slice(timesMax / 2);
    this.#known.push({ time, revision });
  }

  /** Returns the last revision that is known to be that old; the oldest that is known for times before it. */
  at(time: number): Revision {
    const found = this.#known.findLast((each) => each.time <= time) ?? this.#known[0];
    if (found === undefined) throw new Error("no revision was noted");
    return found.revision;
  }
}
