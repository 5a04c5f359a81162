import { Fifo } from "../../../core/fifo.ts";
import type { Revision, StoreEvent } from "../store.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum bytes of the newest events that the embedded store keeps in memory. */
const recentEventsBytesMax = bound(16 * 1024 * 1024);
/** Maximum number of the newest events that the embedded store keeps in memory. */
const recentEventsMax = bound(16_384);
/** Maximum number of events that one watch of the embedded store reads in one step. */
const recentEventsTakenMax = bound(1024);

/**
 * The newest events of a store in which every revision has exactly one event, so that watches that keep up need not read history:
 *
 *   publish 2 3 4    since(2) is 3 4    since(1) is 2 3 4
 *   (2 is dropped)   since(2) is 3 4    since(1) is undefined: read history
 */
export interface RecentEvents {
  /** The newest published revision. */
  readonly revision: Revision;
  /** Adds events, which must follow the newest revision without a gap. */
  publish(events: readonly StoreEvent[]): void;
  /** Returns a bounded number of events after a revision; undefined if some of them were dropped. */
  since(after: Revision): readonly StoreEvent[] | undefined;
}

export function recentEvents(start: Revision): RecentEvents {
  let revision = start;
  const kept = new Fifo<StoreEvent>();
  let bytes = 0;

  function drop(): void {
    while (kept.length > 0 && (bytes > recentEventsBytesMax || kept.length > recentEventsMax)) {
      bytes -= eventBytes(kept.at(0));
      kept.shift();
    }
  }

  return {
    get revision() {
      return revision;
    },
    publish(events) {
      for (const event of events) {
        if (event.revision !== revision + 1) throw new Error(`Cannot publish revision ${event.revision} after ${revision}`);
        revision = event.revision;
        kept.push(event);
        bytes += eventBytes(event);
      }
      drop();
    },
    since(after) {
      const first = kept.length - (revision - after);
      return first < 0 ? undefined : kept.slice(first, first + recentEventsTakenMax);
    },
  };
}

/** Approximate bytes of an event in memory: its bytes, and an allowance for its objects. */
export function eventBytes(event: StoreEvent): number {
  return event.key.length + (event.value?.byteLength ?? 0) + (event.previous?.value.byteLength ?? 0) + 200;
}
