import { mediaType, notAcceptable, streamEncodings, streamMediaTypes } from "../../core/codec/negotiate.ts";
import { writeEnvelope, writeWatchFrame } from "../../core/codec/protobuf.ts";
import { encoder } from "../../core/derive/encode.ts";
import { protobufWriter } from "../../core/derive/protobuf.ts";
import { zeroOf } from "../../core/derive/zero.ts";
import { PartialObjectMetadata } from "../../core/meta/partial-object-metadata.ts";
import { Status as StatusSchema } from "../../core/meta/status.ts";
import type { ApiObject } from "../../core/plugin.ts";
import { type Status, StatusError, statusOf } from "../../core/status-error.ts";
import { type Answer, partial, servedJson, servedObject } from "../answer.ts";
import type { Call } from "../call.ts";
import { Item, keyOf, keysOf } from "../objects.ts";
import { type ListOptions, listOptions } from "../options.ts";
import { expired, listItems, reached, revisionOf, type Selects, selects } from "../reads.ts";
import { type Revision, StoreError, type StoreEvent } from "../store/store.ts";
import { includeObject, tableText } from "../table.ts";

export type WatchType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

const bookmarkEveryMs = 60_000;
const toBytes = new TextEncoder();
const nothing = new Uint8Array();

/** GET with `watch`, or below the old `/watch/` prefix: changes as frames until the time is up. */
export async function watch(call: Call): Promise<Answer> {
  const { endpoint, info, catalog, output, backend } = call;
  const options = listOptions(info.query, endpoint, catalog.names, {
    watchList: catalog.gates.isOn("WatchList"),
    watchPrefix: info.watchPrefix,
  });
  if (!streamEncodings.includes(output.encoding)) throw notAcceptable(streamMediaTypes(catalog.names));
  const from = revisionOf(options.resourceVersion, "watch");
  // The old prefix names one object in its path; it can match no more than that.
  const name = info.watchPrefix ? info.name : "";
  const prefix = name === "" ? keysOf(backend.prefix, endpoint.stored, info.namespace) : keyOf(backend.prefix, endpoint.stored, info.namespace, name);
  const frames = new Frames(call, name === "" ? undefined : prefix);
  const contentType = mediaType(output.encoding, catalog.names) + (output.encoding === "protobuf" ? ";stream=watch" : "");
  if (options.sendInitialEvents === true && from !== undefined && from > 0) await reached(backend.store, from, prefix, call.signal);
  return { tag: "feed", contentType, frames: feed(call, frames, prefix, from, options) };
}

/** The stream: initial state where it is asked for, then changes, bookmarks, and an ERROR where it cannot go on. */
async function* feed(call: Call, frames: Frames, prefix: string, from: Revision | undefined, options: ListOptions): AsyncGenerator<Uint8Array> {
  const { backend, endpoint, info } = call;
  const seconds = options.timeoutSeconds !== undefined && options.timeoutSeconds !== 0
    ? options.timeoutSeconds
    : backend.minRequestTimeoutSeconds * (1 + backend.clock.random());
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), Math.min(Math.max(seconds, 0) * 1000, 2 ** 31 - 1));
  const signal = AbortSignal.any([call.signal, backend.ending, ending.signal]);
  const chosen = selects(endpoint, options);
  let seen = from ?? 0;
  try {
    if (from === undefined || from === 0 || options.sendInitialEvents === true) {
      const all: ListOptions = { ...options, limit: 0, continue: "", resourceVersion: "", resourceVersionMatch: "" };
      const page = await listItems(backend.store, { endpoint, namespace: info.namespace, prefix }, all, call.catalog.names, signal);
      seen = page.revision;
      if (options.sendInitialEvents !== false) {
        for (const item of page.items) if (frames.covers(item.key)) yield frames.of("ADDED", item);
      }
      if (options.sendInitialEvents === true && options.allowWatchBookmarks) yield frames.bookmark(seen, true);
    }
    let bookmarked = backend.clock.now();
    for await (const batch of backend.store.watch({ prefix }, seen, signal)) {
      for (const event of batch.events) {
        if (!frames.covers(event.key)) continue;
        const frame = frames.ofEvent(event, chosen);
        if (frame !== undefined) yield frame;
      }
      seen = Math.max(seen, batch.revision);
      if (options.allowWatchBookmarks && backend.clock.now() - bookmarked >= bookmarkEveryMs) {
        bookmarked = backend.clock.now();
        yield frames.bookmark(seen, false);
      }
    }
    if (options.allowWatchBookmarks && ending.signal.aborted) yield frames.bookmark(seen, false);
  } catch (error) {
    if (signal.aborted) return;
    yield frames.error(watchFailure(error, seen));
  } finally {
    clearTimeout(timer);
  }
}

