/**
 * Reads of stored objects by the rules of resourceVersion: the port that verbs use, and the rules that its implementations share.
 * `direct-reads.ts` reads from the store, `cache/` from memory; one conformance suite runs on both.
 */
import { parseUint } from "../../core/parse-uint.ts";
import { dns1123Label, pathSegmentName } from "../../core/meta/names.ts";
import type { Names } from "../../core/names.ts";
import type { WatchScope } from "../../core/api.ts";
import { fieldMatcher, labelMatcher } from "../../core/selectors/matcher.ts";
import { badRequestError, type Status, StatusError, statusOf } from "../../core/status-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import type { Endpoint, StoredKind } from "../catalog/catalog.ts";
import type { Deflated } from "../../protocols/gzip/deflate.ts";
import { readContinue, writeContinue } from "./continue-token.ts";
import { Item, keyOf } from "../objects/objects.ts";
import type { ListOptions } from "../request/options.ts";
import { type Revision, StoreError } from "../store/store.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds between two bookmarks of a watch without events. */
const bookmarkEveryMs = bound(60_000);
/** Milliseconds from the last bookmark of a watch to its planned end. A shorter watch gets no bookmark. */
const bookmarkBeforeEndMs = bound(2_000);

/** A request that may have to wait. Its signal is created at its first use: most reads need none. */
export interface Waiter {
  readonly signal: AbortSignal;
}

export interface Live {
  readonly item: Item | undefined;
  /** Reads the object from the store. Present if the item is from memory and may be out of date; undefined if the item is the newest. */
  readonly renew: (() => Promise<Item | undefined>) | undefined;
}

/** Measures a read of the store for one request. */
export type Timed = <T>(read: () => Promise<T>) => Promise<T>;

/** The port from which verbs read. `timed` runs the reads of the store, and not those that memory answers. */
export interface Reads {
  /** Reads one object that is at least as new as the `resourceVersion` of the query. */
  get(kind: StoredKind, key: string, resourceVersion: string, waiter: Waiter, timed?: Timed): Promise<Item | undefined>;
  /** Reads the stored state of one object, to which a write applies. It does not wait for a revision. */
  live(kind: StoredKind, key: string, waiter: Waiter, timed?: Timed): Promise<Live>;
  /** Reads one chunk of a list, or all of it, at one revision. */
  list(collection: Collection, options: ListOptions, names: Names, signal: AbortSignal, timed?: Timed): Promise<ListPage>;
  /** Returns the objects of a collection from memory, which may be out of date. Undefined if memory does not hold them. */
  inMemory(collection: Collection): readonly Item[] | undefined;
  /** Returns a value that differs after each change of the collection's kind. Undefined if memory does not hold the collection. */
  changeMark(collection: Collection): object | undefined;
  /**
   * Resolves with the frames of a watch. They end at its timeout, at the abort of its signal or after an error. A chunk may have several
   * frames, or a part of one.
   */
  watch(watching: Watching): Promise<AsyncIterable<Uint8Array>>;
}

/** The objects of a kind in one namespace, or in all (""). */
export interface Collection {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  /** Common prefix of its keys. */
  readonly prefix: string;
  /** Common prefix of the keys of the kind, in all namespaces. */
  readonly within: string;
  /** The only key of the collection, if the path names an object. */
  readonly key?: string | undefined;
}

/** The items of a list, in the order of their keys. */
export interface Items extends Iterable<Item> {
  readonly length: number;
  /** The JSON of the items in the stored form, as items of a list that are joined by commas; absent if it is not cached. */
  readonly json?: { pieces(): Iterable<Uint8Array> };
  /** Returns the items in blocks of neighbours. Later lists share the compressed bytes of the blocks. Absent if nothing is shared. */
  blocks?(form: ItemForm): Iterable<ItemBlock>;
}

/** How items are written as elements of a list. */
export interface ItemForm {
  /** The name of the form. Forms of one kind with equal names have equal bytes. */
  readonly name: string;
  /** The bytes between two items, which are not part of a block. */
  readonly between: string;
  /** Returns the bytes of an item; undefined if these are the bytes of `json`. */
  readonly bytesOf: ((item: Item) => Uint8Array) | undefined;
}

/** Some neighbouring items in a form. */
export interface ItemBlock {
  /** Returns the number of bytes before compression. If the block is not kept, this encodes it, but does not compress it. */
  length(): number;
  /** Compresses the block piece by piece, so that the caller can yield to the event loop between two pieces. */
  pieces(): Iterable<Deflated>;
}

export interface ListPage {
  readonly items: Items;
  readonly revision: Revision;
  readonly continue: string;
  readonly remaining: number | undefined;
  /** The shard selector of the request, if it has one. */
  readonly shard?: string;
}

