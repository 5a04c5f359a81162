/** The API in process, with which controllers, start hooks and authorizers read and write objects. */
import type { ApiObject } from "./meta/object-meta.ts";
import type { StructNode, Typed } from "./schema.ts";
import type { GroupVersion } from "./versions.ts";

/** How an object is written through `Api`. Every member is optional. */
export interface ApiWriteOptions {
  /** The part of the object to write, such as `status` or `scale`. Default: the object itself. */
  readonly subresource?: string;
  /** Whether the write is only validated. Its result is then returned but not stored. Default false. */
  readonly dryRun?: boolean;
  /** What happens to unknown and duplicate fields: Strict rejects the write (400 or 422), the others drop the fields. Default Warn. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The owner of the written fields in metadata.managedFields. Default: the `fieldManager` of the controller or start hook. */
  readonly fieldManager?: string;
}
/** How an object is created through `Api`: `ApiWriteOptions`, and the object of a POST to a subresource. */
export interface ApiCreateOptions extends ApiWriteOptions {
  /** The name of the object whose `subresource` gets the POST. Required with a subresource, ignored without. */
  readonly name?: string;
}
/** How an object is applied through `Api`: `ApiWriteOptions`, and whether conflicts are overridden. */
export interface ApiApplyOptions extends ApiWriteOptions {
  /**
   * Whether the apply takes over fields that other managers own, as controllers do. With false a conflict rejects it (409). Default true.
   */
  readonly force?: boolean;
}
/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  /** What the operation does. `test` rejects the patch (422) if the value at `path` differs from `value`. */
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  /** The place that the operation changes or tests, as a JSON pointer (RFC 6901). */
  readonly path: string;
  /** The source of `move` and `copy`, as a JSON pointer. */
  readonly from?: string;
  /** The JSON value of `add`, `replace` and `test`. */
  readonly value?: unknown;
}
/** A patch with its type: JSON patch (RFC 6902), JSON merge patch (RFC 7386) or strategic merge patch, which merges lists by their keys. */
export type ApiPatch =
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly merge: object }
  | { readonly strategic: object };

/**
 * The API in process, with the rights of a system component. Names of group versions may contain `{domain}`; `namespace` is "" for
 * cluster-scoped kinds. Every method rejects with the StatusError that a client would get as a Status.
 */