/** What a client is told when a watch cannot go on. */
function watchFailure(error: unknown, seen: Revision): Status {
  if (error instanceof StoreError && error.code === "compacted") {
    return statusOf(expired(`too old resource version: ${seen} (${error.oldest ?? seen + 1})`));
  }
  if (error instanceof StatusError) return statusOf(error);
  return statusOf(new StatusError("InternalError", "an error on the server prevented the watch from going on", { cause: error }));
}

/** Frames of one watch in its representation. */
class Frames {
  readonly #call: Call;
  readonly #key: string | undefined;
  #columnsSent = false;
  constructor(call: Call, key: string | undefined) {
    this.#call = call;
    this.#key = key;
  }

  /** Whether a key is what is watched: all below the prefix, or one key. */
  covers(key: string): boolean {
    return this.#key === undefined || key === this.#key;
  }

  /** The frame of a change as the selector sees it; undefined when it neither saw the object nor sees it. */
  ofEvent(event: StoreEvent, chosen: Selects | undefined): Uint8Array | undefined {
    const { stored } = this.#call.endpoint;
    const { key, revision } = event;
    const next = event.value === undefined ? undefined : new Item(stored, { key, revision, value: event.value });
    // What went away is shown as it was, at the version of its going.
    const prior = event.previous === undefined ? undefined : new Item(stored, { key, revision, value: event.previous.value });
    const sees = next !== undefined && (chosen === undefined || chosen(next));
    const saw = prior !== undefined && (chosen === undefined || chosen(prior));
    if (sees) return this.of(saw ? "MODIFIED" : "ADDED", next);
    return saw ? this.of("DELETED", prior) : undefined;
  }

  of(type: WatchType, item: Item): Uint8Array {
    const { endpoint, output: { encoding, transform } } = this.#call;
    if (transform.as === "Table") {
      const { resourceVersion } = item.object.metadata;
      const metadata = resourceVersion === undefined ? {} : { resourceVersion };
      const text = tableText(this.#call, [item], metadata, includeObject(this.#call), transform.version, !this.#columnsSent);
      this.#columnsSent = true;
      return this.#text(type, text);
    }
    if (transform.as !== "object") {
      const object = partial(this.#call, item, transform.version);
      return encoding === "protobuf"
        ? this.#count(writeWatchFrame(type, writeEnvelope(object, protobufWriter(PartialObjectMetadata)(object))))
        : this.#text(type, encoder(PartialObjectMetadata)(object));
    }
    if (encoding === "protobuf") {
      const object = servedObject(endpoint, item);
      return this.#count(writeWatchFrame(type, writeEnvelope(object, protobufWriter(endpoint.schema)(object))));
    }
    return this.#bytes(type, servedJson(endpoint, item));
  }

  /** A marker of progress: an object of the kind with nothing but its version. */
  bookmark(revision: Revision, endsInitial: boolean): Uint8Array {
    const { endpoint, catalog, output: { encoding, transform } } = this.#call;
    const metadata = {
      resourceVersion: String(revision),
      ...(endsInitial ? { annotations: { [`${catalog.names.domain}/initial-events-end`]: "true" } } : {}),
    };
    // Nothing is filled in: a bookmark is the empty object.
    const empty = zeroOf(endpoint.schema) as object; // of the endpoint's kind
    const object: ApiObject = { ...empty, kind: endpoint.kind, apiVersion: endpoint.apiVersion, metadata };
    const item = new Item(endpoint.stored, { key: "", revision, value: nothing }, object);
    if (transform.as !== "object") return this.of("BOOKMARK", item);
    if (encoding === "protobuf") return this.#count(writeWatchFrame("BOOKMARK", writeEnvelope(object, protobufWriter(endpoint.schema)(object))));
    return this.#text("BOOKMARK", endpoint.encode(object));
  }

  error(status: Status): Uint8Array {
    return this.#call.output.encoding === "protobuf"
      ? this.#count(writeWatchFrame("ERROR", writeEnvelope(status, protobufWriter(StatusSchema)(status))))
      : this.#text("ERROR", encoder(StatusSchema)(status));
  }

  #text(type: WatchType, json: string): Uint8Array {
    return this.#count(toBytes.encode(`{"type":"${type}","object":${json}}\n`));
  }
  #bytes(type: WatchType, json: string | Uint8Array): Uint8Array {
    if (typeof json === "string") return this.#text(type, json);
    const head = toBytes.encode(`{"type":"${type}","object":`);
    const frame = new Uint8Array(head.length + json.length + 2);
    frame.set(head);
    frame.set(json, head.length);
    frame.set([0x7d, 0x0a], head.length + json.length);
    return this.#count(frame);
  }
  #count(frame: Uint8Array): Uint8Array {
    this.#call.backend.watched(this.#call.endpoint, frame.length);
    return frame;
  }
}
