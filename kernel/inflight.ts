/** Bounds on requests that are being answered at once; watches are not counted. */
import { StatusError } from "../core/status-error.ts";
import type { RequestInfo } from "./request-info.ts";

export interface Inflight {
  readonly readOnly: number;
  readonly mutating: number;
}

const readVerbs = new Set(["get", "list"]);

/** `max` 0 means no bound. `changed` is told the counts whenever they change. */
export function inflightLimit(max: Inflight, changed: (counts: Inflight) => void): (info: RequestInfo) => Disposable {
  const counts = { readOnly: 0, mutating: 0 };
  return (info) => {
    if (info.verb === "watch") return nothing;
    const kind = readVerbs.has(info.verb) ? "readOnly" : "mutating";
    if (max[kind] > 0 && counts[kind] >= max[kind]) {
      throw new StatusError("TooManyRequests", "Too many requests, please try again later.", { details: { retryAfterSeconds: 1 } });
    }
    counts[kind]++;
    changed(counts);
    return {
      [Symbol.dispose]() {
        counts[kind]--;
        changed(counts);
      },
    };
  };
}
const nothing: Disposable = Object.freeze({ [Symbol.dispose]() {} });