export interface Api {
  /**
   * Returns a client of one resource, whose objects have the type of its definition: the version `storedAs`, or the served version with
   * this schema. Its methods are those of `Api` without the first two arguments. Throws if no version of the resource has the schema.
   *
   *     const widget = await api.of(widgets).get("default", "a"); // a Widget
   */
  of<T extends ApiObject>(resource: ApiResource<T>): TypedApi<T>;
  /** Returns a client of the served version with this schema. The resource must serve it. */
  of<V extends ApiObject>(resource: ApiResource<any>, schema: Typed<V, StructNode>): TypedApi<V>;
  /** Resolves with the object, or with the subresource of `options`. */
  get(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    name: string,
    options?: Pick<ApiWriteOptions, "subresource">,
  ): Promise<ApiObject>;
  /**
   * Resolves with the objects of a namespace, or of all namespaces for "". `query` has the parameters of a list: `labelSelector`,
   * `fieldSelector`, `limit`, `continue`, `resourceVersion`. Each item has its kind and apiVersion.
   */
  list(groupVersion: GroupVersion, resource: string, namespace: string, query?: Readonly<Record<string, string>>): Promise<ApiList>;
  /** Creates an object, or posts to a subresource. Resolves with the response, which is the stored object for a create. */
  create(groupVersion: GroupVersion, resource: string, namespace: string, object: unknown, options?: ApiCreateOptions): Promise<ApiObject>;
  /**
   * Creates objects of one collection at the same time, such as those that a plugin makes at the start. As many calls of `create` do the same
   * with more work. Never rejects.
   *
   * @returns the outcome of each object, in their order, without what was stored
   */
  createEach(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    objects: readonly unknown[],
  ): Promise<readonly PromiseSettledResult<void>[]>;
  /** Replaces an object. Rejects with Conflict if `metadata.resourceVersion` is set and the stored object has another one. */
  update(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    name: string,
    object: unknown,
    options?: ApiWriteOptions,
  ): Promise<ApiObject>;
  /**
   * Changes parts of an existing object. Conflicts with other writes are retried by the server.
   *
   *     api.patch("v1", "configmaps", "default", "a", { merge: { data: { mode: "fast", old: null } } })
   */
  patch(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    name: string,
    patch: ApiPatch,
    options?: ApiWriteOptions,
  ): Promise<ApiObject>;
  /**
   * Server-side apply (KEP-555): creates the object or sets the given fields, and removes fields that this manager applied before and omits
   * now. Adds `apiVersion`, `kind` and `metadata.name` if `object` lacks them.
   */
  apply(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    name: string,
    object: object,
    options?: ApiApplyOptions,
  ): Promise<ApiObject>;
  /**
   * Deletes an object. `options` is a DeleteOptions, such as `{ propagationPolicy: "Foreground" }`. Resolves with the response: a Status,
   * or the object if finalizers delay its removal.
   */
  delete(groupVersion: GroupVersion, resource: string, namespace: string, name: string, options?: unknown): Promise<unknown>;
  /**
   * Deletes all objects of a namespace, or of all namespaces for "", that `labelSelector` and `fieldSelector` in `query` select. Resolves
   * with the response, a list of the deleted objects.
   */
  deleteCollection(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    query?: Readonly<Record<string, string>>,
  ): Promise<unknown>;
  /**
   * Delivers the initial state and then every change until the signal aborts; reconnects and lists again if necessary. Changes outside of
   * `watchScope` may be omitted, which saves work; creations and deletions are always delivered. For an object that was deleted during a
   * disconnection only name, namespace and uid are known. `synced` is called after each delivery of the present state: at the beginning,
   * and after a disconnection whose changes are not known.
   *
   * For the scopes "ownership" and "owned" objects have their metadata only. For "owned" those without owner references, finalizers and
   * deletion timestamp are omitted until their deletion, which is delivered unless it happened during a disconnection: a start with many
   * objects is then cheap.
   */
  watch(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    watchScope?: WatchScope,
    synced?: () => void,
  ): AsyncIterable<{ readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject }>;
  /** Returns the collections that support `verb`. Each is in the first version of its group that serves it. */
  collections(verb: string): readonly ApiCollection[];
  /**
   * Yields what `collections` returns: the current collections, then all of them after each change of the served resources, until the
   * signal aborts.
   */
  followCollections(verb: string, signal: AbortSignal): AsyncIterable<readonly ApiCollection[]>;
  /**
   * Returns the group versions of other servers whose collections are not known now, because the server does not answer. `collections` has those
   * that were known before. Absent if there are no other servers.
   */
  readonly unknownVersions?: () => readonly GroupVersion[];
}
/** A collection that the server serves. */
export interface ApiCollection {
  /** The group version with `{domain}` replaced, such as `apps/v1`; `v1` for the core group. */
  readonly groupVersion: GroupVersion;
  /** The plural, such as `configmaps`. */
  readonly resource: string;
  /** The kind of its objects. */
  readonly kind: string;
  /** Whether its objects belong to namespaces. */
  readonly namespaced: boolean;
  /** Present if another server has it, which may be slow or gone. */
  readonly isRemote?: true;
}
/**
 * The part of an object that a watch follows. "everything" is the whole object; "ownership" is owner references, finalizers and deletion
 * timestamp; "owned" is the same, but only for objects that have any of these.
 */
export type WatchScope = "everything" | "ownership" | "owned";
/** A list of objects, or one chunk of it. */
export interface ApiList {
  /**
   * `resourceVersion` is the revision of the list, from which a watch can start. If `continue` is set, there are more objects;
   * `remainingItemCount` is their number, if it is known.
   */
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };
  /** The objects in the order of their keys in the store, `namespace/name`. */
  readonly items: readonly ApiObject[];
}

/** The members of a resource that `Api.of` uses. Every `Resource` has them. */
export interface ApiResource<T extends ApiObject> {
  /** The name of the kind in upper camel case, such as `Widget`. */
  readonly kind: string;
  /** The plural in paths. Default: the regular plural in lower case. */
  readonly plural?: string;
  /** The version whose type `Api.of` uses without a schema. */
  readonly storedAs: GroupVersion;
  /** The served versions with their schemas. */
  readonly served: Readonly<Record<GroupVersion, { readonly schema: Typed<unknown, StructNode> }>>;
  /** The TypeScript type of its objects. Never set. */
  readonly "~object"?: T;
}
/** The object of a create or an update. The server adds kind and apiVersion if they are absent. */
export type WrittenObject<T extends ApiObject> = Omit<T, "kind" | "apiVersion"> & Partial<Pick<ApiObject, "kind" | "apiVersion">>;
/** Some of the fields of a value, at any depth. The object of an apply has this type. */
export type PartOf<V> = V extends readonly (infer E)[] ? readonly PartOf<E>[]
  : V extends object ? { readonly [K in keyof V]?: PartOf<V[K]> }
  : V;
/** A JSON merge patch: some of the fields at any depth, and null for fields to remove. Lists are replaced as a whole. */
export type MergePatchOf<V> = V extends readonly unknown[] ? V
  : V extends object ? { readonly [K in keyof V]?: MergePatchOf<V[K]> | null }
  : V;
/** A patch with its type, for the objects of a `TypedApi`; see `ApiPatch`. */
export type TypedPatch<T> =
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly merge: MergePatchOf<T> }
  | { readonly strategic: object };
