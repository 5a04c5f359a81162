/** How long the events of many watches wait for each other. */
import { bound } from "../../../core/bound.ts";

/** Watches that one turn of the event loop serves. */
export const watchesPerTurnMax = bound(128);

export const gather = Object.freeze({
  /** What a further watch of a connection costs, as a share of a write to the connection. */
  watchShare: 1 / 8,
  /** Cost of all watches with events, in writes, from which the writes to each connection have an interval. */
  writesMin: 32,
  /** Milliseconds of the interval: minimum, for each write, and maximum. */
  msMin: 10,
  msPerWrite: 0.03,
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
 * Most of the cost of an event is the write to the client, whatever the number of events in it. With many connections a write to each
 * therefore has a least interval, and events within it share the next write:
 *
 *   events     1 2  3 4             5     interval |-----|, shorter after a pause
 *   writes     1  2     34          5
 *
 * The interval grows with the connections and their watches, so that the writes take no more than a part of the thread's time, and while the
 * thread is busy. After a pause the first one is shorter. Each connection has its own interval: the writes to many spread over it, in
 * rotation, and none waits until all others were served.
 *
 * @param connections those with events to send
 * @param watches those with events to send, of all connections
 * @param busy factor while the thread is busy; 1 while it is not
 * @returns milliseconds
 */
export function gatherMs(connections: number, watches: number, busy: number): number {
  const writes = connections + (watches - connections) * gather.watchShare;
  if (writes < gather.writesMin) return 0;
  return Math.min(gather.msMax, Math.max(gather.msMin, writes * gather.msPerWrite) * busy);
}

/** The next factor for a busy thread, after a turn that was `late` milliseconds late: grows quickly and shrinks slowly. */
export function busier(busy: number, late: number): number {
  return late > gather.lateMs ? Math.min(gather.busyMax, busy * 1.5) : Math.max(1, busy * 0.9);
}

/** The number of subscribers in a turn, so that the turns for all of them take about one interval. Short turns let requests run in between. */
export function turnSize(awake: number, intervalMs: number): number {
  const fitting = Math.ceil(awake * gather.turnMs / Math.max(1, intervalMs));
  return Math.min(watchesPerTurnMax, Math.max(gather.turnWatchesMin, fitting));
}
