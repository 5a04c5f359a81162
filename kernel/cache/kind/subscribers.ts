/**
 * The subscribers of a kind, indexed by scope (all, one namespace or one object) and by the tokens of their selectors or by
 * ownership, so that an event wakes only the subscribers that it may concern. A subscriber that is awake finds later events itself.
 */
import { limits } from "../../../core/limits.ts";
import { type RingEvent, touchesOwnership } from "./ring.ts";
import type { Selection } from "../index/selection.ts";
import { tokensOf } from "../index/tokens.ts";
import { busier, gather, gatherMs, turnSize } from "./gather.ts";

export interface Subscriber {
  /** Wakes a waiting subscriber; events before `first` do not concern it. */
  wake(first: number): void;
  readonly waits: boolean;
  /** Sends the events from its position on. */
  pump(): void;
  /** Ends it if it is too far behind. */
  check(): void;
  /** Ends it without an event. */
  end(): void;
}

/** The scope of a subscriber. */
export type SubscriberScope = Pick<Selection, "prefix" | "key" | "tokens" | "ownership">;

export interface Subscribers {
  readonly count: number;
  /** Adds a subscriber; the returned function removes it. `connection`: of its client, if others may share it. */
  add(subscriber: Subscriber, where: SubscriberScope, connection?: object): () => void;
  /** Wakes the subscribers that the events may concern. */
  notify(events: readonly RingEvent[], first: number): void;
  checkAll(): void;
  endAll(): void;
}

/** The subscribers of one connection: their events leave in one write. */
interface Line {
  /** Those with events to send. */
  awake: Subscriber[];
  /** The time from which on they may be served. */
  due: number;
}

interface Place {
  readonly subscriber: Subscriber;
  readonly line: Line;
}

/** @param now monotonic clock in milliseconds */
export function subscribers(kindPrefix: string, now: () => number = () => performance.now()): Subscribers {
  const every = new Set<Place>();
  /** Subscribers by scope: a prefix or a key, with or without a token. */
  const scopes = new Map<string, Set<Place>>();
  /** Subscribers with tokens, by prefix. */
  const demanding = new Map<string, Set<Place>>();
  /** Subscribers of ownership only, by prefix. */
  const owning = new Map<string, Set<Place>>();
  const lines = new WeakMap<object, Line>();
  /** Connections with events to send: now, and those whose interval has not passed, in the order in which they were served. */
  const ready: Line[] = [];
  const gathering: Line[] = [];
  /** The number of subscribers with events to send. */
  let awake = 0;
  /** As of the last event: the interval, the number of gathered subscribers in one turn, and the time between two such turns. */
  let intervalMs = 0, turnWatches = 0, turnMs = 0;
  let busy = 1;
  /** When the next turn of gathered events is planned. */
  let planned: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function wake(some: Iterable<Place> | undefined, first: number, at: number): void {
    for (const place of some ?? []) {
      if (!place.subscriber.waits) continue;
      place.subscriber.wake(first);
      awake++;
      if (place.line.awake.push(place.subscriber) === 1) (place.line.due <= at ? ready : gathering).push(place.line);
    }
  }
  /** Wakes the subscribers below a prefix whose tokens match the event. */
  function wakeDemanding({ key, prior, next, failure }: RingEvent, prefix: string, first: number, at: number): void {
    const some = demanding.get(prefix);
    if (some === undefined) return;
    // A state that cannot be decoded may concern any of them.
    if (failure !== undefined) return wake(some, first, at);
    for (const state of prior?.attributes === next?.attributes ? [next] : [next, prior]) {
      if (state !== undefined) { for (const token of tokensOf(key, state.attributes)) wake(scopes.get(prefix + token), first, at); }
    }
  }
  /** Serves the first of the ready connections, or if there are none, of those whose interval has passed. */
  function serve(): void {
    clearTimeout(timer);
    timer = undefined;
    const at = now();
    if (planned !== undefined && planned <= at) busy = busier(busy, at - planned);
    planned = undefined;
    const queue = ready.length > 0 ? ready : gathering;
    const earliest = at - gather.advanceMs;
    let left = queue === ready ? limits.watchesPerTurnMax : turnWatches, served = 0;
    for (const line of queue) {
      // All of a connection in one turn, because its events leave in one write, unless it has too many for any turn.
      if ((served > 0 && line.awake.length > left) || (queue === gathering && line.due > at)) break;
      const some = line.awake.splice(0, limits.watchesPerTurnMax);
      left -= some.length;
      awake -= some.length;
      for (const subscriber of some) subscriber.pump();
      if (line.awake.length > 0) break;
      line.due = Math.max(line.due, earliest) + intervalMs;
      served++;
    }
    queue.splice(0, served);
    plan(queue === ready ? 0 : turnMs);
  }
  /** Plans the next turn, of gathered events not before `ms` have passed. */
  function plan(ms: number): void {
    if (timer !== undefined) return;
    const [next] = gathering;
    if (ready.length > 0) timer = setTimeout(serve, 0);
    else if (next !== undefined) {
      const at = now();
      planned = Math.max(at + ms, next.due);
      timer = setTimeout(serve, planned - at);
    }
  }

  return {
    get count() {
      return every.size;
    },
    add(subscriber, { prefix, key, tokens, ownership }, connection) {
      const line = (connection && lines.get(connection)) ?? { awake: [], due: -Infinity };
      if (connection !== undefined) lines.set(connection, line);
      const place: Place = { subscriber, line };
      const byTokens = key === undefined && tokens !== undefined;
      const leaves = ownership && key === undefined
        ? [enter(owning, prefix, place)]
        : (byTokens ? tokens.map((token) => prefix + token) : [key ?? prefix]).map((scope) => enter(scopes, scope, place));
      if (byTokens) leaves.push(enter(demanding, prefix, place));
      every.add(place);
      return () => {
        every.delete(place);
        for (const leave of leaves) leave();
      };
    },
    notify(events, first) {
      const at = now(), isServing = ready.length > 0;
      const prefixes = new Set([kindPrefix, ...events.map(({ key }) => prefixOf(key))]);
      for (const prefix of prefixes) wake(scopes.get(prefix), first, at);
      for (const key of new Set(events.map((event) => event.key))) wake(scopes.get(key), first, at);
      if (demanding.size > 0) {
        for (const event of events) {
          for (const prefix of new Set([kindPrefix, prefixOf(event.key)])) wakeDemanding(event, prefix, first, at);
        }
      }
      if (owning.size > 0) {
        for (const event of events) {
          if (touchesOwnership(event)) { for (const prefix of [kindPrefix, prefixOf(event.key)]) wake(owning.get(prefix), first, at); }
        }
      }
      intervalMs = gatherMs(ready.length + gathering.length, awake, busy);
      turnWatches = turnSize(awake, intervalMs);
      turnMs = intervalMs * turnWatches / Math.max(1, awake);
      // A turn with more of them is planned already.
      if (ready.length > 0 && !isServing) serve();
      else plan(0);
    },
    checkAll() {
      for (const { subscriber } of every) subscriber.check();
    },
    endAll() {
      for (const { subscriber } of [...every]) subscriber.end();
    },
  };
}

function prefixOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/") + 1);
}

/** Adds a subscriber to a set of the map; the returned function removes it. */
function enter(scopes: Map<string, Set<Place>>, scope: string, place: Place): () => void {
  const those = scopes.get(scope) ?? new Set();
  scopes.set(scope, those.add(place));
  return () => {
    those.delete(place);
    if (those.size === 0 && scopes.get(scope) === those) scopes.delete(scope);
  };
}
