/**
 * The subscribers of a kind, indexed by scope (all, one namespace or one object) and by the tokens of their selectors or by
 * ownership, so that an event wakes only the subscribers that it may concern. A subscriber that is awake finds later events itself.
 */
import { limits } from "../../../core/limits.ts";
import { type RingEvent, touchesOwnership } from "./ring.ts";
import type { Selection } from "../index/selection.ts";
import { tokensOf } from "../index/tokens.ts";

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
  /** Adds a subscriber; the returned function removes it. */
  add(subscriber: Subscriber, where: SubscriberScope): () => void;
  /** Wakes the subscribers that the events may concern. */
  notify(events: readonly RingEvent[], first: number): void;
  checkAll(): void;
  endAll(): void;
}

/**
 * Most of the cost of an event is the write to the client, whatever the number of events in it. With many subscribers, events shortly
 * after a write therefore wait for the next write; the first event after a pause is written immediately. The delay in milliseconds grows
 * with the number of waiting subscribers, up to a small bound.
 */
function gatherMs(waiting: number): number {
  return waiting < limits.gatherWatchesMin ? 0 : Math.min(limits.gatherMsMax, waiting * limits.gatherMsPerWatch);
}

/** @param now monotonic clock in milliseconds */
export function subscribers(kindPrefix: string, now: () => number = () => performance.now()): Subscribers {
  const every = new Set<Subscriber>();
  /** Subscribers by scope: a prefix or a key, with or without a token. */
  const places = new Map<string, Set<Subscriber>>();
  /** Subscribers with tokens, by prefix. */
  const demanding = new Map<string, Set<Subscriber>>();
  /** Subscribers of ownership only, by prefix. */
  const owning = new Map<string, Set<Subscriber>>();
  let queue: Subscriber[] = [];
  let scheduled = false;
  /** Time of the last round of writes. */
  let served = -Infinity;

  function wake(some: Iterable<Subscriber> | undefined, first: number): void {
    for (const subscriber of some ?? []) {
      if (!subscriber.waits) continue;
      subscriber.wake(first);
      queue.push(subscriber);
    }
  }
  /** Wakes the subscribers below a prefix whose tokens match the event. */
  function wakeDemanding({ key, prior, next, failure }: RingEvent, prefix: string, first: number): void {
    const some = demanding.get(prefix);
    if (some === undefined) return;
    // A state that cannot be decoded may concern any of them.
    if (failure !== undefined) return wake(some, first);
    for (const state of prior?.attributes === next?.attributes ? [next] : [next, prior]) {
      if (state !== undefined) { for (const token of tokensOf(key, state.attributes)) wake(places.get(prefix + token), first); }
    }
  }
  function serveIn(ms: number): void {
    scheduled = true;
    setTimeout(serve, ms);
  }
  function serve(): void {
    scheduled = false;
    served = now();
    const some = queue;
    queue = some.length > limits.watchesPerTurnMax ? some.slice(limits.watchesPerTurnMax) : [];
    for (let index = 0; index < Math.min(limits.watchesPerTurnMax, some.length); index++) some[index]!.pump();
    if (queue.length > 0 && !scheduled) serveIn(0);
  }

  return {
    get count() {
      return every.size;
    },
    add(subscriber, { prefix, key, tokens, ownership }) {
      const byTokens = key === undefined && tokens !== undefined;
      const leaves = ownership && key === undefined
        ? [enter(owning, prefix, subscriber)]
        : (byTokens ? tokens.map((token) => prefix + token) : [key ?? prefix]).map((place) => enter(places, place, subscriber));
      if (byTokens) leaves.push(enter(demanding, prefix, subscriber));
      every.add(subscriber);
      return () => {
        every.delete(subscriber);
        for (const leave of leaves) leave();
      };
    },
    notify(events, first) {
      const prefixes = new Set([kindPrefix, ...events.map(({ key }) => prefixOf(key))]);
      for (const prefix of prefixes) wake(places.get(prefix), first);
      for (const key of new Set(events.map((event) => event.key))) wake(places.get(key), first);
      if (demanding.size > 0) {
        for (const event of events) for (const prefix of new Set([kindPrefix, prefixOf(event.key)])) wakeDemanding(event, prefix, first);
      }
      if (owning.size > 0) {
        for (const event of events) {
          if (touchesOwnership(event)) { for (const prefix of [kindPrefix, prefixOf(event.key)]) wake(owning.get(prefix), first); }
        }
      }
      if (scheduled || queue.length === 0) return;
      const early = served + gatherMs(queue.length) - now();
      if (early > 0) serveIn(early);
      else serve();
    },
    checkAll() {
      for (const subscriber of every) subscriber.check();
    },
    endAll() {
      for (const subscriber of [...every]) subscriber.end();
    },
  };
}

function prefixOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/") + 1);
}

/** Adds a subscriber to a set of the map; the returned function removes it. */
function enter(places: Map<string, Set<Subscriber>>, place: string, subscriber: Subscriber): () => void {
  const those = places.get(place) ?? new Set();
  places.set(place, those.add(subscriber));
  return () => {
    those.delete(subscriber);
    if (those.size === 0 && places.get(place) === those) places.delete(place);
  };
}
