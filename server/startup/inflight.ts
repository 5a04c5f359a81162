/** Counts concurrent requests, and bounds them where no flow control decides. Those that may last, such as watches, are not counted. */
import type { Place } from "../../core/flow-control.ts";
import { StatusError } from "../../core/status-error.ts";
import { isLasting, type RequestInfo } from "../../kernel/request/request-info.ts";

export interface Inflight {
  readonly readOnly: number;
  readonly mutating: number;
}

const readVerbs = new Set(["get", "list"]);
const refusal = () =>
  new StatusError("TooManyRequests", "Too many requests, please try again later.", { details: { retryAfterSeconds: 1 } });

/**
 * @param max called at each request without a place; 0 means no bound
 * @param changed called with the counts whenever they change
 * @returns counts a request until the result is disposed; refuses it at the bound. A request with a place of a flow control has no bound
 */
export function inflightLimit(max: () => Inflight, changed: (counts: Inflight) => void): (info: RequestInfo, place?: Place) => Place {
  const counts = { readOnly: 0, mutating: 0 };
  return (info, place = nothing) => {
    if (isLasting(info) || place.refusal !== undefined) return place;
    const kind = readVerbs.has(info.verb) ? "readOnly" : "mutating";
    const bound = place === nothing ? max()[kind] : 0;
    if (bound > 0 && counts[kind] >= bound) return Object.freeze({ refusal: refusal(), [Symbol.dispose]() {} });
    counts[kind]++;
    changed(counts);
    return new Counted(place, () => {
      counts[kind]--;
      changed(counts);
    });
  };
}

/** A class, because V8 makes each literal with a computed key outside of optimized code. */
class Counted implements Place {
  readonly #place: Place;
  readonly #end: () => void;
  constructor(place: Place, end: () => void) {
    this.#place = place;
    this.#end = end;
  }
  get headers(): Place["headers"] {
    return this.#place.headers;
  }
  [Symbol.dispose](): void {
    this.#place[Symbol.dispose]();
    this.#end();
  }
}

/** The place of a request without a limit. */
const nothing: Place = Object.freeze({ [Symbol.dispose]() {} });
