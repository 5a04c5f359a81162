/** How long the events of many watches wait for each other. */
import { limits } from "../../../core/limits.ts";

export const gather = Object.freeze({
  /** Number of watches with events from which the writes to each have an interval. */
  watchesMin: 32,
  /** Milliseconds of the interval: minimum, for each watch, and maximum. */
  msMin: 10,
  msPerWatch: 0.03,
  msMax: 25,
  /** Milliseconds by which the first interval after a pause is shorter. */
  advanceMs: 5,
  /** Milliseconds between two turns of gathered events, and minimum number of watches in one. */
  turnMs: 1.5,
  turnWatchesMin: 32,
  /** Milliseconds of delay of a turn after which the thread counts as busy, and how many times longer the interval is then at most. */
  lateMs: 5,
  busyMax: 4,
});

/**
 * Most of the cost of an event is the write to the client, whatever the number of events in it. With many subscribers a write to each
 * therefore has a least interval, and events within it share the next write:
 *
 *   events     1 2  3 4             5     interval |-----|, shorter after a pause
 *   writes     1  2     34          5
 *
 * The interval grows with the subscribers, so that their writes take no more than a part of the thread's time, and while the thread
 * is busy. After a pause the first one is shorter. Each subscriber has its own interval: the writes to many spread over it, in
 * rotation, and none waits until all others were served.
 *
 * @param awake subscribers with events to send
 * @param busy factor while the thread is busy; 1 while it is not
 * @returns milliseconds
 */
export function gatherMs(awake: number, busy: number): number {
  if (awake < gather.watchesMin) return 0;
  return Math.min(gather.msMax, Math.max(gather.msMin, awake * gather.msPerWatch) * busy);
}

/** The next factor for a busy thread, after a turn that was `late` milliseconds late: grows quickly and shrinks slowly. */
export function busier(busy: number, late: number): number {
  return late > gather.lateMs ? Math.min(gather.busyMax, busy * 1.5) : Math.max(1, busy * 0.9);
}

/** The number of subscribers in a turn, so that the turns for all of them take about one interval. Short turns let requests run in between. */
export function turnSize(awake: number, intervalMs: number): number {
  const fitting = Math.ceil(awake * gather.turnMs / Math.max(1, intervalMs));
  return Math.min(limits.watchesPerTurnMax, Math.max(gather.turnWatchesMin, fitting));
}
