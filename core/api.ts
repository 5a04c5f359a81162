/** The API in process, for controllers, start hooks and authorizers. */
import type { ApiObject } from "./meta/object-meta.ts";
import type { GroupVersion } from "./versions.ts";

/** Options of a write through `Api`. */
export interface ApiWriteOptions {
  /** The part of the object to write, such as `status` or `scale`. Default: the object itself. */
  readonly subresource?: string;
  /** Validates the write and returns its result without storing it. Default false. */
  readonly dryRun?: boolean;
  /** Handling of unknown and duplicate fields: Strict rejects the write (400 or 422), the others drop the fields. Default Warn. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Owner of the written fields in metadata.managedFields. Default: the `fieldManager` of the controller or start hook. */
  readonly fieldManager?: string;
}
/** Options of a create. */
export interface ApiCreateOptions extends ApiWriteOptions {
  /** The object of the POST to `subresource`; required with a subresource, ignored without. */
  readonly name?: string;
}
/** Options of an apply. */
export interface ApiApplyOptions extends ApiWriteOptions {
  /** Takes over fields that other managers own, as controllers do. With false a conflict rejects the apply (409). Default true. */
  readonly force?: boolean;
}
/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  /** JSON pointers (RFC 6901). */
  readonly path: string;
  readonly from?: string;
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
  /** Resolves with the object, or with the subresource of `options`. */
  get(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    name: string,
    options?: Pick<ApiWriteOptions, "subresource">,
  ): Promise<ApiObject>;
  list(groupVersion: GroupVersion, resource: string, namespace: string, query?: Readonly<Record<string, string>>): Promise<ApiList>;
  /** Creates an object, or posts to a subresource. Resolves with the response: the stored object. */
  create(groupVersion: GroupVersion, resource: string, namespace: string, object: unknown, options?: ApiCreateOptions): Promise<ApiObject>;
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
  delete(groupVersion: GroupVersion, resource: string, namespace: string, name: string, options?: unknown): Promise<unknown>;
  deleteCollection(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    query?: Readonly<Record<string, string>>,
  ): Promise<unknown>;
  /**
   * Delivers the initial state and then every change until the signal aborts; reconnects and lists again if necessary. Changes outside of
   * `watchScope` may be omitted, which saves their cost; creation and deletion are always delivered. For an object that was deleted during a disconnection only name, namespace and uid are
   * known. `synced` is called after each delivery of the present state: at the beginning, and after a disconnection whose changes are not known.
   *
   * For the scopes "ownership" and "owned" objects have their metadata only. For "owned" those without owner references, finalizers and deletion
   * timestamp are omitted until their deletion, which is delivered unless it happened during a disconnection: a start with many objects is
   * then cheap.
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
  /** The collections that support `verb`, each in the first version of its group that serves it. */
  collections(verb: string): readonly ApiCollection[];
  /** As `collections`: yields the current ones, then all of them after each change of the served resources, until the signal aborts. */
  followCollections(verb: string, signal: AbortSignal): AsyncIterable<readonly ApiCollection[]>;
}
/** A served collection. */
export interface ApiCollection {
  readonly groupVersion: GroupVersion;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}
/**
 * The part of an object that a watch follows: all of it, or owner references, finalizers and deletion timestamp ("ownership"; "owned" only of the
 * objects that have any of them).
 */
export type WatchScope = "everything" | "ownership" | "owned";
/** A list of objects, or one chunk of it. */
export interface ApiList {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };
  readonly items: readonly ApiObject[];
}
