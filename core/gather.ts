/** Computes how long the events of many watches wait, so that several leave in one write. */
import { bound } from "./bound.ts";

/** Maximum number of watches that are served in one turn of the event loop. */
export const watchesPerTurnMax = bound(128);

export const gather = Object.freeze({
  /** The cost of one more watch on a connection, as a share of the cost of a write to the connection. */
  watchShare: 1 / 8,
  /** Cost of all watches with events, in writes, from which on the writes to each connection have an interval. */
  writesMin: 32,
  /** The interval in milliseconds: its minimum, its growth for each write, and its maximum. */
  msMin: 10,
  msPerWrite: 0.03,
  msMax: 25,
  /** Number of milliseconds by which the first interval after a pause is shorter than the others. */
  advanceMs: 5,
  /** Milliseconds between two turns of gathered events, and the minimum number of watches that one turn serves. */
  turnMs: 1.5,
  turnWatchesMin: 32,
  /**
   * A turn that is delayed by more than this number of milliseconds shows that the thread is busy. The second number is the maximum factor
   * by which the interval grows then.
   */
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
 * The interval grows with the connections and their watches, so that the writes take no more than a part of the thread's time, and while
 * the thread is busy. After a pause the first interval is shorter. Each connection has its own interval: the writes to many spread over it,
 * in rotation, and none waits until all others were served.
 *
 * @param connections number of connections with events to send
 * @param watches number of watches with events to send, on all connections
 * @param busy the factor that `busier` computes; 1 while the thread is not busy
 * @returns the interval in milliseconds
 */
export function gatherMs(connections: number, watches: number, busy: number): number {
  const writes = connections + (watches - connections) * gather.watchShare;
  if (writes < gather.writesMin) return 0;
  return Math.min(gather.msMax, Math.max(gather.msMin, writes * gather.msPerWrite) * busy);
}

/** Computes the next factor for a busy thread, after a turn that began `late` milliseconds late. It grows quickly and shrinks slowly. */
export function busier(busy: number, late: number): number {
  return late > gather.lateMs ? Math.min(gather.busyMax, busy * 1.5) : Math.max(1, busy * 0.9);
}

/** The number of subscribers in a turn, so that the turns for all of them take about one interval. Short turns let requests run in between. */
export function turnSize(awake: number, intervalMs: number): number {
  const fitting = Math.ceil(awake * gather.turnMs / Math.max(1, intervalMs));
  return Math.min(watchesPerTurnMax, Math.max(gather.turnWatchesMin, fitting));
}
