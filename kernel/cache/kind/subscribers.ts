/**
 * Who follows a kind, by what they look at: everything, one namespace or one object, and below these by what their selectors
 * demand or by what of an object concerns them, so that a change wakes only those whom it may concern. Those who are awake already find it by themselves.
 */
import { type RingEvent, touchesOwnership } from "./ring.ts";
import type { Selection } from "../index/selection.ts";
import { tokensOf } from "../index/tokens.ts";

export interface Follower {
  /** It waits for events; those before `first` do not concern it. */
  wake(first: number): void;
  readonly waits: boolean;
  /** Hands out what there is. */
  pump(): void;
  /** Ends it if it lags behind too far. */
  check(): void;
  /** Ends it, without a word. */
  end(): void;
}

/** What a follower looks at. */
export type Where = Pick<Selection, "prefix" | "key" | "tokens" | "ownership">;

export interface Followers {
  readonly count: number;
  /** The returned function takes the follower away. */
  add(follower: Follower, where: Where): () => void;
  /** Wakes those whom the events may concern. */
  tell(events: readonly RingEvent[], first: number): void;
  checkAll(): void;
  endAll(): void;
}

/** How many are served in one turn of the event loop; more of them would keep it for milliseconds. */
const turnMax = 128;
/**
 * Nearly all that an event costs is the write that it goes out with, however many events are in it. So where many follow, changes
 * that come within a time after others went out wait for its end, and go out in one write; the first after a pause goes at once.
 * The time grows with those who wait, as their writes do, up to what nobody notices.
 */
const manyMin = 32;
const gatherMsEach = 0.2;
const gatherMsMax = 25;

/** How long changes are gathered for so many. */
function gatherMs(waiting: number): number {
  return waiting < manyMin ? 0 : Math.min(gatherMsMax, waiting * gatherMsEach);
}

/** `now`: milliseconds that never go back. */
export function followers(kindPrefix: string, now: () => number = () => performance.now()): Followers {
  const every = new Set<Follower>();
  /** By what a change is looked up with: a prefix or a key, with a token or without. */
  const places = new Map<string, Set<Follower>>();
  /** Those that are placed by tokens, by their prefix. */
  const demanding = new Map<string, Set<Follower>>();
  /** Those whom nothing but ownership concerns, by their prefix. */
  const owning = new Map<string, Set<Follower>>();
  let queue: Follower[] = [];
  let scheduled = false;
  /** When those who waited were last served. */
  let served = -Infinity;

  function wake(some: Iterable<Follower> | undefined, first: number): void {
    for (const follower of some ?? []) {
      if (!follower.waits) continue;
      follower.wake(first);
      queue.push(follower);
    }
  }
  /** Those below a prefix whose selectors demand what an event shows. */
  function wakeDemanding({ key, prior, next, failure }: RingEvent, prefix: string, first: number): void {
    const some = demanding.get(prefix);
    if (some === undefined) return;
    // Nobody knows whom a state concerns that cannot be read.
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
    queue = some.length > turnMax ? some.slice(turnMax) : [];
    for (let index = 0; index < Math.min(turnMax, some.length); index++) some[index]!.pump();
    if (queue.length > 0 && !scheduled) serveIn(0);
  }

  return {
    get count() {
      return every.size;
    },
    add(follower, { prefix, key, tokens, ownership }) {
      const byTokens = key === undefined && tokens !== undefined;
      const leaves = ownership && key === undefined
        ? [enter(owning, prefix, follower)]
        : (byTokens ? tokens.map((token) => prefix + token) : [key ?? prefix]).map((place) => enter(places, place, follower));
      if (byTokens) leaves.push(enter(demanding, prefix, follower));
      every.add(follower);
      return () => {
        every.delete(follower);
        for (const leave of leaves) leave();
      };
    },
    tell(events, first) {
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
      for (const follower of every) follower.check();
    },
    endAll() {
      for (const follower of [...every]) follower.end();
    },
  };
}

function prefixOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/") + 1);
}

/** Puts a follower into a place; the returned function takes it out again. */
function enter(places: Map<string, Set<Follower>>, place: string, follower: Follower): () => void {
  const those = places.get(place) ?? new Set();
  places.set(place, those.add(follower));
  return () => {
    those.delete(follower);
    if (those.size === 0 && places.get(place) === those) places.delete(place);
  };
}
