/**
 * The invariants of every history. The guarantees of watches are etcd's (ordered, unique, atomic, reliable, resumable, bookmarkable) and
 * the API's (filtered); writes and reads of single objects are linearizable. Each checker returns a line for each violation.
 */
import type { Chain, History, WatchEvent } from "./history.ts";

type Check = (history: History) => readonly string[];

/** The results of all checkers but those that are left out. */
export function violations(history: History, leftOut: readonly Check[] = []): readonly string[] {
  const all: readonly Check[] = [ordered, agreeing, reliable, filteredRight, acknowledged, inRealTime, freshReads];
  return all.filter((check) => !leftOut.includes(check)).flatMap((check) => check(history));
}

interface Stretch {
  readonly start: number;
  readonly reach: number;
}

/**
 * The ranges of revisions that unfiltered watchers have seen: all after each `start`, up to `reach`. Between them history was compacted
 * before any watcher saw it.
 */
function stretches({ chains }: History): readonly Stretch[] {
  const spans = chains.filter(({ filtered }) => !filtered).map((chain) => ({ start: chain.start, reach: reachOf(chain) }));
  return spans.toSorted((a, b) => a.start - b.start).reduce<Stretch[]>((whole, span) => {
    const last = whole.at(-1);
    if (last === undefined || span.start > last.reach) return [...whole, span];
    return [...whole.slice(0, -1), { start: last.start, reach: Math.max(last.reach, span.reach) }];
  }, []);
}

/** Whether all changes after `from`, up to `to`, were seen. */
function coverage(history: History): (from: number, to: number) => boolean {
  const seen = stretches(history);
  return (from, to) => seen.some(({ start, reach }) => from >= start && to <= reach);
}

const changesOf = (chain: Chain) => chain.events.filter(({ type }) => type !== "BOOKMARK");
const show = ({ type, key, value, revision }: WatchEvent) => `${type} ${key}=${value} at ${revision}`;

/** Ordered, unique, bookmarkable: revisions of changes rise strictly, and none is below an earlier bookmark. */
export function ordered({ chains }: History): readonly string[] {
  return chains.flatMap((chain) => {
    let last = chain.start;
    return chain.events.flatMap((event) => {
      const right = event.type === "BOOKMARK" ? event.revision >= last : event.revision > last;
      const problem = right ? [] : [`${chain.watcher}: ${show(event)} comes after ${last}`];
      last = Math.max(last, event.revision);
      return problem;
    });
  });
}

/** Every change that any watcher saw, by revision. A filtered deletion does not determine the object's state. */
function known({ chains }: History): ReadonlyMap<number, WatchEvent> {
  const found = new Map<number, WatchEvent>();
  for (const { filtered, events } of chains) {
    for (const event of events) {
      if (event.type === "BOOKMARK" || (filtered && (event.type === "DELETED" || found.has(event.revision)))) continue;
      found.set(event.revision, event);
    }
  }
  return found;
}

/**
 * Atomic: one revision is one change, and all watchers see the same. A filtered deletion has the object's previous state, as upstream's.
 */
export function agreeing(history: History): readonly string[] {
  const all = known(history);
  const byKey = Map.groupBy([...all.values()].toSorted((a, b) => a.revision - b.revision), ({ key }) => key);
  const covered = coverage(history);
  return history.chains.flatMap((chain) =>
    changesOf(chain).flatMap((event) => {
      const other = all.get(event.revision) ?? event;
      const left = chain.filtered && event.type === "DELETED";
      const last = left ? byKey.get(event.key)?.findLast(({ revision }) => revision < event.revision) : undefined;
      const before = last !== undefined && covered(last.revision, event.revision) ? last.value : undefined;
      const same = other.key === event.key && (left ? before === undefined || before === event.value : other.value === event.value) &&
        (chain.filtered || other.type === event.type);
      return same ? [] : [`${chain.watcher}: ${show(event)}, for others ${show(other)}`];
    })
  );
}

const reachOf = (chain: Chain) => chain.events.reduce((reach, { revision }) => Math.max(reach, revision), chain.start);

/** Reliable and resumable: between its start and its last revision a watcher has missed no change that others or writers know. */
export function reliable(history: History): readonly string[] {
  const revisions = new Set(known(history).keys());
  for (const { revision } of history.writes) if (revision !== undefined) revisions.add(revision);
  return history.chains.filter(({ filtered }) => !filtered).flatMap((chain) => {
    const seen = new Set(changesOf(chain).map(({ revision }) => revision)), reach = reachOf(chain);
    return [...revisions].filter((revision) => revision > chain.start && revision <= reach && !seen.has(revision))
      .map((revision) => `${chain.watcher}: nothing at ${revision}, between ${chain.start} and ${reach}`);
  });
}

/** The revision up to which all changes from the start are known. */
function knownUntil(history: History): number {
  return stretches(history)[0]?.reach ?? -1;
}

