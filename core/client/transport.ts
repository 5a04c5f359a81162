/** Defines how the requests of an API reach a server. */
import type { ApiList, WatchScope } from "../api.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import type { Names } from "../names.ts";
import type { GroupVersion } from "../versions.ts";

/** A request of an API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query. */
  readonly url: string;
  /** The value of the body, if there is one. */
  readonly body?: unknown;
  /** The media type of the body. Default: JSON. */
  readonly contentType?: string;
  /** The media type of the response. Default: JSON. */
  readonly accept?: string;
  /** The part of the objects that the caller uses. Default: everything. */
  readonly watchScope?: WatchScope;
  /** The request ends when this signal aborts. */
  readonly signal?: AbortSignal;
}

/** An event of a watch: a change, a bookmark, or an error with a Status as its object. */
export interface WatchEvent {
  readonly type: string;
  readonly object: ApiObject;
}
/** The type of the objects of a resource. */
export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Sends the requests of an API and reads the responses. */
export interface ApiTransport {
  /** Returns the words for `{domain}` and `{platform}` in names of group versions. */
  readonly names: () => Names;
  /** The owner of the fields of a write that states no `fieldManager`. */
  readonly fieldManager: string;
  /** Resolves with the value of the response. Rejects with the StatusError of an error response. */
  ask(request: ApiRequest): Promise<any>;
  /** Begins a watch, and resolves with its events. Rejects with the StatusError of an error response. */
  watch(request: ApiRequest): Promise<AsyncIterable<WatchEvent>>;
  /** Returns the type of the objects of a resource, for an apply whose object has none. */
  typeOf(version: GroupVersion, resource: string): ObjectType | Promise<ObjectType>;
  /** Returns the items of a list with their types. In the response only the list itself may have a type. */
  itemsOf(list: ApiList, version: GroupVersion, resource: string): readonly ApiObject[];
  /** Called at the start of each watch. The returned function is called after the delivery of each list. */
  follows(version: GroupVersion, resource: string): () => void;
  /** How lists and watches are repeated, and after which errors. */
  readonly following: Following;
}
/** How a list and the watches after it are repeated. */
export interface Following {
  /** Seconds of the shortest watch. The longest watch takes twice as long. */
  readonly watchSecondsMin: number;
  /**
   * Returns whether to go on after an error of the transport, or of a list other than the first one. After an error of a watch there is
   * always another watch or list.
   */
  readonly retries: (error: unknown) => boolean;
}
