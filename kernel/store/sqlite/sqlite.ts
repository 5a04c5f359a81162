import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { type Clock, systemClock } from "../../../core/async.ts";
import { inRange } from "../bytes.ts";
import { type RecentEvents, recentEvents } from "./recent-events.ts";
import { runQueue } from "./run-queue.ts";
import type { Answers, Call, Outcome, Run } from "./calls.ts";
import type { EngineOptions } from "./engine.ts";
import { failingFault, fullFault, openFailure } from "./failures.ts";
import { besides } from "./place.ts";
import { runHere, runInThread } from "./runner.ts";
import { type Batch, type Change, type Commit, type Range, type Revision, type Store, StoreError, type StoreEvent } from "../store.ts";
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
}

/**
 * A store in one sqlite file, or in memory for ":memory:". Commits that wait together share one transaction, each with its own
 * revision, and resolve once it is synced to disk. The file and its folder are locked while it is open; while its files are not at their
 * paths, writes are rejected.
 *
 * @throws StoreError "unavailable" if another process has the file open, or it cannot be opened
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Store> {
  const { clock = systemClock, faults = noFaults } = options;
  const isHere = path === ":memory:" || options.engine !== undefined;
  const runner = await (isHere ? runHere(path, options.engine) : runInThread(path, besides(path, "reserve"))).catch((error: unknown) => {
    throw new StoreError("unavailable", `Cannot open the store file "${path}": ${openFailure(error, ownerOf(path))}`, { cause: error });
  });
  if (path !== ":memory:") noteOwner(path);
  const first = await runner.run([]);
  const recent = recentEvents(first.revision);
  const news = bell();
  let latest = first;
  let closing: Promise<void> | undefined;
  let cancelExpiry = (): void => {};
  let cancelSweep: (() => void) | undefined;
  let cancelTrial: (() => void) | undefined;
  let cancelLook = (): void => {};
  /** Whether the last write failed for a reason other than lack of space. */
  let isFailing = false;

  const queue = runQueue(async (calls) => {
    const run = await runner.run(calls).catch((error: unknown) => {
      faults.begin(failingFault(path, error));
      isFailing = true;
      planTrial();
      throw error;
    });
    noteRun(calls, run);
    return run.outcomes;
  });

  function noteDiskSpace(calls: readonly Call[], run: Run): void {
    if (isFailing && calls.some(({ op }) => op === "commit" || op === "checkSpace")) {
      faults.end("failing", path);
      isFailing = false;
    }
    if (run.full) faults.begin(fullFault(path));
    else faults.end("full", path);
    if (run.full) planTrial();
  }
  /** Checks periodically whether a full or failing store can be written again, also without other writes. */
  function planTrial(): void {
    if (cancelTrial !== undefined || closing !== undefined) return;
    cancelTrial = clock.after(storeTrialMs, () => {
      cancelTrial = undefined;
      queue.call({ op: "checkSpace" }).catch(() => {}).then(() => (isFailing || latest.full) && planTrial());
    });
  }

  /**
   * Plans a check for files that were removed or replaced, which detects this also when there are no writes. While the store fails, the
   * trials detect it.
   */
  function planLook(): void {
    if (closing !== undefined) return;
    cancelLook = clock.after(storeTrialMs, () => {
      if (isFailing) planLook();
      else queue.call({ op: "checkPlace" }).catch(() => {}).then(planLook);
    });
  }

  function noteRun(calls: readonly Call[], run: Run): void {
    const events = eventsOf(calls, run.outcomes);
    recent.publish(events);
    if (events.length > 0) news.ring();
    const { expiresAt } = latest;
    const wasFull = latest.full;
    latest = run;
    if (run.full || wasFull || isFailing) noteDiskSpace(calls, run);
    if (run.expiresAt !== expiresAt) planExpiry();
    if (run.unswept) planSweep();
  }

  // Both timers make a call like any other. If the call fails, the next run plans it again.
  function planExpiry(): void {
    cancelExpiry();
    if (latest.expiresAt === undefined || closing !== undefined) return;
    cancelExpiry = clock.after(latest.expiresAt - clock.now(), () => {
      // The next expiry is planned again, because a timer may fire early, and more keys may be due than one call removes.
      queue.call({ op: "expire", now: clock.now() }).then(planExpiry, () => {});
    });
  }
  function planSweep(): void {
    if (cancelSweep !== undefined || closing !== undefined) return;
    cancelSweep = clock.after(0, () => {
      cancelSweep = undefined;
      queue.call({ op: "sweep" }).catch(() => {});
    });
  }

  function call<C extends Call>(what: C, signal?: AbortSignal): Promise<Answers[C["op"]]> {
    if (closing !== undefined) return Promise.reject(closedError());
    return queue.call(what, signal);
  }

  async function commit(change: Change): Promise<Commit> {
    if (change.value === undefined && change.expect === "absent") throw new Error("A deletion needs an expected revision");
    if (change.key.length * 3 + (change.value?.byteLength ?? 0) > (options.requestBytesMax ?? storeValueBytesMax)) {
      throw new StoreError("too-large", "etcdserver: request is too large");
    }
    const expires = change.ttlSeconds === undefined ? undefined : Math.ceil(clock.now() + change.ttlSeconds * 1000);
    const answer = await call({ op: "commit", change, expires });
    return answer.done ? { done: true, revision: answer.revision } : answer;
  }

  async function* watch(range: Range, from: Revision, signal: AbortSignal): AsyncIterable<Batch> {
    signal.addEventListener("abort", news.ring);
    try {
      if (from < latest.compacted) throw compactedError(from, latest.compacted);
      for (let position = from; !signal.aborted;) {
        if (closing !== undefined) throw closedError();
        if (recent.revision <= position) {
          await news.next();
          continue;
        }
        const batch = recentBatch(recent, range, position) ?? (await call({ op: "history", range, after: position }));
        position = batch.revision;
        if (!signal.aborted) yield batch;
      }
    } finally {
      signal.removeEventListener("abort", news.ring);
    }
  }

  function close(): Promise<void> {
    closing ??= queue.idle().then(() => runner.close());
    cancelExpiry();
    cancelSweep?.();
    cancelTrial?.();
    cancelLook();
    news.ring();
    return closing;
  }

  planExpiry();
  if (path !== ":memory:") planLook();
  if (first.unswept) planSweep();
  if (first.full) noteDiskSpace([], first);
  return {
    get: (key, signal) => call({ op: "get", key }, signal),
    list: (range, { limit, at, counted = true, signal } = {}) => call({ op: "list", range, limit, at, counted }, signal),
    // The file is locked, so every write is made by this process, and is recorded here before it is answered.
    newest: () => closing === undefined ? latest.revision : undefined,
    commit,
    watch,
    compact: (revision) => call({ op: "compact", revision }),
    size: () => call({ op: "size" }),
    close,
  };
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
