/**
 * The subscribers of a kind, indexed by scope (all, one namespace or one object) and by the tokens of their selectors or by
 * ownership, so that an event wakes only the subscribers that it may concern. A subscriber that is awake finds later events itself.
 */
import { type RingEvent, touchesOwnership } from "./ring.ts";
import type { Selection } from "../index/selection.ts";
import { tokensOf } from "../index/tokens.ts";
import { busier, gather, gatherMs, turnSize, watchesPerTurnMax } from "../../../core/gather.ts";

export interface Subscriber {
  /** Wakes a waiting subscriber. `first` is the first event that concerns it; it may have read some of the later ones already. */
  wake(first: number): void;
  readonly waits: boolean;
  /** Sends the events from its position on. */
  pump(): void;
  /** Ends the subscriber if it is too far behind. */
  check(): void;
  /** Ends the subscriber without a last event. */
  end(): void;
}

/** The objects that a subscriber follows: all below a prefix, one key, or those with certain tokens. */
export type SubscriberScope = Pick<Selection, "prefix" | "key" | "tokens" | "ownership">;

export interface Subscription {
  /** The first event that it will be woken for; undefined if no event waits for it. */
  readonly first: number | undefined;
  remove(): void;
}

/**
 * The subscribers of one connection: their events leave in one write.
 *
 * An event wakes groups. Their members are woken when the connection is served: the state of each is then read once for an event, and not
 * twice with the data of hundreds of others in between.
 */
interface Line {
  /** Groups with events to send, in the order of these events. */
  readonly groups: Group[];
  /** Subscribers that are woken but did not fit into the last turn. */
  woken: Subscriber[];
  /** The number of subscribers in `groups` and `woken` together. */
  awake: number;
  /** The earliest time at which they may be served. */
  due: number;
}

/** The subscribers of one connection in one scope. */
interface Group {
  readonly line: Line;
  readonly members: Subscriber[];
  /** The first event to send; undefined if there is none. */
  first: number | undefined;
  /** Whether no member waited when it was last served: their clients do not read. */
  isStuck: boolean;
}

type Groups = Map<Line, Group>;

