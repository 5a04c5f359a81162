import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { type Clock, systemClock } from "../../../core/async.ts";
import { inRange } from "../bytes.ts";
import { type RecentEvents, recentEvents } from "./recent-events.ts";
import { type RunQueue, runQueue } from "./run-queue.ts";
import type { Answers, Call, Engine, Outcome, Run } from "./calls.ts";
import type { EngineOptions } from "./engine.ts";
import { failingFault, fullFault, openFailure } from "./failures.ts";
import { besides } from "./place.ts";
import { runHere, runInThread, type Runner } from "./runner.ts";
import {
  type Batch,
  type Change,
  type Claim,
  type Commit,
  type Range,
  type Revision,
  type Store,
  StoreError,
  type StoreEvent,
} from "../store.ts";
import { type Faults, noFaults } from "../fault.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds between two attempts to write to a full or failed store. */
export const storeTrialMs = bound(2_000);
/** Maximum bytes of one value in the embedded store (etcd's --max-request-bytes). */
const storeValueBytesMax = bound(1.5 * 1024 * 1024);

export interface SqliteOptions {
  readonly clock?: Clock;
  /** Maximum bytes of key and value together in one commit; default: etcd's. */
  readonly requestBytesMax?: number;
  /** Receives reports that the file fails or that its disk is full. */
  readonly faults?: Faults;
  /** For tests: runs the engine in this thread, with these options. */
  readonly engine?: EngineOptions;
  /** Replaces the database of a store in memory. */
  readonly memory?: Engine;
}

/**
 * A store in one sqlite file, or in memory for ":memory:". Commits that wait together share one transaction, each with its own
 * revision, and resolve once it is synced to disk. The file and its folder are locked while it is open; while its files are not at their
 * paths, writes are rejected.
 *
 * @throws StoreError "unavailable" if another process has the file open, or it cannot be opened
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Store> {
  const isHere = path === ":memory:" || options.engine !== undefined;
  const runner = await (isHere ? runHere(path, options.engine, options.memory) : runInThread(path, besides(path, "reserve"))).catch(
    (error: unknown) => {
      throw new StoreError("unavailable", `Cannot open the store file "${path}": ${openFailure(error, ownerOf(path))}`, { cause: error });
    },
  );
  if (path !== ":memory:") noteOwner(path);
  const state = new OpenStore(path, runner, await runner.run([]), options);
  return {
    get: (key, signal) => state.call({ op: "get", key }, signal),
    list: (range, { limit, at, counted = true, signal } = {}) => state.call({ op: "list", range, limit, at, counted }, signal),
    newest: () => state.newest(),
    commit: (change) => state.commit(change),
    watch: (range, from, signal) => state.watch(range, from, signal),
    claim: (key, writes) => state.claim(key, writes),
    compact: (revision) => state.call({ op: "compact", revision }),
    size: () => state.call({ op: "size" }),
    close: () => state.close(),
  };
}

/** The state of an open store, and the timers that keep it: expiry, sweeps, and trials of a full, failing or removed file. */
class OpenStore {
  readonly #path: string;
  readonly #runner: Runner;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #requestBytesMax: number;
  readonly #queue: RunQueue;
  readonly #recent: RecentEvents;
  readonly #news = bell();
  readonly #turns = new Map<string, number>();
  #latest: Run;
  #closing: Promise<void> | undefined;
  #cancelExpiry = (): void => {};
  #cancelSweep: (() => void) | undefined;
  #cancelTrial: (() => void) | undefined;
  #cancelLook = (): void => {};
  /** Whether the last write failed for a reason other than lack of space. */
  #isFailing = false;

