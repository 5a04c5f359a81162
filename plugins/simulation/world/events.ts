/** Events of the simulation, of which a burst is not recorded. */
import { bound } from "../../../core/bound.ts";
import type { Clock, EventRecorder } from "../../../toolbox.ts";

/** Normal events that are recorded in one second. A test of load does not need the others, which would cost more than what they are about. */
const eventsPerSecondMax = bound(20);

/** A recorder that leaves out Normal events beyond a number for each second. Warnings are always recorded. */
export function sparingEvents(events: EventRecorder, clock: Clock): EventRecorder {
  let second = 0, count = 0;
  return {
    record(object, news) {
      const now = Math.floor(clock.now() / 1_000);
      if (now !== second) {
        second = now;
        count = 0;
      }
      if (news.type === "Normal" && ++count > eventsPerSecondMax) return;
      events.record(object, news);
    },
  };
}