/** A connection is served at once, or after its interval if there are many: see `gatherMs`. */
export class Subscribers {
  readonly #kindPrefix: string;
  readonly #now: () => number;
  readonly #every = new Set<Subscriber>();
  /** Subscribers by scope: a prefix or a key, with or without a token. */
  readonly #scopes = new Map<string, Groups>();
  /** Subscribers with tokens, by prefix. */
  readonly #demanding = new Map<string, Groups>();
  /** Subscribers that follow only changes of ownership, by prefix. */
  readonly #owning = new Map<string, Groups>();
  readonly #lines = new WeakMap<object, Line>();
  /**
   * Connections with events to send: those that may be served now, and those whose interval has not passed, in the order in which they were
   * last served.
   */
  readonly #ready: Line[] = [];
  readonly #gathering: Line[] = [];
  /** The number of subscribers with events to send. */
  #awake = 0;
  /** Computed at the last event: the interval, the number of gathered subscribers in one turn, and the time between two such turns. */
  #intervalMs = 0;
  #turnWatches = 0;
  #turnMs = 0;
  #busy = 1;
  /** The time of the next planned turn of gathered events; undefined if none is planned. */
  #planned: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param now returns the time of a monotonic clock, in milliseconds */
  constructor(kindPrefix: string, now: () => number = () => performance.now()) {
    this.#kindPrefix = kindPrefix;
    this.#now = now;
  }
  get count(): number {
    return this.#every.size;
  }
  /** Adds a subscriber. `connection` is the connection of its client, if other subscribers may share it. */
  add(subscriber: Subscriber, { prefix, key, tokens, ownership }: SubscriberScope, connection?: object): Subscription {
    const line = (connection && this.#lines.get(connection)) ?? { groups: [], woken: [], awake: 0, due: -Infinity };
    if (connection !== undefined) this.#lines.set(connection, line);
    const byTokens = key === undefined && tokens !== undefined;
    const joined: Joined[] = ownership && key === undefined
      ? [join(this.#owning, prefix, line, subscriber)]
      : (byTokens ? tokens.map((token) => prefix + token) : [key ?? prefix]).map((scope) => join(this.#scopes, scope, line, subscriber));
    if (byTokens) joined.push(join(this.#demanding, prefix, line, subscriber));
    this.#every.add(subscriber);
    return {
      get first() {
        let least: number | undefined;
        for (const { group: { first } } of joined) if (first !== undefined && (least === undefined || first < least)) least = first;
        return least;
      },
      remove: () => {
        this.#every.delete(subscriber);
        for (const { leave } of joined) leave();
      },
    };
  }
  /** Wakes the subscribers that the events may concern. */
  notify(events: readonly RingEvent[], first: number): void {
    const at = this.#now(), isServing = this.#ready.length > 0;
    const prefixes = new Set([this.#kindPrefix, ...events.map(({ key }) => prefixOf(key))]);
    for (const prefix of prefixes) this.#wake(this.#scopes.get(prefix), first, at);
    for (const key of new Set(events.map((event) => event.key))) this.#wake(this.#scopes.get(key), first, at);
    if (this.#demanding.size > 0) {
      for (const event of events) {
        for (const prefix of new Set([this.#kindPrefix, prefixOf(event.key)])) this.#wakeDemanding(event, prefix, first, at);
      }
    }
    if (this.#owning.size > 0) {
      for (const event of events) {
        if (!touchesOwnership(event)) continue;
        for (const prefix of [this.#kindPrefix, prefixOf(event.key)]) this.#wake(this.#owning.get(prefix), first, at);
      }
    }
    this.#intervalMs = gatherMs(this.#ready.length + this.#gathering.length, this.#awake, this.#busy);
    this.#turnWatches = turnSize(this.#awake, this.#intervalMs);
    this.#turnMs = this.#intervalMs * this.#turnWatches / Math.max(1, this.#awake);
    // If there are more ready connections, a turn for them is planned already.
    if (this.#ready.length > 0 && !isServing) this.#serve();
    else this.#plan(0);
  }
  checkAll(): void {
    for (const subscriber of this.#every) subscriber.check();
  }
  endAll(): void {
    for (const subscriber of [...this.#every]) subscriber.end();
  }

  #wake(some: Groups | undefined, first: number, at: number): void {
    if (some === undefined) return;
    for (const group of some.values()) {
      // The members of this group are awake already, and find later events themselves.
      if (group.first !== undefined) continue;
      // Nor does one need to be woken if none waits. Connections of clients that do not read must not count in the interval.
      if (group.isStuck && !group.members.some((member) => member.waits)) continue;
      const { line, members } = group;
      group.first = first;
      line.groups.push(group);
      if (line.awake === 0) (line.due <= at ? this.#ready : this.#gathering).push(line);
      line.awake += members.length;
      this.#awake += members.length;
    }
  }
  /** Wakes the subscribers below a prefix whose tokens match the event. */
  #wakeDemanding({ key, prior, next, failure }: RingEvent, prefix: string, first: number, at: number): void {
    const some = this.#demanding.get(prefix);
    if (some === undefined) return;
    // A state that cannot be decoded may concern any subscriber.
    if (failure !== undefined) return this.#wake(some, first, at);
    for (const state of prior?.attributes === next?.attributes ? [next] : [next, prior]) {
      if (state === undefined) continue;
      for (const token of tokensOf(key, state.attributes)) this.#wake(this.#scopes.get(prefix + token), first, at);
    }
  }
  /** Serves the first connections that are ready. If there are none, serves the first ones whose interval has passed. */
  readonly #serve = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const at = this.#now();
    if (this.#planned !== undefined && this.#planned <= at) this.#busy = busier(this.#busy, at - this.#planned);
    this.#planned = undefined;
    const queue = this.#ready.length > 0 ? this.#ready : this.#gathering;
    const earliest = at - gather.advanceMs;
    let left = queue === this.#ready ? watchesPerTurnMax : this.#turnWatches, served = 0;
    for (const line of queue) {
      // All subscribers of a connection are served in one turn, because their events leave in one write. A connection that has too many for
      // any turn takes several.
      if ((served > 0 && line.awake > left) || (queue === this.#gathering && line.due > at)) break;
      const before = line.awake;
      if (before <= watchesPerTurnMax && line.woken.length === 0) this.#serveGroups(line);
      else this.#serveSome(line);
      left -= before - line.awake;
      this.#awake -= before - line.awake;
      if (line.awake > 0) break;
      line.due = Math.max(line.due, earliest) + this.#intervalMs;
      served++;
    }
    queue.splice(0, served);
    this.#plan(queue === this.#ready ? 0 : this.#turnMs);
  };
  /** Serves all subscribers of a connection. */
  #serveGroups(line: Line): void {
    const groups = line.groups.splice(0);
    line.awake = 0;
    for (const group of groups) {
      const { members, first } = group;
      group.first = undefined;
      group.isStuck = true;
      // The loop runs from the last member to the first: a subscriber that ends is replaced by the last member.
      for (let index = members.length - 1; index >= 0; index--) {
        const member = members[index]!;
        if (!member.waits) continue;
        group.isStuck = false;
        member.wake(first!);
        member.pump();
      }
    }
  }
  /** Serves as many subscribers of a connection as one turn may serve. */
  #serveSome(line: Line): void {
    for (const group of line.groups.splice(0)) {
      for (const member of group.members) {
        if (!member.waits) continue;
        member.wake(group.first!);
        line.woken.push(member);
      }
      group.first = undefined;
    }
    const some = line.woken.slice(0, watchesPerTurnMax);
    line.woken = line.woken.slice(some.length);
    line.awake = line.woken.length;
    for (const subscriber of some) subscriber.pump();
  }
  /** Plans the next turn. Gathered events are served in it after `ms` milliseconds at the earliest. */
  #plan(ms: number): void {
    if (this.#timer !== undefined) return;
    const [next] = this.#gathering;
    if (this.#ready.length > 0) this.#timer = setTimeout(this.#serve, 0);
    else if (next !== undefined) {
      const at = this.#now();
      this.#planned = Math.max(at + ms, next.due);
      this.#timer = setTimeout(this.#serve, this.#planned - at);
    }
  }
}

function prefixOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/") + 1);
}

interface Joined {
  readonly group: Group;
  leave(): void;
}

/** Adds a subscriber to the group of its connection in a scope. */
function join(scopes: Map<string, Groups>, scope: string, line: Line, subscriber: Subscriber): Joined {
  const groups: Groups = scopes.get(scope) ?? new Map();
  scopes.set(scope, groups);
  const group = groups.get(line) ?? { line, members: [], first: undefined, isStuck: false };
  groups.set(line, group);
  const { members } = group;
  members.push(subscriber);
  return {
    group,
    leave() {
      const last = members.pop();
      if (last !== undefined && last !== subscriber) members[members.indexOf(subscriber)] = last;
      if (members.length > 0 || groups.get(line) !== group) return;
      groups.delete(line);
      if (groups.size === 0 && scopes.get(scope) === groups) scopes.delete(scope);
    },
  };
}