  constructor(path: string, runner: Runner, first: Run, { clock = systemClock, faults = noFaults, requestBytesMax }: SqliteOptions) {
    this.#path = path;
    this.#runner = runner;
    this.#clock = clock;
    this.#faults = faults;
    this.#requestBytesMax = requestBytesMax ?? storeValueBytesMax;
    this.#queue = runQueue((calls) => this.#run(calls));
    this.#recent = recentEvents(first.revision);
    this.#latest = first;
    this.#planExpiry();
    if (path !== ":memory:") this.#planLook();
    if (first.unswept) this.#planSweep();
    if (first.full) this.#noteDiskSpace([], first);
  }
  /** The file is locked, so every write is made by this process, and is recorded here before it is answered. */
  newest(): Revision | undefined {
    return this.#closing === undefined ? this.#latest.revision : undefined;
  }
  call<C extends Call>(what: C, signal?: AbortSignal): Promise<Answers[C["op"]]> {
    if (this.#closing !== undefined) return Promise.reject(closedError());
    return this.#queue.call(what, signal);
  }

  async commit(change: Change): Promise<Commit> {
    if (change.value === undefined && change.expect === "absent") throw new Error("A deletion needs an expected revision");
    if (change.key.length * 3 + (change.value?.byteLength ?? 0) > this.#requestBytesMax) {
      throw new StoreError("too-large", "etcdserver: request is too large");
    }
    const expires = change.ttlSeconds === undefined ? undefined : Math.ceil(this.#clock.now() + change.ttlSeconds * 1000);
    const answer = await this.call({ op: "commit", change, expires });
    return answer.done ? { done: true, revision: answer.revision } : answer;
  }

  /** The file has one process, so turns are counted in memory. */
  async claim(key: string, writes: number): Promise<Claim> {
    const { revision } = await this.call({ op: "get", key }), made = this.#turns.get(key) ?? 0, isOwn = made === writes;
    if (isOwn) this.#turns.set(key, made + 1);
    return { isOwn, writes: this.#turns.get(key) ?? 0, revision };
  }

  async *watch(range: Range, from: Revision, signal: AbortSignal): AsyncIterable<Batch> {
    signal.addEventListener("abort", this.#news.ring);
    try {
      if (from < this.#latest.compacted) throw compactedError(from, this.#latest.compacted);
      for (let position = from; !signal.aborted;) {
        if (this.#closing !== undefined) throw closedError();
        if (this.#recent.revision <= position) {
          await this.#news.next();
          continue;
        }
        const batch = recentBatch(this.#recent, range, position) ?? (await this.call({ op: "history", range, after: position }));
        position = batch.revision;
        if (!signal.aborted) yield batch;
      }
    } finally {
      signal.removeEventListener("abort", this.#news.ring);
    }
  }

  close(): Promise<void> {
    const closing = this.#closing ??= this.#queue.idle().then(() => this.#runner.close());
    this.#cancelExpiry();
    this.#cancelSweep?.();
    this.#cancelTrial?.();
    this.#cancelLook();
    this.#news.ring();
    return closing;
  }
  async #run(calls: readonly Call[]): Promise<Run["outcomes"]> {
    const run = await this.#runner.run(calls).catch((error: unknown) => {
      this.#faults.begin(failingFault(this.#path, error));
      this.#isFailing = true;
      this.#planTrial();
      throw error;
    });
    this.#noteRun(calls, run);
    return run.outcomes;
  }
  #noteDiskSpace(calls: readonly Call[], run: Run): void {
    if (this.#isFailing && calls.some(({ op }) => op === "commit" || op === "checkSpace")) {
      this.#faults.end("failing", this.#path);
      this.#isFailing = false;
    }
    if (run.full) this.#faults.begin(fullFault(this.#path));
    else this.#faults.end("full", this.#path);
    if (run.full) this.#planTrial();
  }
  /** Checks periodically whether a full or failing store can be written again, also without other writes. */
  #planTrial(): void {
    if (this.#cancelTrial !== undefined || this.#closing !== undefined) return;
    this.#cancelTrial = this.#clock.after(storeTrialMs, () => {
      this.#cancelTrial = undefined;
      this.#queue.call({ op: "checkSpace" }).catch(() => {}).then(() => (this.#isFailing || this.#latest.full) && this.#planTrial());
    });
  }

  /**
   * Plans a check for files that were removed or replaced, which detects this also when there are no writes. While the store fails, the
   * trials detect it.
   */
  #planLook(): void {
    if (this.#closing !== undefined) return;
    this.#cancelLook = this.#clock.after(storeTrialMs, () => {
      if (this.#isFailing) this.#planLook();
      else this.#queue.call({ op: "checkPlace" }).catch(() => {}).then(() => this.#planLook());
    });
  }

  #noteRun(calls: readonly Call[], run: Run): void {
    const { events: own = [] } = run, events = [...own, ...eventsOf(calls, run.outcomes)];
    this.#recent.publish(events);
    if (events.length > 0) this.#news.ring();
    const { expiresAt } = this.#latest;
    const wasFull = this.#latest.full;
    this.#latest = run;
    if (run.full || wasFull || this.#isFailing) this.#noteDiskSpace(calls, run);
    if (run.expiresAt !== expiresAt) this.#planExpiry();
    if (run.unswept) this.#planSweep();
  }

  // Both timers make a call like any other. If the call fails, the next run plans it again.
  #planExpiry(): void {
    this.#cancelExpiry();
    if (this.#latest.expiresAt === undefined || this.#closing !== undefined) return;
    this.#cancelExpiry = this.#clock.after(this.#latest.expiresAt - this.#clock.now(), () => {
      // The next expiry is planned again, because a timer may fire early, and more keys may be due than one call removes.
      this.#queue.call({ op: "expire", now: this.#clock.now() }).then(() => this.#planExpiry(), () => {});
    });
  }
  #planSweep(): void {
    if (this.#cancelSweep !== undefined || this.#closing !== undefined) return;
    this.#cancelSweep = this.#clock.after(0, () => {
      this.#cancelSweep = undefined;
      this.#queue.call({ op: "sweep" }).catch(() => {});
    });
  }
}

