/**
 * A store in memory that can be copied at once: the keys, and the log of all revisions, are values that are shared until one of the copies
 * writes.
 *
 *   keys      a index of the newest version of each key; a change copies one chunk of some hundred
 *   log       the version of each revision, with the one before it; copies share all full chunks
 *
 * The store can be set to other contents while it is open: what differs is written again, in one run and with new revisions.
 *
 * A deleted key stays in the index as a version without a value until its revision is compacted. A read at an earlier revision follows the
 * versions of a key backwards in the log.
 */
import { bound } from "../../core/bound.ts";
import { KeyIndex } from "../../kernel/cache/index/key-index.ts";
import { compareKeys, inRange } from "../../kernel/store/bytes.ts";
import type { Answers, Call, Engine, Failure, Outcome, Run } from "../../kernel/store/sqlite/calls.ts";
import type { Entry, Range, Revision, StoreEvent } from "../../kernel/store/store.ts";
import { differencesOf } from "./differences.ts";
import { RevisionLog, type Version } from "./revision-log.ts";

/** Keys that expire in one call. */
const expireKeysMax = bound(500);
/** Events of one read of the history. */
const historyEventsMax = bound(10_000);

/** The first revision of a store, as in etcd. */
const firstRevision = 1;

/** The size of a store without keys. */
const emptyBytes = 4096;

type CallOf<Op extends Call["op"]> = Extract<Call, { op: Op }>;
type OutcomeOf<Op extends Call["op"]> = { readonly answer: Answers[Op] } | { readonly failure: Failure };

/** The contents of a store at one time. They never change. */
export interface Contents {
  /** The newest version of each key. */
  readonly keys: KeyIndex<Version>;
  readonly log: RevisionLog;
  readonly compacted: Revision;
  /** Revisions up to this one are no longer in the log. */
  readonly swept: Revision;
}

/** Contents without keys. */
export const noContents: Contents = {
  keys: KeyIndex.of<Version>([]),
  log: RevisionLog.after(firstRevision),
  compacted: 0,
  swept: firstRevision,
};

