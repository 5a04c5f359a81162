/**
 * Who follows a kind, by what they look at: everything, one namespace or one object, so that a change wakes only those whom
 * it may concern. Those who are awake already find it by themselves.
 */
import type { RingEvent } from "./ring.ts";

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

export interface Followers {
  readonly count: number;
  /** `prefix` of keys, or the one `key`; the returned function takes the follower away. */
  add(prefix: string, key: string | undefined, follower: Follower): () => void;
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
  const all = new Set<Follower>();
  const byPrefix = new Map<string, Set<Follower>>();
  const byKey = new Map<string, Set<Follower>>();
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
  function place(prefix: string, key: string | undefined): Set<Follower> {
    if (key !== undefined) return setIn(byKey, key);
    return prefix === kindPrefix ? all : setIn(byPrefix, prefix);
  }

  return {
    get count() {
      return every.size;
    },
    add(prefix, key, follower) {
      const set = place(prefix, key);
      set.add(follower);
      every.add(follower);
      return () => {
        every.delete(follower);
        set.delete(follower);
        if (set.size > 0 || set === all) return;
        if (key !== undefined) byKey.delete(key);
        else byPrefix.delete(prefix);
      };
    },
    tell(events, first) {
      wake(all, first);
      if (byPrefix.size > 0) {
        for (const prefix of new Set(events.map(({ key }) => key.slice(0, key.lastIndexOf("/") + 1)))) wake(byPrefix.get(prefix), first);
      }
      if (byKey.size > 0) { for (const key of new Set(events.map((event) => event.key))) wake(byKey.get(key), first); }
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

function setIn(map: Map<string, Set<Follower>>, key: string): Set<Follower> {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = new Set<Follower>();
  map.set(key, made);
  return made;
}
