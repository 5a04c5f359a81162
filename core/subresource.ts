/** Subresources: paths below an object that serve the object itself, another kind, or an action. */
import type { SubresourceConnect } from "./connect.ts";
import type { FieldError } from "./field-error.ts";
import type { HookContext, RequestHookContext } from "./hook-context.ts";
import type { Column } from "./meta/columns.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import type { Int64, StructNode, Typed } from "./schema.ts";
import type { GroupVersion } from "./versions.ts";

/** A kind that only the request and response bodies of a subresource have. It is never stored and has no collection. */
export interface SubresourceKind<V extends ApiObject = any> {
  /** The group version of the kind, such as `autoscaling/v1`. Required even if it is that of the resource. */
  readonly groupVersion: GroupVersion;
  /** Further group versions in which the kind of a request is accepted. Its schema is the same there. Default: none. */
  readonly alsoIn?: readonly GroupVersion[];
  /** The schema of the kind, made by `object(...)`. Its name is the kind. */
  readonly schema: Typed<unknown, StructNode>;
  /** The columns of its table. Default: name and creation time. */
  readonly columns?: readonly Column<V>[];
}

/** What a hook returns for a kind: all members but kind, apiVersion and metadata. The server sets these; the metadata for views only. */
export type SubresourceBody<V> = Omit<V, "kind" | "apiVersion" | "metadata">;

/**
 * Serves an object as another kind, as `scale` serves it as a Scale. Reads and writes of the path use this kind. Its metadata are name,
 * namespace, uid, resourceVersion and creationTimestamp of the object.
 *
 * The order of a write is: `read` (of the stored object) -> body, patch or apply on it -> `validate` -> `write` -> prepare, validation and
 * admission of the resource, as in a write of the object itself -> `read` (for the response).
 */