/** Filtered: objects enter with ADDED, change with MODIFIED and leave with DELETED, and there are no other events. */
export function filteredRight(history: History): readonly string[] {
  const all = [...known({ ...history, chains: history.chains.filter(({ filtered }) => !filtered) }).values()].toSorted((a, b) =>
    a.revision - b.revision
  );
  return history.chains.filter(({ filtered }) => filtered).flatMap((chain) => {
    const seen = new Map(changesOf(chain).map((event) => [event.revision, event]));
    const reach = Math.min(reachOf(chain), knownUntil(history));
    const inside = new Set<string>();
    return all.flatMap((event) => {
      const was = inside.has(event.key), is = event.wanted && event.type !== "DELETED";
      if (is) inside.add(event.key);
      else inside.delete(event.key);
      if (event.revision <= chain.start || event.revision > reach) return [];
      const expected = is ? (was ? "MODIFIED" : "ADDED") : was ? "DELETED" : undefined;
      const got = seen.get(event.revision)?.type;
      return got === expected ? [] : [`${chain.watcher}: ${got ?? "nothing"} at ${event.revision}, not ${expected ?? "nothing"}`];
    });
  });
}

/** No acknowledged write is lost and no rejected write was done: each put is the state at its revision, each delete has a deletion. */
export function acknowledged(history: History): readonly string[] {
  const all = known(history), values = new Map<string, WatchEvent>();
  for (const event of all.values()) if (event.type !== "DELETED") values.set(event.value, event);
  const deletions = Map.groupBy([...all.values()].filter(({ type }) => type === "DELETED"), ({ key }) => key);
  const covered = coverage(history);
  const problems = history.writes.flatMap(({ op, outcome, key, value, revision, why = "" }) => {
    if (op === "delete") return [];
    const event = values.get(value);
    if (outcome === "refused") {
      return event === undefined ? [] : [`${key}=${value} was refused, and is there at ${event.revision}${why === "" ? "" : `: ${why}`}`];
    }
    if (outcome === "unknown" || !covered(revision! - 1, revision!)) return [];
    return event?.revision === revision
      ? []
      : [`${key}=${value} was acknowledged at ${revision}, and is ${event === undefined ? "lost" : show(event)}`];
  });
  const deletes = Map.groupBy(history.writes.filter(({ op }) => op === "delete"), ({ key }) => key);
  const keys = new Set([...deletes.keys(), ...deletions.keys()]);
  const sawAll = stretches(history).length === 1;
  for (const key of keys) {
    const count = (outcome: string) => deletes.get(key)?.filter((each) => each.outcome === outcome).length ?? 0;
    const done = count("done"), lost = count("unknown"), seen = deletions.get(key)?.length ?? 0;
    if ((sawAll && seen < done) || seen > done + lost) {
      problems.push(`${key}: ${done} deletions acknowledged and ${lost} perhaps, ${seen} seen`);
    }
  }
  return problems;
}

/** Revisions follow time: a write that began after the acknowledgement of another has a greater revision. */
export function inRealTime({ writes }: History): readonly string[] {
  const done = writes.filter(({ revision }) => revision !== undefined);
  const byEnd = done.toSorted((a, b) => a.ended - b.ended);
  let at = 0, newest = 0;
  return done.toSorted((a, b) => a.begun - b.begun).flatMap(({ begun, revision, key, value }) => {
    for (; at < byEnd.length && byEnd[at]!.ended < begun; at++) newest = Math.max(newest, byEnd[at]!.revision!);
    return revision! > newest ? [] : [`${key}=${value} has ${revision}, though ${newest} was acknowledged before it began`];
  });
}

/**
 * A read returns the state at its revision, and that revision is not older than the writes acknowledged before the read, or than the
 * requested one.
 */
export function freshReads(history: History): readonly string[] {
  const all = known(history);
  const changes = Map.groupBy([...all.values()].toSorted((a, b) => a.revision - b.revision), ({ key }) => key);
  const writes = Map.groupBy(history.writes.filter(({ revision }) => revision !== undefined), ({ key }) => key);
  const covered = coverage(history), last = stretches(history).at(-1)?.reach ?? 0;
  return history.reads.flatMap(({ key, begun, found, atLeast }) => {
    const before = () => (writes.get(key) ?? []).filter(({ ended }) => ended < begun).map(({ revision }) => revision!);
    const newest = atLeast ?? Math.max(0, ...before());
    if (found === undefined) {
      const gone = newest === 0 || !covered(newest - 1, last) ||
        changes.get(key)?.some(({ type, revision }) => type === "DELETED" && revision > newest);
      return gone ? [] : [`${key} was not found, though ${newest} was acknowledged and never deleted`];
    }
    if (found.revision < newest) return [`${key} was read at ${found.revision}, though ${newest} was acknowledged before`];
    const event = all.get(found.revision);
    const same = event === undefined || (event.key === key && event.value === found.value);
    return same ? [] : [`${key}=${found.value} was read at ${found.revision}, where ${show(event)} stands`];
  });
}
