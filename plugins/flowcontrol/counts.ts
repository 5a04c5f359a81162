/** Numbers of stored objects, by which the width of lists is estimated. */
import type { FlowControlContext } from "../../toolbox.ts";

/** Seconds after which a number of objects is counted anew when it is asked for. */
const countSeconds = 10;
/** Resources whose objects are counted. Their names come from clients. */
const resourcesMax = 1_000;

/** The numbers of objects by resource, as they were some seconds ago. */
export class ObjectCounts {
  readonly #count: FlowControlContext["countObjects"];
  readonly #now: () => number;
  readonly #counts = new Map<string, { objects: number | undefined; at: number }>();

  constructor(count: FlowControlContext["countObjects"], now: () => number) {
    this.#count = count;
    this.#now = now;
  }

  /** Undefined before the first count, and for resources that are not served. */
  of(group: string, resource: string): number | undefined {
    const key = `${group}/${resource}`, now = this.#now();
    let known = this.#counts.get(key);
    if (known === undefined || now - known.at > countSeconds) {
      if (known === undefined) {
        if (this.#counts.size >= resourcesMax) this.#counts.clear();
        this.#counts.set(key, known = { objects: undefined, at: now });
      }
      const counted = known;
      counted.at = now;
      void this.#count(group, resource).then((objects) => void (counted.objects = objects));
    }
    return known.objects;
  }
}
