/**
 * Reading stored objects under the rules of resourceVersion: what verbs ask, and the rules that every implementation
 * shares. `direct-reads.ts` answers straight from the store, `cache/` from memory; one suite
 * (`cache/reads-conformance.ts`) runs on both.
 */
import { parseUint } from "../../core/parse-uint.ts";
import { limits } from "../../core/limits.ts";
import { dns1123Label, pathSegmentName } from "../../core/meta/names.ts";
import type { Names } from "../../core/names.ts";
import type { WatchScope } from "../../core/api.ts";
import { matchesFields } from "../../core/selectors/field.ts";
import { matchesLabels } from "../../core/selectors/label.ts";
import { badRequestError, type Status, StatusError, statusOf } from "../../core/status-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import type { Endpoint, StoredKind } from "../catalog/catalog.ts";
import { readContinue, writeContinue } from "./continue-token.ts";
import { Item, keyOf } from "../objects/objects.ts";
import type { ListOptions } from "../request/options.ts";
import { type Revision, StoreError } from "../store/store.ts";

/** A request that may have to wait. Its signal is created at its first use: most reads need none. */
export interface Waiter {
  readonly signal: AbortSignal;
}

export interface Live {
  readonly item: Item | undefined;
  /** Asks the store, where the item comes from memory and others may have written since; undefined where it is the newest. */
  readonly renew: (() => Promise<Item | undefined>) | undefined;
}

/** Where verbs read from. */
export interface Reads {
  /** One object, of the age that `resourceVersion` of the query asks for. */
  get(kind: StoredKind, key: string, resourceVersion: string, waiter: Waiter): Promise<Item | undefined>;
  /** The state of one object, as it lies in the store, that a write begins with. Nothing is waited for but the store. */
  live(kind: StoredKind, key: string, waiter: Waiter): Promise<Live>;
  /** One chunk of a list, or all of it, at one revision. */
  list(collection: Collection, options: ListOptions, names: Names, signal: AbortSignal): Promise<ListPage>;
  /** Frames of a watch until its time is up, its signal aborts or it cannot go on; a piece may hold several, or a part of one. */
  watch(watching: Watching): Promise<AsyncIterable<Uint8Array>>;
}

/** A collection: a kind below a namespace ("" for all), and its keys. */
export interface Collection {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  /** What every key begins with. */
  readonly prefix: string;
  /** What every key of the kind begins with, in all namespaces. */
  readonly within: string;
  /** The one key that it is about, where a path names an object. */
  readonly key?: string | undefined;
}

/** The items of a list, in the order of their keys. */
export interface Items extends Iterable<Item> {
  readonly length: number;
  /** Their JSON in the stored form as list items, joined by commas, where it is at hand. */
  readonly json?: { pieces(): Iterable<Uint8Array> };
}

export interface ListPage {
  readonly items: Items;
  readonly revision: Revision;
  readonly continue: string;
  readonly remaining: number | undefined;
}

export type WatchType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** How a watch encodes its events. Watches with equal `id` may share frames. */
export interface Framing {
  /** Frames of the same id are the same; that of a table changes with time. */
  readonly id: string;
  /** Frames hold the JSON of the stored form as it is. */
  readonly plain: boolean;
  /** The first frame of a watch differs from later ones: a table has its columns in the first only. */
  readonly opens: boolean;
  frame(type: WatchType, item: Item, first: boolean): Uint8Array;
  bookmark(revision: Revision, endsInitial: boolean, first: boolean): Uint8Array;
  error(status: Status): Uint8Array;
  /** Told of each frame that goes out. */
  sent(frameBytes: number): void;
}

export interface Watching {
  readonly collection: Collection;
  readonly options: ListOptions;
  readonly framing: Framing;
  readonly names: Names;
  /** Changes that are no concern of it may be left out. */
  readonly watchScope?: WatchScope | undefined;
  /** How long it lasts. */
  readonly ms: number;
  /** Ends it at once; a StatusError as its reason is the last event. */
  readonly signal: AbortSignal;
  /** Told when it ends because its client did not read. */
  tooSlow?(): void;
}

/** A kind whose objects upstream reads from its store, without a cache. */
export function isUncached(kind: StoredKind): boolean {
  return kind.resource.strategy?.cached === false;
}

/** The selectors of a request as one question to an object. */
export type Selects = (item: Item) => boolean;

