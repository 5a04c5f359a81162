/** Follows a collection by a list and then watches: it delivers what exists, then every change. */
import { type Clock, pause, systemClock } from "../async.ts";
import { bound } from "../bound.ts";
import type { Api, ApiList } from "../api.ts";
import { listAll } from "../listed.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { StatusError } from "../status-error.ts";
import { FollowedObjects } from "./followed-objects.ts";
import type { Query } from "./paths.ts";
import type { Following, WatchEvent } from "./transport.ts";

/** Milliseconds between a watch that delivered nothing and the next one. The pause doubles with each further such watch. */
export const watchRetryMs = bound(100);
/** Longest pause, in milliseconds, between watches that delivered nothing (client-go's reflectors). */
export const watchRetryMsMax = bound(30_000);

/** A change of an object. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: ApiObject;
}
/** The requests for one collection. Each gets the collection's own parameters and those that the caller adds. */
export interface Followed {
  list(query: Query): Promise<ApiList>;
  watch(query: Query): Promise<AsyncIterable<WatchEvent>>;
  /** Called after each complete list. */
  synchronized(): void;
}

/**
 * Lists, then watches from the revision of the list, until the signal aborts. When a watch ends, the next one starts at the last revision;
 * after an error, at a new list. After a watch without any event or bookmark it waits: `watchRetryMs`, doubled for each further such
 * watch in sequence. Throws the errors for which `retries` is false, and those of the first list.
 */
export async function* follow(
  followed: Followed,
  { watchSecondsMin, retries }: Following,
  signal: AbortSignal,
  clock: Clock = systemClock,
): AsyncGenerator<Change> {
  const objects = new FollowedObjects();
  let from = "", failures = 0, hasList = false;
  while (!signal.aborted) {
    failures++;
    try {
      if (from === "") {
        from = yield* added(followed, objects);
        hasList = true;
        followed.synchronized();
      }
      // The watch states its own duration, as client-go's reflectors do. With --min-request-timeout=0 a watch without a duration would end
      // at once.
      const timeoutSeconds = String(Math.ceil(watchSecondsMin * (1 + Math.random())));
      const events = await opened(followed, { watch: "1", allowWatchBookmarks: "1", resourceVersion: from, timeoutSeconds });
      if (events === "expired") from = "";
      else {
        for await (const { type, object } of events) {
          if (type === "ERROR") {
            from = "";
            continue;
          }
          from = object.metadata.resourceVersion ?? "";
          failures = 0;
          if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") continue;
          objects.changed(type, object);
          yield { type, object };
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!hasList || !retries(error)) throw error;
    }
    if (failures > 0) await pause(Math.min(watchRetryMsMax, watchRetryMs * 2 ** (failures - 1)), signal, clock);
  }
}

/** Begins a watch and returns its events. Returns "expired" if a new list is necessary, and nothing if the server is busy. */
async function opened(followed: Followed, query: Query): Promise<AsyncIterable<WatchEvent> | readonly WatchEvent[] | "expired"> {
  try {
    return await followed.watch(query);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.reason === "TooManyRequests" ? [] : "expired";
  }
}

/**
 * Yields the existing objects as changes, then the deletion of objects that have disappeared since the previous list. Returns the revision.
 * Starts again if the pages expire before all are read.
 */
async function* added(followed: Followed, objects: FollowedObjects): AsyncGenerator<Change, string> {
  const api: Pick<Api, "list"> = { list: (_version, _resource, _namespace, query = {}) => followed.list(query) };
  for (;;) {
    const list = listAll(api, "", "", "");
    objects.beginList();
    try {
      for (let next = await list.next();; next = await list.next()) {
        if (next.done === true) {
          for (const object of objects.endList()) yield { type: "DELETED", object };
          return next.value;
        }
        const replaced = objects.listed(next.value);
        if (replaced !== undefined) yield { type: "DELETED", object: replaced };
        yield { type: "ADDED", object: next.value };
      }
    } catch (error) {
      if (!(error instanceof StatusError && error.reason === "Expired")) throw error;
    }
  }
}
