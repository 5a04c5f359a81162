/** Watches the objects that the garbage collector keeps in its graph: those with owners, finalizers or a deletion timestamp. */
import { type Api, StatusError } from "../../plugin.ts";
import { type ApiCollection, pause, systemClock } from "../../toolbox.ts";
import { awaitsCollector, type Node, nodeOf, type OwnerGraph } from "./owner-graph.ts";

/** Shortest and longest pause, in milliseconds, before a kind that cannot be followed is tried again. */
const retryMsMin = 100, retryMsMax = 30_000;

/** Milliseconds that the collector waits for the objects of another server before it acts on those that it knows (upstream's). */
const remoteFillMs = 30_000;

/** Reports kinds that cannot be followed. */
export interface Waits {
  began(collection: ApiCollection, error: unknown, isFirst: boolean): void;
  ended(collection: ApiCollection): void;
}

/** Processes an object that was seen, or that no longer exists. */
type Handle = (node: Node, deleted: boolean) => void;

interface Following {
  readonly api: Api;
  readonly graph: OwnerGraph;
  readonly handle: Handle;
  readonly waits: Waits;
  /** Called for an error of the program itself. */
  readonly failed: (error: unknown) => void;
}

interface Followed {
  readonly collection: ApiCollection;
  readonly ending: AbortController;
}

/** Follows the objects of all collections, also of those that appear later, until the signal aborts. */
export class ObjectFollower {
  readonly #following: Following;
  readonly #until: AbortSignal;
  readonly #followed = new Map<string, Followed>();

  constructor(following: Following, until: AbortSignal) {
    this.#following = following;
    this.#until = until;
  }

  /** Resolves when all watches have ended. */
  async run(): Promise<void> {
    const { api, graph, handle } = this.#following, ended: Promise<void>[] = [];
    for await (const all of api.followCollections("watch", this.#until)) {
      // Events are left out: they are numerous, have no owners and expire. So are objects of other servers that cannot be deleted.
      const deletable = new Set(all.some(({ isRemote }) => isRemote) ? api.collections("delete").map(nameOf) : []);
      const isCollected = (each: ApiCollection) => each.resource !== "events" && (each.isRemote !== true || deletable.has(nameOf(each)));
      const collections = new Map(all.filter(isCollected).map((each) => [nameOf(each), each]));
      for (const [name, one] of this.#followed) if (!collections.has(name)) this.#leave(name, one);
      const early = afterwards(graph, handle);
      await Promise.all(
        [...collections].filter(([name]) => !this.#followed.has(name)).map(([name, collection]) => {
          const one = { collection, ending: new AbortController() }, filled = Promise.withResolvers<void>();
          this.#followed.set(name, one);
          ended.push(this.#follow(name, one, early.see, filled.resolve));
          // Another server may hang.
          return collection.isRemote ? Promise.race([filled.promise, pause(remoteFillMs, this.#until, systemClock)]) : filled.promise;
        }),
      );
      early.end();
    }
    await Promise.all(ended);
  }

  /** Stops following a kind that is no longer served. Its objects no longer exist for their dependents either. */
  #leave(name: string, { collection: { groupVersion, resource }, ending }: Followed): void {
    const { graph, handle } = this.#following;
    ending.abort();
    if (this.#followed.get(name)?.ending === ending) this.#followed.delete(name);
    for (const node of graph.nodesOf(groupVersion, resource)) handle(node, true);
  }

  /**
   * Follows one collection. Calls `filled` once its objects are in the graph. Also calls it if the collection is no longer served, or
   * cannot be followed now.
   */
  async #follow(name: string, one: Followed, see: Handle, filled: () => void): Promise<void> {
    const { waits, failed } = this.#following, { collection, ending } = one;
    const signal = AbortSignal.any([this.#until, ending.signal]);
    let isSynced = false, failures = 0;
    const synced = (): void => {
      if (isSynced) this.#recheck(collection, see);
      if (failures > 0) waits.ended(collection);
      isSynced = true;
      failures = 0;
      filled();
    };
    try {
      while (!signal.aborted) {
        const error = await this.#followOnce(collection, see, synced, signal);
        if (error === undefined || signal.aborted) continue;
        if (error.because instanceof StatusError && error.because.reason === "NotFound") return this.#leave(name, one);
        waits.began(collection, error.because, failures === 0);
        filled();
        await pause(Math.min(retryMsMax, retryMsMin * 2 ** Math.min(failures++, 30)), signal, systemClock);
      }
    } catch (error) {
      failed(error);
    } finally {
      if (failures > 0) waits.ended(collection);
      filled();
    }
  }

  /**
   * Follows a collection until its watch ends. Resolves with the error of the API or of an object that ends it, or with undefined after the
   * signal aborts.
   */
  async #followOnce(
    { groupVersion, resource }: ApiCollection,
    see: Handle,
    synced: () => void,
    signal: AbortSignal,
  ): Promise<{ readonly because: unknown } | undefined> {
    const { api, graph } = this.#following;
    // The objects that were in the graph when the last watch failed, and that the list has not shown yet.
    const missing = new Map(graph.nodesOf(groupVersion, resource).map((node) => [node.uid, node]));
    const onSynced = (): void => {
      for (const node of missing.values()) see(node, true);
      missing.clear();
      synced();
    };
    try {
      for await (const { type, object } of api.watch(groupVersion, resource, "", {}, signal, "owned", onSynced)) {
        missing.delete(object.metadata.uid ?? "");
        see(nodeOf(groupVersion, resource, object), type === "DELETED");
      }
      return undefined;
    } catch (because) {
      return { because };
    }
  }

  /** Processes the dependents of a kind. After a gap in a watch, deletions of owners that are not in the graph have not been reported. */
  #recheck({ groupVersion, kind }: ApiCollection, see: Handle): void {
    for (const node of this.#following.graph.dependentsOfKind(groupVersion, kind)) see(node, false);
  }
}

/**
 * Collects objects until `end` is called: until then, `see` only updates the graph, because an owner must not be finalized before all of
 * its dependents are known. `end` passes the objects to `handle` that `handle` acts on; from then on `see` is `handle`.
 */
function afterwards(graph: OwnerGraph, handle: Handle): { readonly see: Handle; end(): void } {
  let seen: (readonly [Node, boolean])[] | undefined = [];
  return {
    see(node, deleted) {
      if (seen === undefined) return handle(node, deleted);
      if (deleted) graph.remove(node.uid);
      else graph.put(node);
      // Most objects have neither owners nor finalizers. For them, `handle` would only update the graph again.
      if (deleted || node.owners.length > 0 || awaitsCollector(node)) seen.push([node, deleted]);
    },
    end() {
      const all = seen ?? [];
      seen = undefined;
      for (const [node, deleted] of all) {
        // The newest state of the object is used, because it may have changed since.
        const now = deleted ? node : graph.get(node.uid);
        if (now !== undefined) handle(now, deleted);
      }
    },
  };
}

function nameOf({ groupVersion, resource }: ApiCollection): string {
  return `${groupVersion}/${resource}`;
}