/** Undefined when everything is selected. */
export function selects(endpoint: Endpoint, options: Pick<ListOptions, "labels" | "fields">): Selects | undefined {
  const { labels, fields } = options;
  if (labels.length === 0 && fields.length === 0) return undefined;
  const declared = endpoint.served.selectableFields ?? {};
  return (item) => {
    const { object } = item;
    if (!matchesLabels(labels, object.metadata.labels)) return false;
    return matchesFields(fields, (field) => {
      if (field === "metadata.name") return object.metadata.name ?? "";
      if (field === "metadata.namespace") return object.metadata.namespace ?? "";
      return Object.hasOwn(declared, field) ? declared[field]!(endpoint.fromStored(object)) : "";
    });
  };
}

/** A resourceVersion of the query as a revision; undefined for "". `where`: what upstream answers for nonsense differs. */
export function revisionOf(text: string, where: "get" | "list" | "watch"): Revision | undefined {
  if (text === "") return undefined;
  const revision = parseUint(text);
  if (typeof revision === "number") return revision;
  const shown = goQuote(text);
  const message = `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: ${revision}`;
  throw where === "list" ? badRequestError(`invalid resource version: ${message}`) : new StatusError("Unknown", message);
}

/** The revision of a get; what upstream says of nonsense depends on where it would have read. */
export function revisionOfGet(kind: StoredKind, text: string): Revision | undefined {
  return revisionOf(text, isUncached(kind) ? "list" : "get");
}

/** How old what a list shows may be. */
export type Age =
  | { readonly tag: "newest" }
  | { readonly tag: "any" }
  | { readonly tag: "notOlder"; readonly revision: Revision }
  | { readonly tag: "exact"; readonly revision: Revision };

/** What a list reads, by the table of resourceVersion, resourceVersionMatch, limit and continue. */
export interface ListPlan {
  readonly age: Age;
  readonly limit: number | undefined;
  /** The first key that may be read, where the list is the rest of one. */
  readonly start: string | undefined;
  /** The only key that can be selected, where a field selector names the object. */
  readonly key: string | undefined;
  /** Read the store and do not wait for a revision: what upstream does with one key at an exact revision. */
  readonly fromStore: boolean;
}

/** The plan of a list; 400 where the options contradict each other. */
export function planList(collection: Collection, options: ListOptions, names: Names): ListPlan {
  const { endpoint: { stored }, prefix } = collection;
  const asked = options.limit > 0 ? options.limit : undefined;
  // What is served from a cache at any age is served whole, unless it is the rest of a list that came in chunks.
  const isWhole = options.resourceVersion === "0" && options.continue === "" && !isUncached(stored);
  const limit = isWhole ? undefined : asked;
  if (options.continue !== "") {
    const { revision, start } = readContinue(options.continue, names);
    if (options.resourceVersion !== "" && options.resourceVersion !== "0") {
      throw badRequestError("specifying resource version is not allowed when using continue");
    }
    return {
      age: revision < 0 ? { tag: "newest" } : { tag: "exact", revision },
      limit,
      start: start === "" ? undefined : prefix + start,
      key: undefined,
      fromStore: false,
    };
  }
  const key = collection.key ?? namedKey(collection, options);
  const revision = revisionOf(options.resourceVersion, "list");
  if (revision === undefined) return { age: { tag: "newest" }, limit, start: undefined, key, fromStore: false };
  if (revision === 0) return { age: { tag: "any" }, limit, start: undefined, key, fromStore: false };
  const match = options.resourceVersionMatch;
  const limited = match === "" && limit !== undefined;
  const exact = match === "Exact" || (limited && key === undefined);
  return {
    age: { tag: exact ? "exact" : "notOlder", revision },
    limit,
    start: undefined,
    key,
    fromStore: key !== undefined && (exact || limited),
  };
}

/** The namespace to which a field selector holds a list over all of them. */
export function namespaceNamed(
  { endpoint: { stored }, namespace }: Collection,
  { fields }: Pick<ListOptions, "fields">,
): string | undefined {
  if (!stored.namespaced || namespace !== "") return undefined;
  const named = fields.find(({ field, operator }) => field === "metadata.namespace" && operator === "=");
  return named === undefined || dns1123Label(named.value).length > 0 ? undefined : named.value;
}

