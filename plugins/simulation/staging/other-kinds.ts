/** Stages for kinds beside Pods and Nodes: a kind is followed while a Stage is for it and it is served. */
import type { ApiObject, GroupVersion } from "../../../plugin.ts";
import { type ApiCollection, pause, reasonOf } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import type { ClusterAddresses } from "../nodes/cluster-addresses.ts";
import { Compactor } from "../world/compact.ts";
import { runReconciler } from "../world/reconciler.ts";
import { Store } from "../world/store.ts";
import type { World } from "../world/world.ts";
import { stageReconciler } from "./runner.ts";
import type { StageBook, StagedKind } from "./stage-book.ts";

/** Kinds beside Pods and Nodes that are followed for Stages. */
export const otherKindsMax = bound(100);
/** Milliseconds until a kind whose watch has failed is followed again. */
const retryMs = 10_000;

const groupOf = (version: string): string => version.slice(0, Math.max(0, version.lastIndexOf("/")));

/** Follows the kinds that Stages are for. Resolves when the signal of the world has aborted and all work has ended. */
export async function runOtherKinds(world: World, book: StageBook, addresses: ClusterAddresses): Promise<void> {
  const kinds = new OtherKinds(world, book, addresses);
  book.listen(() => kinds.look());
  for await (const _all of world.context.api.followCollections("watch", world.signal)) kinds.look();
  await kinds.ended();
}

interface Following {
  readonly ending: AbortController;
  readonly ended: Promise<void>;
}

class OtherKinds {
  readonly #world: World;
  readonly #book: StageBook;
  readonly #addresses: ClusterAddresses;
  readonly #following = new Map<string, Following>();
  /** The kinds that wait, with what was reported of them. */
  readonly #waiting = new Map<string, string>();

  constructor(world: World, book: StageBook, addresses: ClusterAddresses) {
    this.#world = world;
    this.#book = book;
    this.#addresses = addresses;
  }

  /** Compares the kinds that are followed with those of the Stages and those that are served. */
  look(): void {
    if (this.#world.signal.aborted) return;
    const wanted = this.#book.others(), served = this.#world.context.api.collections("watch");
    const found = new Map(wanted.map((kind) => [kind, collectionOf(kind, served)]));
    for (const [kind, { ending }] of this.#following) if (found.get(kind) === undefined) ending.abort();
    for (const kind of this.#waiting.keys()) if (!found.has(kind)) this.#waiting.delete(kind);
    for (const [kind, collection] of found) {
      if (this.#following.has(kind)) continue;
      if (collection === undefined) this.#wait(kind, "waits until its kind is served");
      else if (this.#following.size === otherKindsMax) this.#wait(kind, `waits: Stages are for more than ${otherKindsMax} kinds`);
      else this.#start(kind, collection);
    }
  }

  async ended(): Promise<void> {
    await Promise.all([...this.#following.values()].map(({ ended }) => ended));
  }

  #wait(kind: StagedKind, why: string): void {
    if (this.#waiting.get(kind) === why) return;
    this.#waiting.set(kind, why);
    for (const { stage } of this.#book.of(kind)) this.#book.report(stage, why);
  }

  #start(kind: StagedKind, collection: ApiCollection): void {
    this.#waiting.delete(kind);
    const ending = new AbortController(), signal = AbortSignal.any([this.#world.signal, ending.signal]);
    this.#following.set(kind, { ending, ended: this.#follow(kind, collection, signal) });
  }

  /** Never rejects. */
  async #follow(kind: StagedKind, { kind: name, resource: plural, groupVersion }: ApiCollection, signal: AbortSignal): Promise<void> {
    const { context, clock } = this.#world, stop = new AbortController(), until = AbortSignal.any([signal, stop.signal]);
    const version = (groupOf(groupVersion) === "" ? groupVersion : kind.slice(0, kind.indexOf(" "))) as GroupVersion; // as the Stage has it
    const store = new Store(context.api.of<ApiObject>({ kind: name, plural, storedAs: version, served: {} }), new Compactor());
    const world = { ...this.#world, signal: until };
    let running: Promise<void> | undefined;
    try {
      await store.run(until, () => running ??= runReconciler(stageReconciler({ kind, store }, world, this.#book, this.#addresses), world));
    } catch (error) {
      if (!signal.aborted) context.logError(`the objects of ${kind} cannot be followed for Stages: ${reasonOf(error)}`);
    }
    stop.abort();
    await running;
    if (!signal.aborted) await pause(retryMs, signal, clock);
    this.#following.delete(kind);
    this.look();
  }
}

/** The collection of a kind. Collections are in one version of their group; a Stage may name another one. */
function collectionOf(kind: StagedKind, served: readonly ApiCollection[]): ApiCollection | undefined {
  const space = kind.indexOf(" "), version = kind.slice(0, space), name = kind.slice(space + 1);
  return served.find((each) => groupOf(each.groupVersion) === groupOf(version) && each.kind === name);
}
