/** The server behind a test server. A restore to the same revisions replaces it by another one. */
import { once, systemClock, within } from "../core/async.ts";
import { bound } from "../core/bound.ts";
import type { SeededChance } from "../core/chance.ts";
import type { Plugin } from "../core/plugin.ts";
import type { Log } from "../kernel/observe/log.ts";
import type { Catalog } from "../kernel/catalog/catalog.ts";
import type { Server } from "../kernel/server.ts";
import type { PluginSettings } from "../server/config/parse.ts";
import type { PlainSettings } from "../server/config/plain-settings.ts";
import type { Opened } from "../server/startup/open-server.ts";
import { type AdvancedClock, delivered, turn } from "./clock.ts";
import type { StoreTrouble } from "./faults/store-faults.ts";
import { type MoreParts, openInMemory } from "./in-memory.ts";
import { MemoryEngine } from "./state/memory-engine.ts";
import { partsNow, partsOf, type Snapshot, snapshotOf, type SnapshotParts } from "./state/snapshot.ts";

/** Milliseconds that a restore waits until the server has followed it. */
const followedMsMax = bound(5_000);

/** What a server is opened with, and again after a restore. */
export interface RunningNeeds extends Pick<MoreParts, "active" | "log" | "authorities"> {
  /** Stands for a server and its forks. */
  readonly family: object;
  readonly plugins: readonly Plugin[];
  readonly settings: Omit<PlainSettings, "data-dir">;
  readonly pluginSettings: PluginSettings | undefined;
  /** Undefined: the clock of the machine. */
  readonly clock: AdvancedClock | undefined;
  /** What is drawn at random. Undefined: by the machine. */
  readonly chance: SeededChance | undefined;
  readonly logged: string[];
  /** The faults of its store. */
  readonly trouble: StoreTrouble;
}

/** How a restore concerns watches. */
export interface RestoreOptions {
  /**
   * "events" (default): watches go on, and get the differences as events with new revisions. Time goes on, too. "end": all watches end with 410 Expired, and
   * objects, revisions, history, the time of a manual clock and the place in the values of a seed are those of the snapshot.
   */
  readonly watches?: "events" | "end";
}

interface Current {
  readonly opened: Opened;
  readonly engine: MemoryEngine;
  readonly log: Log;
  readonly close: () => Promise<void>;
}

/** A server in memory that can go back to an earlier state. */
export class RunningServer {
  /** The server that is running now, for callers that keep it. */
  readonly server: Server;
  readonly #needs: RunningNeeds;
  readonly #urls: string[] = [];
  /** Called when the server was replaced, before the former one ends. */
  readonly #onReplaced: (() => void)[] = [];
  #current: Current;
  /** The newest revision that a restore has given up. */
  #lost = 0;
  /** The last restore: they follow each other. */
  #restore = Promise.resolve();
  #isClosed = false;

  private constructor(needs: RunningNeeds, current: Current) {
    this.#needs = needs;
    this.#current = current;
    this.server = forwarding(() => this.opened.server);
  }

  /** Opens a server, with the state of a snapshot if there is one. */
  static async open(needs: RunningNeeds, from?: SnapshotParts): Promise<RunningServer> {
    return new RunningServer(needs, await openWith(needs, from));
  }

  get opened(): Opened {
    return this.#current.opened;
  }
  /** The newest revision of the store. */
  get revision(): number {
    return this.#current.engine.revision;
  }
  get log(): Log {
    return this.#current.log;
  }

  /** The state of this moment, for a server that is opened in this turn. */
  parts(): SnapshotParts {
    const { engine, opened } = this.#current, { family, clock = systemClock, chance } = this.#needs;
    return { ...partsNow(family, clock.now(), engine, opened), drawn: chance?.drawn };
  }
  snapshot(): Snapshot {
    return snapshotOf(this.parts());
  }

  onReplaced(listener: () => void): void {
    this.#onReplaced.push(listener);
  }

  /** Notes a URL of the server. */
  serveAt(url: string): void {
    this.#urls.push(url);
    this.opened.serveAt(url);
  }

  /** Goes back to the state of a snapshot. Throws if it is of another family. */
  restore(snapshot: Snapshot, { watches = "events" }: RestoreOptions): Promise<void> {
    const parts = partsOf(snapshot, this.#needs.family);
    const done = this.#restore.then(() => {
      if (this.#isClosed) throw new Error("the test server is closed");
      return this.#needs.trouble.without(() => watches === "end" ? this.#replace(parts) : this.#write(parts));
    });
    this.#restore = done.catch(() => {});
    return done;
  }

  readonly close = once(async (): Promise<void> => {
    this.#isClosed = true;
    this.opened.end();
    await this.#restore;
    await this.#current.close();
  });

  /** Writes what differs, and waits until the server has followed. */
  async #write({ store, active }: SnapshotParts): Promise<void> {
    const { engine, opened } = this.#current, { server } = opened;
    engine.become(store);
    await server.backend.store.size(); // any call
    const newest = engine.contents.log.newest, isBehind = () => (opened.contents()?.revision ?? 0) < newest;
    await whileSo(isBehind, turn);
    const kinds = kindsOf(active.catalog);
    await whileSo(() => kindsOf(server.catalog) !== kinds, (signal) => server.catalogChanged(signal));
    await delivered();
  }

  /** Opens a server with the state, puts it in the place of the present one, and ends that one. */
  async #replace(parts: SnapshotParts): Promise<void> {
    const before = this.#current;
    await this.#needs.clock?.setBack(parts.time);
    if (parts.drawn !== undefined) this.#needs.chance?.reset(parts.drawn);
    this.#lost = Math.max(this.#lost, before.engine.contents.log.newest);
    const cache = parts.cache && { ...parts.cache, lost: this.#lost };
    const next = this.#current = await openWith(this.#needs, { ...parts, cache });
    for (const url of this.#urls) next.opened.serveAt(url);
    for (const listener of this.#onReplaced) listener();
    await before.close();
  }
}

async function openWith(needs: RunningNeeds, from?: SnapshotParts): Promise<Current> {
  const { plugins, settings, pluginSettings, clock, chance, logged, trouble, active, log: given, authorities } = needs;
  const engine = new MemoryEngine(from?.store), begun = from && { begun: from.cache, active: from.active, goesOn: from.isStart !== true };
  clock?.follow(engine);
  const { opened, log, close } = await openInMemory(plugins, settings, logged, {
    ...{
      ofPlugins: pluginSettings,
      clock: chance === undefined ? clock : { ...clock ?? systemClock, chance },
      active,
      log: given,
      authorities,
      ...begun,
    },
    engine: trouble.engine(engine),
    storeOver: trouble.over,
  });
  return { opened, engine, log, close };
}

/** A server that is at each moment the one of `current`. */
function forwarding(current: () => Server): Server {
  return new Proxy({} as Server, { get: (_, name) => Reflect.get(current(), name) }); // all members are read from the other
}

/** Waits for changes while a condition is true, for a bounded time. */
async function whileSo(condition: () => boolean, change: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const over = (async () => {
    while (condition() && !ending.signal.aborted) await change(ending.signal);
  })();
  await within(over, followedMsMax, () => new Error(`the server has not followed the restore within ${followedMsMax} ms`))
    .finally(() => ending.abort());
}

function kindsOf({ groups }: Catalog): string {
  const all = groups.flatMap(({ versions }) => versions.flatMap(({ endpoints }) => endpoints));
  return all.map(({ apiVersion, plural, kind }) => `${apiVersion} ${plural} ${kind}`).sort().join("\n");
}