function recentBatch(recent: RecentEvents, range: Range, after: Revision): Batch | undefined {
  const events = recent.since(after);
  const last = events?.at(-1);
  if (events === undefined || last === undefined) return undefined;
  return { events: events.filter(({ key }) => inRange(key, range)), revision: last.revision };
}

/** The events of a run, ordered by revision. */
function eventsOf(calls: readonly Call[], outcomes: readonly Outcome[]): StoreEvent[] {
  return outcomes.flatMap((outcome, index): readonly StoreEvent[] => {
    const call = calls[index];
    if (call === undefined || !("answer" in outcome)) return [];
    if (call.op === "expire") return outcome.answer as Answers["expire"]; // outcomes have the index of their call
    if (call.op !== "commit") return [];
    const answer = outcome.answer as Answers["commit"]; // as above
    if (!answer.done) return [];
    return [{ key: call.change.key, revision: answer.revision, value: call.change.value, previous: answer.previous }];
  });
}

/** Makes a bell: `ring` wakes all watches that wait for `next`. */
function bell(): { ring: () => void; next: () => Promise<void> } {
  let round = Promise.withResolvers<void>();
  return {
    ring() {
      round.resolve();
      round = Promise.withResolvers();
    },
    next: () => round.promise,
  };
}

function compactedError(from: Revision, oldest: Revision): StoreError {
  return new StoreError("compacted", `Cannot watch from revision ${from}: the oldest one kept is ${oldest}`, { oldest });
}

function closedError(): StoreError {
  return new StoreError("closed", "The store is closed");
}

/** Records the id of the process that has the file open, for the error of the next process. */
function noteOwner(path: string): void {
  try {
    writeFileSync(besides(path, "pid"), `${process.pid}\n`, { mode: 0o600 });
  } catch { /* only a convenience: the lock does not need it */ }
}
function ownerOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(besides(path, "pid"), "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
