/** The faults of one test server: rules, watches, and the list of what was injected. */
import type { Clock } from "../../core/async.ts";
import { bound } from "../../core/bound.ts";
import { randomOf } from "../../core/random.ts";
import type { Revision } from "../../kernel/store/store.ts";
import type { FaultyWatch } from "./faulty-watch.ts";
import { millisecondsOf } from "../milliseconds.ts";
import { RevisionTimes } from "./revision-times.ts";
import type { EventOrder, HeldEvent, HeldWatches } from "./held-events.ts";
import { checkStoreRule, storeFaultText, type StoreRule, type StoreTrouble } from "./store-faults.ts";
import {
  checkRule,
  effectText,
  type FaultEffect,
  type FaultRule,
  frozen,
  type KnownRequest,
  matches,
  type RequestMatch,
  type RequestVerb,
  verbsWith,
  type WatchEnd,
} from "./rule.ts";

/** Faults that are listed. Older ones are forgotten first. */
const injectedMax = bound(10_000);

/** A fault that a request met. */
export interface InjectedFault {
  /** The time of the server, in RFC 3339. */
  readonly time: string;
  /** The name of the user; "" for a fault of the store. */
  readonly user: string;
  /** What the request wanted to do; "" for a fault of the store. */
  readonly verb: string;
  /** The path of the request, without its query. */
  readonly path: string;
  /** What happened to it: `answered with 409 Conflict`. */
  readonly fault: string;
}

/** A rule that is in force. `using rule = server.faults.add({ store: "etcd down" })` ends it with its block. */
export interface FaultHandle extends Disposable {
  /** How many requests it has had an effect on; for a fault of the store, calls of the store. */
  readonly hits: number;
  /** Ends it. */
  remove(): void;
}

/** Faults at random, the same for the same seed and the same requests. */
export interface Chaos extends RequestMatch {
  /** Share of the requests that meet a fault, from 0 to 1. Default: 0.1. */
  readonly rate?: number;
  /** The effects, of which one is chosen. Default: conflicts, overload, internal errors, unavailability, short delays, and broken connections and watches. */
  readonly effects?: readonly (FaultEffect | Required<StoreRule>)[];
}

/**
 * Faults on demand. Those of requests concern `handle` and the network, and not calls of `api`, which are the test's own hand. Those of the store concern
 * all that uses it.
 */
export interface ServerFaults {
  /** Adds a rule. Throws for one that can have no effect. */
  add(rule: FaultRule | StoreRule): FaultHandle;
  /** Adds faults at random. */
  chaos(seed: number, options?: Chaos): FaultHandle;
  /** Holds the events of the watches that match, those that are open included, until they are flushed. */
  hold(match?: Omit<RequestMatch, "verb">): HeldWatches;
  /** Ends the open watches that match. Returns their number. Half of an event is sent with the next one. */
  endWatches(how: WatchEnd, match?: Omit<RequestMatch, "verb">): number;
  /** What was injected so far, the oldest first. */
  readonly injected: readonly InjectedFault[];
  /** Removes all rules and releases all events. The list of what was injected stays. */
  clear(): void;
}

/** The effect on one request. */
export interface ChosenEffect extends FaultEffect {
  /** The revision that its reads see, if the effect has a lag. */
  readonly readsAt?: Revision;
}

/** What the requests of the server use. */
export interface FaultSource {
  /** The effect on a request that begins now. */
  choose(request: KnownRequest): ChosenEffect | undefined;
  /** Lists a fault of a request. */
  note(request: KnownRequest, fault: string): void;
  /** Follows a watch while it is open. The returned function ends that. */
  opened(request: KnownRequest, watch: FaultyWatch): () => void;
  /** The number of the next watch. */
  nextWatch(): number;
  readonly clock: Clock;
}

/** What chaos chooses from by default. */
const usualEffects: readonly FaultEffect[] = Object.freeze([
  { answer: { reason: "Conflict" } },
  { answer: { code: 429, retryAfterSeconds: 1 } },
  { answer: { code: 500 } },
  { answer: { code: 503 } },
  { delay: 20 },
  { drop: "before" },
  { drop: "after" },
  { endWatch: { how: "expired", afterEvents: 2 } },
  { endWatch: { how: "closed", afterEvents: 1 } },
]);
const writes: ReadonlySet<string> = new Set<RequestVerb>(["create", "update", "patch", "delete", "deletecollection"]);

