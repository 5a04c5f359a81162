/** Reading stored objects under the rules of resourceVersion, straight from the store. */
import type { Names } from "../core/names.ts";
import { matchesFields } from "../core/selectors/field.ts";
import { matchesLabels } from "../core/selectors/label.ts";
import { badRequestError, StatusError } from "../core/status-error.ts";
import type { Endpoint, StoredKind } from "./catalog.ts";
import { readContinue, writeContinue } from "./continue-token.ts";
import { Item } from "./objects.ts";
import type { ListOptions } from "./options.ts";
import { type Listing, type Revision, type Store, StoreError } from "./store/store.ts";

/** The selectors of a request as one question to an object. */
export type Selects = (item: Item) => boolean;

/** A collection: a kind below a namespace ("" for all), and its keys. */
export interface Collection {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  /** What every key begins with. */
  readonly prefix: string;
}

export interface ListPage {
  readonly items: readonly Item[];
  readonly revision: Revision;
  readonly continue: string;
  readonly remaining: number | undefined;
}

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
  if (/^\d+$/.test(text) && BigInt(text) < 2n ** 64n) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  const why = /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
  throw where === "list" ? badRequestError(`invalid resource version: ${message}`) : new StatusError("Unknown", message);
}

/** 504 in the form that clients recognise. */
export function tooLargeRevision(asked: Revision, current: Revision): StatusError {
  return new StatusError("Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    details: { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }], retryAfterSeconds: 1 },
  });
}
/** 410 in the form that clients recognise. */
export function expired(message: string, more?: { readonly continue: string }): StatusError {
  return new StatusError("Expired", message, more);
}

/** The newest state of one key. */
export async function getItem(store: Store, kind: StoredKind, key: string, signal: AbortSignal): Promise<{ item: Item | undefined; revision: Revision }> {
  const { entry, revision } = await store.get(key, signal);
  return { item: entry === undefined ? undefined : new Item(kind, entry), revision };
}

/** Waits until the store has reached a revision, for as long as upstream waits; 504 after that. */
export async function reached(store: Store, asked: Revision, prefix: string, signal: AbortSignal): Promise<void> {
  for (let tries = 0;; tries++) {
    const { revision } = await store.get(prefix, signal);
    if (revision >= asked) return;
    if (tries === 12) throw tooLargeRevision(asked, revision);
    await new Promise((resolve) => setTimeout(resolve, 250));
    signal.throwIfAborted();
  }
}

/** One chunk of a list, or all of it, at one revision. */
export async function listItems(
  store: Store,
  collection: Collection,
  options: ListOptions,
  names: Names,
  signal: AbortSignal,
): Promise<ListPage> {
  const { endpoint, prefix } = collection;
  const chosen = selects(endpoint, options);
  const asked = options.continue === "" || options.resourceVersion === "" ? revisionOf(options.resourceVersion, "list") : undefined;
  let at: Revision | undefined;
  let after: string | undefined;
  let limit = options.limit > 0 ? options.limit : undefined;
  if (options.continue !== "") {
    if (options.resourceVersion !== "" && options.resourceVersion !== "0") {
      throw badRequestError("specifying resource version is not allowed when using continue");
    }
    const point = readContinue(options.continue, names);
    at = point.revision < 0 ? undefined : point.revision;
    // A start ends with NUL: the keys strictly greater than what is before it.
    after = prefix + (point.start.endsWith("\0") ? point.start.slice(0, -1) : justBefore(point.start));
  } else if (asked !== undefined && asked > 0) {
    const exact = options.resourceVersionMatch === "Exact" || (options.resourceVersionMatch === "" && limit !== undefined);
    await reached(store, asked, prefix, signal);
    if (exact) at = asked;
  } else if (options.resourceVersion === "0") {
    limit = undefined;
  }
  const items: Item[] = [];
  let revision: Revision | undefined = at;
  for (;;) {
    const page = await listAt(store, { prefix, ...(after === undefined ? {} : { after }) }, limit, revision, options, names, prefix, signal);
    revision ??= page.revision;
    for (const [index, entry] of page.entries.entries()) {
      const item = new Item(endpoint.stored, entry);
      if (chosen !== undefined && !chosen(item)) continue;
      items.push(item);
      if (limit !== undefined && items.length === limit) {
        const left = page.count - index - 1;
        if (left === 0) return { items, revision, continue: "", remaining: undefined };
        const token = writeContinue({ revision, start: `${entry.key.slice(prefix.length)}\0` }, names);
        return { items, revision, continue: token, remaining: chosen === undefined ? left : undefined };
      }
    }
    const last = page.entries.at(-1);
    if (last === undefined || page.entries.length === page.count) return { items, revision, continue: "", remaining: undefined };
    after = last.key;
  }
}

/** The greatest string that sorts before every string that begins with `start`, near enough for keys. */
function justBefore(start: string): string {
  return start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) - 1) + "\uffff";
}

async function listAt(
  store: Store,
  range: { prefix: string; after?: string },
  limit: number | undefined,
  at: Revision | undefined,
  options: ListOptions,
  names: Names,
  prefix: string,
  signal: AbortSignal,
): Promise<Listing> {
  try {
    return await store.list(range, { signal, ...(limit === undefined ? {} : { limit }), ...(at === undefined ? {} : { at }) });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "compacted") throw error;
    if (options.continue === "") throw expired("The resourceVersion for the provided list is too old.");
    const { start } = readContinue(options.continue, names);
    throw expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
      { continue: writeContinue({ revision: -1, start }, names) },
    );
  }
}