export type WatchType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** How a watch encodes its events. Watches with equal `id` may share frames. */
export interface Framing {
  /** Framings with the same id produce the same frames; the id of a table changes with time. */
  readonly id: string;
  /** Whether frames contain the JSON of the stored form unchanged. */
  readonly plain: boolean;
  /** Whether the first frame of a watch differs from later ones. In a table only the first frame has columns. */
  readonly opens: boolean;
  frame(type: WatchType, item: Item, first: boolean): Uint8Array;
  bookmark(revision: Revision, endsInitial: boolean, first: boolean): Uint8Array;
  error(status: Status): Uint8Array;
  /** Called for each frame that is sent. */
  readonly sent: (frameBytes: number) => void;
}

export interface Watching {
  readonly collection: Collection;
  readonly options: ListOptions;
  readonly framing: Framing;
  readonly names: Names;
  /** The changes that the watch needs; other changes may be omitted. */
  readonly watchScope?: WatchScope | undefined;
  /** A value that identifies the client's connection, if other watches may share it. */
  readonly connection?: object | undefined;
  /** The duration of the watch in milliseconds. */
  readonly ms: number;
  /** Ends the watch at once. If its reason is a StatusError, the last event is that error. */
  readonly signal: AbortSignal;
  /** Called when the watch ends because its client did not read. */
  tooSlow?(): void;
}

/** Whether a kind is read from the store, without the cache. */
export function isReadFromStore(kind: StoredKind): boolean {
  return isUncached(kind) || kind.resource.conversion !== undefined;
}

/** Whether upstream reads objects of a kind from its store, without a cache. */
export function isUncached(kind: StoredKind): boolean {
  return kind.resource.strategy?.cached === false;
}

/** Whether an item matches the selectors of a request. */
export type Selects = (item: Item) => boolean;

/** Returns the predicate of the selectors; undefined if there are none. */
export function selects(
  endpoint: Endpoint,
  { labels, fields, shard }: Pick<ListOptions, "labels" | "fields" | "shard">,
): Selects | undefined {
  if (labels.length === 0 && fields.length === 0 && shard === undefined) return undefined;
  const declared = endpoint.served.selectableFields ?? {};
  const matchesLabels = labelMatcher(labels), matchesFields = fieldMatcher(fields);
  return (item) => {
    const { object } = item;
    if (shard !== undefined && !shard.has(object.metadata[shard.field] ?? "")) return false;
    if (!matchesLabels(object.metadata.labels)) return false;
    return matchesFields((field) => {
      if (field === "metadata.name") return object.metadata.name ?? "";
      if (field === "metadata.namespace") return object.metadata.namespace ?? "";
      return Object.hasOwn(declared, field) ? declared[field]!(endpoint.fromStored(object)) : "";
    });
  };
}

/** Returns the revision of a resourceVersion in the query; undefined for "". `where` selects upstream's error for a malformed value. */
export function revisionOf(text: string, where: "get" | "list" | "watch"): Revision | undefined {
  if (text === "") return undefined;
  const revision = parseUint(text);
  if (typeof revision === "number") return revision;
  const shown = goQuote(text);
  const message = `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: ${revision}`;
  throw where === "list" ? badRequestError(`invalid resource version: ${message}`) : new StatusError("Unknown", message);
}

/** Returns the revision of a get. Upstream's error for a malformed one depends on whether it would have read its cache. */
export function revisionOfGet(kind: StoredKind, text: string): Revision | undefined {
  return revisionOf(text, isUncached(kind) ? "list" : "get");
}

/** How new the state must be that a list returns. */
export type Age =
  | { readonly tag: "newest" }
  | { readonly tag: "any" }
  | { readonly tag: "notOlder"; readonly revision: Revision }
  | { readonly tag: "exact"; readonly revision: Revision };

/** How to read a list, by the rules of resourceVersion, resourceVersionMatch, limit and continue. */
export interface ListPlan {
  readonly age: Age;
  readonly limit: number | undefined;
  /** The first key of a continued list; undefined for a list that begins. */
  readonly start: string | undefined;
  /** The only key that can match, if a field selector names one object. */
  readonly key: string | undefined;
  /** Whether to read the store without waiting for a revision, as upstream does for one key at an exact revision. */
  readonly fromStore: boolean;
}