export interface SubresourceView<T = any, V extends ApiObject = any> extends SubresourceKind<V> {
  /** Makes the view of an object in the stored form. */
  readonly read: (object: T, context: HookContext) => SubresourceBody<V>;
  /** Makes the view to which a write applies, if it differs from that of `read`. */
  readonly readForWrite?: (object: T, context: HookContext) => SubresourceBody<V>;
  /** Validates the view itself. Errors are reported for the view's kind. */
  readonly validate?: (view: V, prior: T, context: HookContext) => readonly FieldError[];
  /** Makes the object to store from the view of the request and the stored object. */
  readonly write: (view: V, prior: T, context: HookContext) => T;
  /**
   * The owners of fields: maps paths of the view to paths of the object in this version, such as `{ "spec.replicas": "spec.replicas" }`. A
   * manager that writes a path through the view owns the path of the object. Other paths get no owner by writes through the view.
   */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The members of DeleteOptions. Every member is optional; absent ones have the meaning that they have in a DELETE. */
export interface DeletionOptions {
  /** Seconds for a graceful end of the object. */
  readonly gracePeriodSeconds?: Int64;
  /** The UID and the resource version that the object must have. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Superseded by `propagationPolicy`: true is Orphan, false is Background. */
  readonly orphanDependents?: boolean;
  /** What happens to dependents: Orphan, Background or Foreground. */
  readonly propagationPolicy?: string;
  /** `["All"]` validates the deletion and stores nothing. */
  readonly dryRun?: readonly string[];
  /** Deletes an object whose stored bytes cannot be read. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/**
 * The object of an action that writes it in steps of its own, as an eviction does. Its writes bypass the rules of the resource and admission,
 * and fields that they change get no owner. Every method rejects with NotFound if the object does not exist.
 */
export interface ActionObject<T = any> {
  /** Resolves with the stored object. */
  read(): Promise<T>;
  /** Resolves with the stored object after `change`, which runs again on a newer object after a conflict. */
  change(change: (object: T) => T): Promise<T>;
  /** Deletes the object, or marks it for deletion, as a DELETE with these options does. */
  delete(options: DeletionOptions): Promise<void>;
}

/**
 * Handles the POST of a subresource: an action on one object, such as `restart`, or a request for information, such as `token`. The
 * response has code 201.
 *
 * The order is: body -> `mutateAction` of admission -> `validateRequest` -> namespace -> object -> `validate` -> `refuseAction` of
 * admission -> `write`, if any, then prepare, validation and admission of the resource -> `respond`, if any. With `perform` it is: body ->
 * `mutateAction` -> `validateRequest` -> namespace -> `refuseAction` -> `perform`.
 */
export interface SubresourceAction<T = any, Request extends ApiObject = any, Response extends ApiObject = any> {
  /** The kind of the body. If absent, a body is ignored and `request` is undefined. */
  readonly request?: SubresourceKind<Request>;
  /** The kind of the response. Default: the object is the response. If request and response have one kind, the managed fields of `request` name its writer. */
  readonly response?: SubresourceKind<Response>;
  /** Validates the request before the object is read. This replaces the rule that a name in the request must be the name in the path. */
  readonly validateRequest?: (request: Request, name: string) => readonly FieldError[];
  /** Validates the request. Errors are reported for its kind, or for the object's kind if the request has none. */
  readonly validate?: (request: Request, object: T, context: HookContext) => readonly FieldError[];
  /** Returns the object to store, or `prior` itself if nothing changes. It runs again on a newer object after a conflict. */
  readonly write?: (request: Request, prior: T, context: RequestHookContext) => T;
  /** Set if `write` bypasses the rules of updates of the resource, leaves the generation as it is and owns no fields, as the binding of a pod does. */
  readonly isDirect?: true;
  /** Does the whole action, and makes the response. It replaces `validate`, `write` and `respond`. */
  readonly perform?: (
    request: Request,
    object: ActionObject<T>,
    context: RequestHookContext,
  ) => Promise<SubresourceBody<Response> & Partial<Pick<Response, "metadata">>>;
  /** Makes the response, if `response` is set. `object` is the stored object after `write`. */
  readonly respond?: (
    request: Request,
    object: T,
    context: RequestHookContext,
  ) =>
    | SubresourceBody<Response> & Partial<Pick<Response, "metadata">>
    | Promise<SubresourceBody<Response> & Partial<Pick<Response, "metadata">>>;
}

/**
 * A path below an object: `status`, `finalize`, `scale`, `restart`. Its GET, PUT and PATCH use the object itself (`write`) or another kind
 * (`view`); its POST is an action (`create`).
 */
export interface Subresource<T = any> {
  /** The verbs of this path. Default: get, update and patch if it has `write` or `view`; create if it has `create`. */
  readonly verbs?: readonly ("create" | "get" | "update" | "patch")[];
  /** Makes the object to store from the object of the request and the stored one. Only for a path that serves the object itself. */
  readonly write?: (next: T, prior: T, context: HookContext) => T;
  /** As `authorizeWrite` of the resource, for writes of this path. It runs before `write`. */
  readonly authorizeWrite?: (
    next: T,
    prior: T | undefined,
    context: RequestHookContext,
  ) => Promise<string | undefined> | string | undefined;
  /** Validates writes by `write`, in place of the `update` of the resource. */
  readonly update?: (next: T, prior: T, context: HookContext) => readonly FieldError[];
  /**
   * The fields, such as `spec` or `metadata.ownerReferences`, that writes through this path do not change and do not own. Default for
   * `status`: all but metadata and status. Default for others: status.
   */
  readonly leaves?: readonly string[];
  /** False if the object is not shown as a table here: a client that accepts nothing else gets 406. */
  readonly hasTable?: false;
  /** How the path serves the object as another kind. Only for a path that does so. */
  readonly view?: SubresourceView<T>;
  /** How the path handles a POST. */
  readonly create?: SubresourceAction<T>;
  /** How the path connects clients with another server. It excludes all other members. */
  readonly connect?: SubresourceConnect;
}