/** The engine of a store in memory. */
export class MemoryEngine implements Engine {
  #keys: KeyIndex<Version>;
  #log: RevisionLog;
  #compacted: Revision;
  #swept: Revision;
  /** The times at which keys expire. Undefined until the next call needs it. */
  #expiresAt: number | undefined;
  /** The contents to be set by the next run. */
  #next: Contents | undefined;
  /** Keys with an expiry. */
  readonly #expiring = new Map<string, number>();
  /** Calls so far. */
  runs = 0;
  readonly #operations: { readonly [Op in Call["op"]]: (call: CallOf<Op>) => OutcomeOf<Op> } = {
    commit: (call) => this.#commit(call),
    get: ({ key }) => ({ answer: { entry: entryOf(this.#keys.get(key)), revision: this.#log.newest } }),
    list: (call) => this.#list(call),
    history: (call) => this.#history(call),
    compact: (call) => this.#compact(call),
    expire: ({ now }) => this.#expire(now),
    sweep: () => this.#sweep(),
    checkSpace: () => ({ answer: undefined }),
    checkPlace: () => ({ answer: undefined }),
    size: () => ({ answer: this.#bytes() }),
  };

  /** `from`: the contents that it begins with. */
  constructor(from: Contents = noContents) {
    this.#keys = from.keys;
    this.#log = from.log.copy();
    this.#compacted = from.compacted;
    this.#swept = from.swept;
    // Few kinds expire: a store without them is not searched twice.
    for (const { key, expires } of expiringIn(from.keys)) this.#expiring.set(key, expires);
    this.#planExpiry();
  }

  /** The contents at this moment. */
  get contents(): Contents {
    return { keys: this.#keys, log: this.#log.copy(), compacted: this.#compacted, swept: this.#swept };
  }

  /** The newest revision. */
  get revision(): Revision {
    return this.#log.newest;
  }

  /** Sets the store to these contents at the start of the next run: writes what differs as changes of its own. */
  become(contents: Contents): void {
    this.#next = contents;
  }

  run(calls: readonly Call[]): Run {
    this.runs++;
    const events = this.#become();
    // The compiler cannot relate an operation to its call through the table.
    const outcomes = calls.map((call): Outcome => this.#operations[call.op](call as never));
    return {
      outcomes,
      events,
      revision: this.#log.newest,
      compacted: this.#compacted,
      expiresAt: this.#expiresAt,
      unswept: this.#swept < this.#compacted,
      full: false,
    };
  }
  close(): void {}

  /** Deletes the newest keys first, and writes the oldest values first: an order in which they can have been made. */
  #become(): readonly StoreEvent[] {
    const next = this.#next;
    if (next === undefined) return [];
    this.#next = undefined;
    const found = [...differencesOf(this.#keys, next.keys)];
    const removed = found.filter(({ after }) => after === undefined).sort((a, b) => b.before!.revision - a.before!.revision);
    const written = found.filter(({ after }) => after !== undefined).sort((a, b) => a.after!.revision - b.after!.revision);
    return [...removed, ...written].map(({ key, before, after }): StoreEvent => {
      const revision = this.#write(key, after?.value, this.#keys.get(key), after?.expires);
      return { key, revision, value: after?.value, previous: before && { value: before.value, revision: before.revision } };
    });
  }

  #commit({ change: { key, value, expect }, expires }: CallOf<"commit">): OutcomeOf<"commit"> {
    const prior = this.#keys.get(key), current = entryOf(prior);
    if ((current?.revision ?? "absent") !== expect) return { answer: { done: false, current } };
    const revision = this.#write(key, value, prior, expires);
    return { answer: { done: true, revision, previous: current && { value: current.value, revision: current.revision } } };
  }

  #write(key: string, value: Uint8Array | undefined, prior: Version | undefined, expires: number | undefined): Revision {
    // A copy: the caller may use its bytes for something else.
    const version: Version = { key, revision: this.#log.newest + 1, value: value?.slice(), expires };
    this.#keys = this.#keys.with(version);
    this.#log.push({ version, prior });
    this.#noteExpiry(key, prior?.expires, expires);
    return version.revision;
  }

  #list({ range, limit, at, counted }: CallOf<"list">): OutcomeOf<"list"> {
    const newest = this.#log.newest, as = at ?? newest;
    if (as < this.#compacted) return { failure: this.#compactedError() };
    if (as > newest) {
      return { failure: { code: "future", message: `Cannot read revision ${as}: the newest is ${newest}`, current: newest } };
    }
    const entries: Entry[] = [];
    let count = 0;
    for (const newestVersion of this.#versions(range)) {
      const entry = entryOf(as === newest ? newestVersion : this.#log.versionAt(newestVersion, as));
      if (entry === undefined) continue;
      count++;
      if (limit === undefined || count <= limit) entries.push(entry);
      else if (!counted) break;
    }
    return { answer: { entries, revision: as, count } };
  }

  /** The newest versions of the keys in a range, in order, with those of deleted keys. */
  *#versions({ prefix, after, upTo }: Range): Generator<Version> {
    for (const { chunk, from, to } of this.#keys.spans(prefix, after === undefined ? undefined : `${after}\0`)) {
      for (let at = from; at < to; at++) {
        const version = chunk[at]!;
        if (upTo !== undefined && compareKeys(version.key, upTo) > 0) return;
        yield version;
      }
    }
  }

  #history({ range, after }: CallOf<"history">): OutcomeOf<"history"> {
    if (after < this.#compacted) return { failure: this.#compactedError() };
    const events: StoreEvent[] = [];
    for (const { version: { key, revision, value }, prior } of this.#log.after(after)) {
      if (!inRange(key, range)) continue;
      const before = entryOf(prior);
      events.push({ key, revision, value, previous: before && { value: before.value, revision: before.revision } });
      if (events.length === historyEventsMax) return { answer: { events, revision } };
    }
    return { answer: { events, revision: Math.max(after, this.#log.newest) } };
  }

  #compact({ revision }: CallOf<"compact">): OutcomeOf<"compact"> {
    const newest = this.#log.newest;
    if (revision > newest) {
      return { failure: { code: "future", message: `Cannot compact at revision ${revision}: the newest is ${newest}`, current: newest } };
    }
    this.#compacted = Math.max(this.#compacted, revision);
    return { answer: undefined };
  }

  #expire(now: number): OutcomeOf<"expire"> {
    const due = [...this.#expiring].filter(([, expires]) => expires <= now)
      .sort(([a, first], [b, second]) => first - second || compareKeys(a, b)).slice(0, expireKeysMax);
    return {
      answer: due.map(([key]): StoreEvent => {
        const prior = this.#keys.get(key), before = entryOf(prior);
        const revision = this.#write(key, undefined, prior, undefined);
        return { key, revision, value: undefined, previous: before && { value: before.value, revision: before.revision } };
      }),
    };
  }

  /** Drops the compacted part of the log, and the keys that were deleted in it. */
  #sweep(): OutcomeOf<"sweep"> {
    for (const { version } of this.#log.after(this.#swept)) {
      if (version.revision > this.#compacted) break;
      if (version.value === undefined && this.#keys.get(version.key) === version) this.#keys = this.#keys.without(version.key);
    }
    this.#log.dropTo(this.#compacted);
    this.#swept = Math.max(this.#swept, this.#compacted);
    return { answer: undefined };
  }

  /** Looks for the next expiry only if the key was the next one: servers have thousands of Events, which all expire. */
  #noteExpiry(key: string, before: number | undefined, now: number | undefined): void {
    if (before !== undefined) this.#expiring.delete(key);
    if (now !== undefined) this.#expiring.set(key, now);
    if (before !== undefined && before === this.#expiresAt) this.#planExpiry();
    else if (now !== undefined) this.#expiresAt = Math.min(this.#expiresAt ?? Infinity, now);
  }

  #planExpiry(): void {
    let first: number | undefined;
    for (const expires of this.#expiring.values()) if (first === undefined || expires < first) first = expires;
    this.#expiresAt = first;
  }

  #bytes(): number {
    let bytes = emptyBytes;
    for (const { key, value } of this.#versions({ prefix: "" })) bytes += key.length + (value?.length ?? 0);
    return bytes;
  }

  #compactedError(): Failure {
    const message = `The revision is no longer there: the oldest one kept is ${this.#compacted}`;
    return { code: "compacted", message, oldest: this.#compacted };
  }
}

function entryOf(version: Version | undefined): Entry | undefined {
  return version?.value === undefined ? undefined : { key: version.key, value: version.value, revision: version.revision };
}

function* expiringIn(keys: KeyIndex<Version>): Generator<{ readonly key: string; readonly expires: number }> {
  for (const chunk of keys.chunks) {
    for (const { key, expires } of chunk) if (expires !== undefined) yield { key, expires };
  }
}