/** Makes the plan of a list. Throws 400 for contradictory options. */
export function planList(collection: Collection, options: ListOptions, names: Names): ListPlan {
  const { endpoint: { stored }, prefix } = collection;
  const requested = options.limit > 0 ? options.limit : undefined;
  // A list of any age ignores the limit if it is read from a cache, unless it continues a chunked list.
  const isWhole = options.resourceVersion === "0" && options.continue === "" && !isUncached(stored);
  const limit = isWhole ? undefined : requested;
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

/** Returns the namespace to which a field selector restricts a list over all namespaces. */
export function namespaceNamed(
  { endpoint: { stored }, namespace }: Collection,
  { fields }: Pick<ListOptions, "fields">,
): string | undefined {
  if (!stored.namespaced || namespace !== "") return undefined;
  const named = fields.find(({ field, operator }) => field === "metadata.namespace" && operator === "=");
  return named === undefined || dns1123Label(named.value).length > 0 ? undefined : named.value;
}

/** Returns the key of the object that a field selector names, if there can be only one. */
export function namedKey(collection: Collection, options: Pick<ListOptions, "fields">): string | undefined {
  const { endpoint: { stored }, namespace, prefix } = collection;
  const named = options.fields.find(({ field, operator }) => field === "metadata.name" && operator === "=");
  // An invalid name matches no object; it is evaluated as an ordinary selector of the list.
  if (named === undefined || named.value === "" || pathSegmentName(named.value, false).length > 0) return undefined;
  if (!stored.namespaced || namespace !== "") return prefix + named.value;
  const only = namespaceNamed(collection, options);
  return only === undefined ? undefined : `${prefix}${only}/${named.value}`;
}

/** Makes the token of a list that continues after `key`. */
export function continueAfter(collection: Collection, revision: Revision, key: string, names: Names): string {
  return writeContinue({ revision, start: `${key.slice(collection.prefix.length)}\0` }, names);
}

/** Returns the 504 that clients recognise. `again`: whether the client should retry, because the server could have waited longer. */
export function tooLargeRevision(requested: Revision, current: Revision, again = true): StatusError {
  return new StatusError("Timeout", `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      ...(again ? { retryAfterSeconds: 1 } : {}),
    },
  });
}
/** Returns the 410 by which clients recognise that they must list again. */
export function expiredError(message: string, more?: { readonly continue: string }): StatusError {
  return new StatusError("Expired", message, more);
}

/** Returns the 410 for a watch whose history was lost, because the store was replaced by an older copy. */
export function lostHistory(): StatusError {
  return expiredError("The resourceVersion for the provided watch is of a history that is lost: an older copy of the store was restored.");
}

/** Returns the 410 for a list at a compacted revision. A continued list also gets a token with which it can continue inconsistently. */
export function expiredList(options: ListOptions, names: Names): StatusError {
  if (options.continue === "") return expiredError("The resourceVersion for the provided list is too old.");
  const { start } = readContinue(options.continue, names);
  return expiredError(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    { continue: writeContinue({ revision: -1, start }, names) },
  );
}

/** Returns the error event of a watch that cannot continue. */
export function watchFailure(kind: StoredKind, error: unknown, seen: Revision): Status {
  if (error instanceof StoreError && error.code === "compacted") {
    const known = `too old resource version: ${seen} (${error.oldest ?? seen + 1})`;
    return statusOf(expiredError(isUncached(kind) ? "The resourceVersion for the provided watch is too old." : known));
  }
  if (error instanceof StoreError && error.code === "set-back") return statusOf(lostHistory());
  if (error instanceof StatusError) return statusOf(error);
  return statusOf(new StatusError("InternalError", "an error on the server prevented the watch from going on", { cause: error }));
}

/**
 * Returns the whole reply of a watch that ends before streaming, else undefined. The reply is empty if the duration is 0. It is an error if
 * the initial state needs a future revision that is not reached; `reach` waits for this revision, and the duration does not include this
 * wait.
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

/** Whether a watch begins with the current state. */
export function startsWithState(options: ListOptions, from: Revision | undefined): boolean {
  return options.sendInitialEvents ?? (from === undefined || from === 0);
}

/**
 * Returns the time of the next bookmark of a watch. Undefined if the watch requests none, or ends before. Bookmarks are due at whole
 * seconds: many watches then share a turn of the event loop, and the watches of one connection share a packet.
 */
export function nextBookmark(options: ListOptions, now: number, endsAt: number): number | undefined {
  if (!options.allowWatchBookmarks) return undefined;
  const last = endsAt - bookmarkBeforeEndMs;
  const onSecond = Math.floor((now + bookmarkEveryMs) / 1_000) * 1_000;
  return last > now ? Math.min(onSecond, last) : undefined;
}

/** Makes the collection of a path. `name` is the object that the path names, or "". */
export function collectionOf(prefix: string, endpoint: Endpoint, namespace: string, name: string): Collection {
  const { stored } = endpoint;
  const within = `${prefix}/${stored.under}/`;
  const own = stored.namespaced && namespace !== "" ? `${within}${namespace}/` : within;
  return { endpoint, namespace, prefix: own, within, key: name === "" ? undefined : keyOf(prefix, stored, namespace, name) };
}