/** Returns the effect on a request that matches; undefined if there is none on this one. */
type Choose = (request: KnownRequest) => FaultEffect | undefined;
/** The faults of one server. */
export class FaultBoard implements ServerFaults, FaultSource {
  readonly clock: Clock;
  readonly #newest: () => Revision;
  readonly #rules = new Set<(request: KnownRequest) => ChosenEffect | undefined>();
  readonly #holds = new Set<RequestMatch>();
  readonly #injected: InjectedFault[] = [];
  readonly #watches = new Map<FaultyWatch, KnownRequest>();
  #times = new RevisionTimes();
  readonly #trouble: StoreTrouble;
  /** Ends a fault of the store. */
  readonly #storeEnds = new Set<() => void>();
  #watchCount = 0;

  /** `newest`: the newest revision of the store. `trouble`: the faults of the store. */
  constructor(clock: Clock, newest: () => Revision, trouble: StoreTrouble) {
    this.clock = clock;
    this.#newest = newest;
    this.#trouble = trouble;
    this.#times.note(clock.now(), newest());
  }

  add(rule: FaultRule | StoreRule): FaultHandle {
    if ("store" in rule) return this.#beginOfStore(rule);
    checkRule(rule);
    return this.#begin(ruleChoice(rule));
  }

  chaos(seed: number, options: Chaos = {}): FaultHandle {
    return this.#begin(chaosChoice(seed, options, (rule) => void this.#beginOfStore(rule)));
  }

