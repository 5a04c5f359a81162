/** Bounds on concurrent requests. Those that may last, such as watches, are not counted. */
import { StatusError } from "../../core/status-error.ts";
import { isLasting, type RequestInfo } from "./request-info.ts";

export interface Inflight {
  readonly readOnly: number;
  readonly mutating: number;
}

const readVerbs = new Set(["get", "list"]);

/**
 * @param max called at each request; 0 means no bound
 * @param changed called with the counts whenever they change
 * @returns counts a request until the result is disposed; throws TooManyRequests at the bound
 */
export function inflightLimit(max: () => Inflight, changed: (counts: Inflight) => void): (info: RequestInfo) => Disposable {
  const counts = { readOnly: 0, mutating: 0 };
  return (info) => {
    if (isLasting(info)) return nothing;
    const kind = readVerbs.has(info.verb) ? "readOnly" : "mutating";
    const bound = max()[kind];
    if (bound > 0 && counts[kind] >= bound) {
      throw new StatusError("TooManyRequests", "Too many requests, please try again later.", { details: { retryAfterSeconds: 1 } });
    }
    counts[kind]++;
    changed(counts);
    return new Counted(() => {
      counts[kind]--;
      changed(counts);
    });
  };
}

/** A class, because V8 makes each literal with a computed key outside of optimized code. */
class Counted implements Disposable {
  readonly #end: () => void;
  constructor(end: () => void) {
    this.#end = end;
  }
  [Symbol.dispose](): void {
    this.#end();
  }
}
const nothing: Disposable = Object.freeze({ [Symbol.dispose]() {} });