/** The key of the object that a field selector names, where there can be only one. */
export function namedKey(collection: Collection, options: Pick<ListOptions, "fields">): string | undefined {
  const { endpoint: { stored }, namespace, prefix } = collection;
  const named = options.fields.find(({ field, operator }) => field === "metadata.name" && operator === "=");
  // What no object can be called selects nothing, but from a list.
  if (named === undefined || named.value === "" || pathSegmentName(named.value, false).length > 0) return undefined;
  if (!stored.namespaced || namespace !== "") return prefix + named.value;
  const only = namespaceNamed(collection, options);
  return only === undefined ? undefined : `${prefix}${only}/${named.value}`;
}

/** The token of what follows after `key`. */
export function continueAfter(collection: Collection, revision: Revision, key: string, names: Names): string {
  return writeContinue({ revision, start: `${key.slice(collection.prefix.length)}\0` }, names);
}

/** 504 in the form that clients recognise. Only where waiting could have helped is it worth another try. */
export function tooLargeRevision(asked: Revision, current: Revision, again = true): StatusError {
  return new StatusError("Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      ...(again ? { retryAfterSeconds: 1 } : {}),
    },
  });
}
/** 410 in the form that clients recognise. */
export function expired(message: string, more?: { readonly continue: string }): StatusError {
  return new StatusError("Expired", message, more);
}

/** 410 for a watch whose store was set back. */
export function lostHistory(): StatusError {
  return expired("The resourceVersion for the provided watch is of a history that is lost: an older copy of the store was restored.");
}

/** 410 for a list whose history is gone; the rest of a list can be had as it is now. */
export function expiredList(options: ListOptions, names: Names): StatusError {
  if (options.continue === "") return expired("The resourceVersion for the provided list is too old.");
  const { start } = readContinue(options.continue, names);
  return expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    { continue: writeContinue({ revision: -1, start }, names) },
  );
}

/** The error event of a watch that cannot continue. */
export function watchFailure(kind: StoredKind, error: unknown, seen: Revision): Status {
  if (error instanceof StoreError && error.code === "compacted") {
    const known = `too old resource version: ${seen} (${error.oldest ?? seen + 1})`;
    return statusOf(expired(isUncached(kind) ? "The resourceVersion for the provided watch is too old." : known));
  }
  if (error instanceof StoreError && error.code === "set-back") return statusOf(lostHistory());
  if (error instanceof StatusError) return statusOf(error);
  return statusOf(new StatusError("InternalError", "an error on the server prevented the watch from going on", { cause: error }));
}

/**
 * The whole reply of a watch that ends before streaming, else undefined. Where its time is over before, that is nothing. Where
 * it asks for a state that is yet to come and does not come (`reach`), it is that failure: its time does not run while it waits.
 */
export async function neverBegun(
  { collection, options, framing, ms }: Watching,
  reach: (revision: Revision) => Promise<void>,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (ms <= 0) return framesOf([]);
  const from = revisionOf(options.resourceVersion, "watch");
  if (options.sendInitialEvents !== true || from === undefined || from === 0) return undefined;
  try {
    await reach(from);
    return undefined;
  } catch (error) {
    const frame = framing.error(watchFailure(collection.endpoint.stored, error, from));
    framing.sent(frame.length);
    return framesOf([frame]);
  }
}
async function* framesOf(frames: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* frames;
}

/** Whether a watch begins with what is there. */
export function startsWithState(options: ListOptions, from: Revision | undefined): boolean {
  return options.sendInitialEvents ?? (from === undefined || from === 0);
}

/** When a watch is due its next bookmark, if it wants any. */
export function nextBookmark(options: ListOptions, now: number, endsAt: number): number | undefined {
  if (!options.allowWatchBookmarks) return undefined;
  const last = endsAt - limits.bookmarkBeforeEndMs;
  return last > now ? Math.min(now + limits.bookmarkEveryMs, last) : undefined;
}

/** The collection with the key of the object that the path names. */
export function collectionOf(prefix: string, endpoint: Endpoint, namespace: string, name: string): Collection {
  const { stored } = endpoint;
  const within = `${prefix}/${stored.under}/`;
  const own = stored.namespaced && namespace !== "" ? `${within}${namespace}/` : within;
  return { endpoint, namespace, prefix: own, within, key: name === "" ? undefined : keyOf(prefix, stored, namespace, name) };
}