  hold(match: Omit<RequestMatch, "verb"> = {}): HeldWatches {
    const own: RequestMatch = { ...match, verb: "watch" }, held = () => this.#watchesOf(own);
    this.#holds.add(own);
    for (const watch of held()) watch.hold(this.#newest());
    const isHeld = (watch: FaultyWatch) => [...this.#holds].some((each) => matches(each, this.#watches.get(watch)!));
    return {
      get events() {
        return eventsOf(held());
      },
      flush(order: EventOrder = (events) => events) {
        const chosen = order(eventsOf(held()));
        for (const watch of held()) watch.flush(chosen);
      },
      release: () => {
        this.#holds.delete(own);
        for (const watch of held()) if (!isHeld(watch)) watch.release();
      },
    };
  }

  endWatches(how: WatchEnd, match: Omit<RequestMatch, "verb"> = {}): number {
    const ended = this.#watchesOf(match);
    for (const watch of ended) {
      watch.end(how);
      this.note(this.#watches.get(watch)!, effectText({ endWatch: { how } }));
    }
    return ended.length;
  }

  get injected(): readonly InjectedFault[] {
    return [...this.#injected];
  }

  clear(): void {
    this.#rules.clear();
    for (const end of this.#storeEnds) end();
    this.#holds.clear();
    for (const watch of this.#watches.keys()) watch.release();
  }

  choose(request: KnownRequest): ChosenEffect | undefined {
    this.#times.note(this.clock.now(), this.#newest());
    for (const choose of this.#rules) {
      const effect = choose(request);
      if (effect !== undefined) return effect;
    }
    return undefined;
  }

  note({ user, info: { verb, path } }: KnownRequest, fault: string): void {
    this.#note({ user, verb, path, fault });
  }

  #note(fault: Omit<InjectedFault, "time">): void {
    if (this.#injected.length === injectedMax) this.#injected.shift();
    this.#injected.push(Object.freeze({ time: new Date(this.clock.now()).toISOString(), ...fault }));
  }

  opened(request: KnownRequest, watch: FaultyWatch): () => void {
    this.#watches.set(watch, request);
    if ([...this.#holds].some((match) => matches(match, request))) watch.hold(this.#newest());
    return () => void this.#watches.delete(watch);
  }

  nextWatch(): number {
    return ++this.#watchCount;
  }

  #watchesOf(match: RequestMatch): FaultyWatch[] {
    return [...this.#watches].flatMap(([watch, request]) => matches(match, request) ? [watch] : []);
  }

  /** Ends the watches of a state that was given up, and forgets its revisions. */
  restored(): void {
    this.#times = new RevisionTimes();
    this.#times.note(this.clock.now(), this.#newest());
    for (const watch of this.#watches.keys()) watch.end("expired");
  }

  #beginOfStore(rule: StoreRule): FaultHandle {
    checkStoreRule(rule);
    const { begun, end } = this.#trouble.begin(rule.store), text = storeFaultText(rule.store);
    this.#note({ user: "", verb: "", path: "", fault: text });
    const remove = (): void => {
      if (!this.#storeEnds.delete(remove)) return;
      cancel?.();
      end();
      this.#note({ user: "", verb: "", path: "", fault: `${text}, over` });
    };
    this.#storeEnds.add(remove);
    const cancel = rule.lasts === undefined ? undefined : this.clock.after(millisecondsOf(rule.lasts), remove);
    return {
      get hits() {
        return begun.hits;
      },
      remove,
      [Symbol.dispose]: remove,
    };
  }

  #begin(choose: Choose): FaultHandle {
    let hits = 0;
    const begunAt = this.#newest();
    const counted = (request: KnownRequest): ChosenEffect | undefined => {
      const effect = choose(request);
      if (effect === undefined) return undefined;
      hits++;
      const { lag } = effect;
      return lag === undefined ? effect : { ...effect, readsAt: lag === frozen ? begunAt : this.#revisionBefore(lag) };
    };
    this.#rules.add(counted);
    const remove = (): void => void this.#rules.delete(counted);
    return {
      get hits() {
        return hits;
      },
      remove,
      [Symbol.dispose]: remove,
    };
  }

  #revisionBefore(lag: number | string): Revision {
    return this.#times.at(this.clock.now() - millisecondsOf(lag));
  }
}

/** The events that watches hold, in the order of their revisions. */
function eventsOf(watches: readonly FaultyWatch[]): readonly HeldEvent[] {
  return watches.flatMap(({ held }) => held).sort((one, other) => one.revision - other.revision).map(({ event }) => event);
}

function ruleChoice(rule: FaultRule): Choose {
  const { nth, times = nth === undefined ? Infinity : 1 } = rule, first = nth ?? 1, verbs = verbsWith(rule);
  let met = 0;
  return (request) => {
    if (!matches(rule, request) || verbs?.includes(request.info.verb) === false) return undefined;
    met++;
    return met >= first && met < first + times ? rule : undefined;
  };
}

/** `beginOfStore` begins a fault of the store, which the request meets, too, if it needs the store. */
function chaosChoice(
  seed: number,
  { rate = 0.1, effects = usualEffects, ...match }: Chaos,
  beginOfStore: (rule: StoreRule) => void,
): Choose {
  if (!(rate >= 0 && rate <= 1)) throw new RangeError(`rate is a share from 0 to 1, not ${rate}`);
  for (const effect of effects) checkChaosEffect(effect);
  const random = randomOf(seed);
  return (request) => {
    if (!matches(match, request) || random() >= rate) return undefined;
    const fitting = effects.filter((effect) => "store" in effect || fits(effect, request.info.verb));
    const chosen = fitting[Math.floor(random() * fitting.length)];
    if (chosen === undefined || !("store" in chosen)) return chosen;
    beginOfStore(chosen);
    return undefined;
  };
}

function checkChaosEffect(effect: FaultEffect | StoreRule): void {
  if (!("store" in effect)) return checkRule(effect);
  checkStoreRule(effect);
  if (effect.lasts === undefined) throw new Error("a fault of the store needs lasts in chaos");
}

/** Whether a request can meet an effect in reality: reads have no conflicts. */
function fits(effect: FaultEffect, verb: string): boolean {
  if (effect.answer?.reason === "Conflict" || effect.drop === "after") return writes.has(verb);
  return verbsWith(effect)?.includes(verb) ?? true;
}
