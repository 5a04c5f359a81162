/** The state of a test server at one moment, which never changes. */
import type { CacheContents } from "../../kernel/cache/mod.ts";
import type { StoredKind } from "../../kernel/catalog/catalog.ts";
import { KindCache } from "../../kernel/cache/kind/kind-cache.ts";
import type { ActiveConfig } from "../../server/config/active-config.ts";
import type { Opened } from "../../server/startup/open-server.ts";
import type { Contents, MemoryEngine } from "./memory-engine.ts";

/** The state of a test server at one moment. It is a reference to what the server has in memory, and costs what the server changes later. */
export interface Snapshot {
  /** The newest revision of the store. */
  readonly revision: number;
  /** The time of the server, in milliseconds since 1970. */
  readonly time: number;
}

/** What a snapshot has of a server. */
export interface SnapshotParts {
  /** A server and its forks, which have the same plugins. */
  readonly family: object;
  readonly time: number;
  readonly store: Contents;
  /** Undefined if the cache was being filled. */
  readonly cache: CacheContents | undefined;
  /** The compiled settings and plugins, with the kinds of definitions. */
  readonly active: ActiveConfig;
  /** Whether it is the state of a start, for a server of its own. */
  readonly isStart?: boolean;
  /** How often each purpose has drawn from the seed. Absent without one. */
  readonly drawn?: ReadonlyMap<string, number> | undefined;
}

/** The parts of the snapshots of this process. */
const parts = new WeakMap<Snapshot, SnapshotParts>();

/** The parts of a server that is running. They are taken in one turn, so they belong together. */
export function partsNow(family: object, time: number, engine: MemoryEngine, opened: Opened): SnapshotParts {
  return { family, time, store: engine.contents, cache: opened.contents(), active: opened.inForce() };
}

/** Makes the snapshot of a server that goes on. */
export function snapshotOf(now: SnapshotParts): Snapshot {
  const snapshot: Snapshot = Object.freeze({ revision: now.store.log.newest, time: now.time });
  parts.set(snapshot, { ...now, cache: now.cache && frozen(now.cache) });
  return snapshot;
}

/** The parts of a snapshot. Throws if it is of a server of another family. */
export function partsOf(snapshot: Snapshot, family: object): SnapshotParts {
  const found = parts.get(snapshot);
  if (found === undefined) throw new TypeError("not a snapshot: call server.snapshot()");
  if (found.family !== family) throw new Error("the snapshot is of another server, which is no fork of this one: load that server instead");
  return found;
}

/** The contents of a cache that goes on. */
function frozen(contents: CacheContents): CacheContents {
  const kinds = new Map<StoredKind, KindCache>();
  for (const [kind, cache] of contents.kinds) {
    const { maker, prefix, meter } = cache;
    kinds.set(kind, new KindCache({ maker, prefix, meter, bounds: noBounds, snapshotMs: 0 }, cache));
  }
  return { ...contents, kinds };
}
/** It takes no events. */
const noBounds = { keptMs: 0, bytesMax: 0, eventsMax: 0 };