/** How an object is written through `TypedApi`. Subresources other than `status` may have another kind: use `Api` for them. */
export interface TypedWriteOptions extends ApiWriteOptions {
  /** The part of the object to write. Default: the object itself. */
  readonly subresource?: "status";
}
/** How an object is applied through `TypedApi`. */
export interface TypedApplyOptions extends ApiApplyOptions {
  /** The part of the object to apply. Default: the object itself. */
  readonly subresource?: "status";
}
/** A list of objects, or one page of it. */
export interface TypedList<T extends ApiObject> extends ApiList {
  /** The objects in the order of their keys in the store, `namespace/name`. */
  readonly items: readonly T[];
}
/** A change that a watch delivers. A deleted object may have its metadata only: name, namespace and uid. */
export type TypedChange<T extends ApiObject> =
  | { readonly type: "ADDED" | "MODIFIED"; readonly object: T }
  | { readonly type: "DELETED"; readonly object: Partial<T> & Pick<ApiObject, "metadata"> };

/** A client of one resource, made by `Api.of`. `namespace` is "" for cluster-scoped kinds, and for reads of all namespaces. */
export interface TypedApi<T extends ApiObject> {
  /** Resolves with the object. Rejects with NotFound (404). */
  get(namespace: string, name: string): Promise<T>;
  /**
   * Resolves with one list. If the query has a `limit`, it is one page; its `metadata.continue`, if any, is the `continue` of the next
   * query.
   */
  list(namespace: string, query?: Readonly<Record<string, string>>): Promise<TypedList<T>>;
  /**
   * Yields all pages of a list, of at most `limit` objects each, at one revision. Rejects with Expired (410) if reading takes longer than
   * the retention of history: the caller then starts again.
   */
  pages(namespace: string, limit: number, query?: Readonly<Record<string, string>>): AsyncIterable<TypedList<T>>;
  /** Creates an object and resolves with it as stored. Rejects with AlreadyExists (409), or with Invalid (422) if it breaks a rule. */
  create(namespace: string, object: WrittenObject<T>, options?: Omit<ApiWriteOptions, "subresource">): Promise<T>;
  /** Replaces an object. Rejects with Conflict (409) if `metadata.resourceVersion` is set and the stored object has another one. */
  update(namespace: string, name: string, object: WrittenObject<T>, options?: TypedWriteOptions): Promise<T>;
  /** Changes parts of an existing object. Conflicts with other writes are retried by the server. */
  patch(namespace: string, name: string, patch: TypedPatch<T>, options?: TypedWriteOptions): Promise<T>;
  /** Applies an object on the server as `Api.apply` does: creates it, or sets the given fields. */
  apply(namespace: string, name: string, object: PartOf<T>, options?: TypedApplyOptions): Promise<T>;
  /** Deletes an object. `options` is a DeleteOptions. Resolves with the response: a Status, or the object if its deletion waits. */
  delete(namespace: string, name: string, options?: object): Promise<unknown>;
  /** Deletes the objects of a namespace that the selectors in `query` select. Resolves with the response. */
  deleteCollection(namespace: string, query?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Delivers what exists, then every change until the signal aborts, as `Api.watch` does. */
  watch(
    namespace: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    synced?: () => void,
  ): AsyncIterable<TypedChange<T>>;
  /** Makes a copy of the objects in memory, which a watch keeps up to date. It begins with `run`. */
  informer(namespace: string, query?: Readonly<Record<string, string>>): Informer<T>;
}

/** The functions that an informer calls, after its copy has changed. They do not wait: they add keys to a work queue, for example. */
export interface InformerHandlers<T extends ApiObject> {
  /** Called for an object that is new in the copy: it was in the first list, or was created later. */
  added?(object: T): void;
  /** Called for an object that has changed. `before` is its last state in the copy; states between the two may be unknown. */
  updated?(object: T, before: T): void;
  /** Called for an object that was deleted. `before` is the last state that the informer knew. */
  deleted?(before: T): void;
}
/**
 * The objects of one resource in memory, as client-go's informers keep them. After an interruption the handlers get exactly the
 * differences, even if the changes themselves are no longer known (410).
 */
export interface Informer<T extends ApiObject> {
  /**
   * Lists and watches until the signal aborts, then resolves. Rejects with the error of a handler or of the first list. Only one call is allowed.
   */
  run(signal: AbortSignal, handlers?: InformerHandlers<T>): Promise<void>;
  /** Resolves when all objects of the first list are in the copy. Rejects if `run` ends before. */
  readonly synced: Promise<void>;
  /** Returns the object as last seen; undefined if there is none. It is shared: do not change it. */
  get(namespace: string, name: string): T | undefined;
  /** Returns all objects as last seen, in no order. */
  objects(): readonly T[];
}
