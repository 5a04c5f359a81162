/**
 * The plugin contract. A plugin is a frozen value; importing one does nothing, naming it in `plugins/mod.ts` (or
 * with `--plugins`) offers it. `define.ts` checks definitions and reports every mistake at once.
 */
import type { MetricDefinition, MetricOf } from "../metrics/mod.ts";
import type { FieldError } from "./field-error.ts";
import type { Column } from "./meta/columns.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import type { Names } from "./names.ts";
import type { Node, StructNode, Typed } from "./schema.ts";
import type { Verb } from "./versions.ts";
import type { WorkMeter } from "./work.ts";

/**
 * `v1` for the core group, else `group/version`. Groups of the platform are written with `{domain}`
 * (`storage.{domain}/v1`), others in full (`example.com/v1`).
 */
export type GroupVersion = string;
/** A minor release, `"1.18"`. */
export type Release = string;

/** Stage of a feature gate. */
export type Stability = "Alpha" | "Beta" | "GA" | "Deprecated";
/** One rung of a gate's ladder: holds from that release on. */
export interface GateStage {
  readonly since: Release;
  readonly stage: Stability;
  readonly default: boolean;
  readonly locked?: true;
  /** The release in which the gate is gone, where that is known. */
  readonly removed?: Release;
}
/** Whether a feature gate is on. Throws for a gate that no plugin declares: a bug. */
export type Gates = (gate: string) => boolean;

/** What a hook may look at besides the object. No clock of its own, no I/O. */
export interface HookContext {
  readonly names: Names;
  readonly gates: Gates;
  /** The time of the request, RFC 3339 in UTC with whole seconds. */
  readonly now: string;
  /** "" for the object itself, else `status`, `finalize`, ... */
  readonly subresource: string;
  /** The version that the client spoke. */
  readonly requestVersion: GroupVersion;
  /**
   * The recorder of a metric that a plugin declares in `metrics`. Throws for any other. A hook may run more than once for a request.
   *
   *     context.metric(widgetsChecked).with({ colour: "red" }).add();
   */
  readonly metric: MetricOf;
}

/** Who asks. */
export interface Caller {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * How a resource behaves where resources differ. Everything has the default that most resources have.
 */
export interface Strategy {
  /** PUT of a name that does not exist creates it. Default false. */
  readonly createOnUpdate?: boolean;
  /** PUT without a resourceVersion overwrites; false refuses it. Default true. */
  readonly unconditionalUpdate?: boolean;
  /** What a finished DELETE answers. Default "status". */
  readonly deleteAnswers?: "object" | "status";
  /** Messages of what is wrong with a name (`prefix`: with a generateName prefix); empty means valid. Default: DNS subdomain. */
  readonly nameRule?: (name: string, prefix: boolean) => readonly string[];
  /** create() looks at the metadata itself; the kernel only sees to it afterwards that the object can be stored. */
  readonly ownMetaRules?: true;
  /**
   * The server counts changes of the spec in metadata.generation: from 1 at creation, or with `onUpdate` from what the client sent.
   * Default false: the client's value is kept.
   */
  readonly generation?: boolean | "onUpdate";
  /** Seconds that an object lives (Events). */
  readonly ttlSeconds?: number;
  /** False: always read from the store itself. Default true. */
  readonly cached?: boolean;
  /** False: a delete puts no finalizer for dependents on it, whatever propagation it asks for (Events). Default true. */
  readonly garbageCollected?: boolean;
  /** Verbs that are not served. */
  readonly without?: readonly Verb[];
  /** Why verbs are left out, for the answer to clients that try one: a clause without a full stop. */
  readonly withoutReason?: string;
  /** Finalizers without a slash are checked against the standard ones (kinds of the core group). */
  readonly coreFinalizers?: boolean;
}

/** A kind that only the path of a subresource takes or answers. It is never stored and has no collection. */
export interface SubresourceKind<V extends ApiObject = any> {
  /** The group version of the kind, also where it is the resource's own: `autoscaling/v1`. */
  readonly groupVersion: GroupVersion;
  /** Made by `object(...)`; its name is the kind. */
  readonly schema: Typed<unknown, StructNode>;
  /** Columns of its table. Default: name and creation time. */
  readonly columns?: readonly Column<V>[];
}

/** What a hook returns of a kind: the server sets kind, apiVersion and, for views, metadata. */
export type SubresourceBody<V> = Omit<V, "kind" | "apiVersion" | "metadata">;

/**
 * An object as another kind: `scale` shows it as a Scale. Reads and writes of the path have this kind. Its metadata are name, namespace,
 * uid, resourceVersion and creationTimestamp of the object.
 *
 * Order of a write: `read` (what is stored) -> body, patch or apply on it -> `validate` -> `write` -> prepare, validation and admission
 * of the resource, as in a write of the object itself -> `read` (the answer).
 */
export interface SubresourceView<T = any, V extends ApiObject = any> extends SubresourceKind<V> {
  /** The view of an object in the stored form. */
  readonly read: (object: T, at: HookContext) => SubresourceBody<V>;
  /** Rules of the view itself; errors are reported for the view's kind. */
  readonly validate?: (view: V, prior: T, at: HookContext) => readonly FieldError[];
  /** The object to store, of the view that was sent and the object that is stored. */
  readonly write: (view: V, prior: T, at: HookContext) => T;
  /**
   * Field ownership: paths of the view to paths of the object in this version, such as `{ "spec.replicas": "spec.replicas" }`. Whoever
   * writes one through the view owns the other. Fields that are not listed have no owner by writes through the view.
   */
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * POST of a subresource: an action on one object, such as `restart`, or a question about it, such as `token`. Answered with 201.
 *
 * Order: body -> `validate` -> `write`, if any, then prepare, validation and admission of the resource -> `respond`, if any.
 */
export interface SubresourceAction<T = any, Request extends ApiObject = any, Response extends ApiObject = any> {
  /** Kind of the body. Without it a body is ignored and `request` is undefined. */
  readonly request?: SubresourceKind<Request>;
  /** Kind of the answer. Without it the object is the answer. */
  readonly response?: SubresourceKind<Response>;
  /** Rules of the request; errors are reported for its kind, or for the object's where it has none. */
  readonly validate?: (request: Request, object: T, at: HookContext) => readonly FieldError[];
  /** The object to store; `prior` itself when nothing changes. Runs again on a newer object after a conflict. */
  readonly write?: (request: Request, prior: T, at: HookContext, caller: Caller) => T;
  /** The answer, where it has a kind of its own. `object` is what is stored after `write`. */
  readonly respond?: (
    request: Request,
    object: T,
    at: HookContext,
    caller: Caller,
  ) =>
    | SubresourceBody<Response> & Partial<Pick<Response, "metadata">>
    | Promise<SubresourceBody<Response> & Partial<Pick<Response, "metadata">>>;
}

/**
 * A path below an object: `status`, `finalize`, `scale`, `restart`. It shows the object itself (`write`) or another kind (`view`) to GET,
 * PUT and PATCH, and may take POST (`create`).
 */
export interface Subresource<T = any> {
  /** Verbs of this path. Default: get, update and patch if it has `write` or `view`, create if it has `create`. */
  readonly verbs?: readonly ("create" | "get" | "update" | "patch")[];
  /** Where the path shows the object itself: the object to store, of what the client sent and what is stored. */
  readonly write?: (next: T, prior: T, at: HookContext) => T;
  /** Validation in place of the resource's own `update`, for writes by `write`. */
  readonly update?: (next: T, prior: T, at: HookContext) => readonly FieldError[];
  /** Top-level fields that writes through this path leave as they are. Such a write does not own them. Default for `status`:
   *  all but metadata and status; for others: status. */
  readonly leaves?: readonly string[];
  /** Where the path shows another kind. */
  readonly view?: SubresourceView<T>;
  /** POST of the path. */
  readonly create?: SubresourceAction<T>;
}

/** One version of a resource as clients see it. */
export interface Served<T extends ApiObject = any> {
  /** Made by `object(...)`: a top-level `status` gives the status subresource by default. */
  readonly schema: Typed<unknown, StructNode>;
  readonly introduced: Release;
  readonly deprecated?: Release;
  readonly removed?: Release;
  /** A version that the target release has removed is served only where --runtime-config names it; with this gate on also by
   *  `api/alpha`, `api/beta`, `api/ga` or `api/all`. */
  readonly keptBy?: string;
  /** Group version and kind to move to, shown in the warning. */
  readonly replacement?: { readonly groupVersion: GroupVersion; readonly kind: string };
  readonly columns?: readonly Column<T>[];
  /** Field selectors beyond metadata.name and metadata.namespace: label to value. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  readonly subresources?: Readonly<Record<string, Subresource<T>>>;
  /** Defaults that need the names, after those of the tree; returns `object` itself when nothing changes. */
  readonly fill?: (object: T, names: Names) => T;
  /**
   * The stored form of an object of this version and the other way round, where they differ in more than apiVersion; either may be left
   * out where that direction changes nothing. Defaults are filled in afterwards.
   */
  readonly toStored?: (served: any) => T;
  readonly fromStored?: (stored: T) => any;
}

/** One stored thing, however many groups and versions show it. */
export interface Resource<T extends ApiObject = any> {
  readonly kind: string;
  /** Lower-case plural, when it is not the regular one. */
  readonly plural?: string;
  /** Lower-case singular, when it is not the kind in lower case. */
  readonly singular?: string;
  /** When it is not `<Kind>List`. */
  readonly listKind?: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Requests are answered, but no discovery or OpenAPI document names it. */
  readonly unlisted?: true;
  /** One sentence for reference pages. */
  readonly summary: string;
  /** The one form that the store holds and the hooks see; must be one of `served` or carry its schema in `storedSchema`. */
  readonly storedAs: GroupVersion;
  /** Segments of the key below the prefix, as upstream lays them out: `configmaps`, `services/specs`. Every kind has them that
   *  has no `handleCreate`. */
  readonly storedUnder?: string;
  readonly served: Readonly<Record<GroupVersion, Served<T>>>;
  readonly strategy?: Strategy;
  /** Pure; before validation. `prior` is undefined at creation. Returns `next` itself when nothing changes. */
  prepare?(next: T, prior: T | undefined, at: HookContext): T;
  /** Fields of disabled features, unless already stored. */
  dropDisabled?(next: T, prior: T | undefined, gates: Gates): T;
  /** Rules of creation, in upstream's order. */
  create?(next: T, at: HookContext): readonly FieldError[];
  /** Rules of an update of the object itself, in upstream's order (rules of creation that hold again are called here). */
  update?(next: T, prior: T, at: HookContext): readonly FieldError[];
  /** Makes it a kind that is answered and never stored (a review): what a POST gives back, once the rules of `create` hold.
   *  It has no other verb, and a dry run is no different. */
  handleCreate?(next: T, at: HookContext, caller: Caller): T | Promise<T>;
  /** Texts of Warning headers. */
  warn?(next: T, prior: T | undefined, at: HookContext): readonly string[];
  /** First DELETE of an object that is not pending yet: what to mark, returning `object` itself when nothing. Deletion
   *  then waits while `holds` says so or metadata.finalizers is not empty. */
  readonly deletion?: {
    readonly begin: (object: T, at: HookContext) => T;
    /** The object must stay stored although metadata.finalizers is empty. */
    readonly holds: (object: T) => boolean;
    /** A reason why the name may not be deleted at all (403), or undefined. */
    readonly refuse?: (name: string) => string | undefined;
  };
}

/** What admission may read besides the object: objects of kinds that are served, in the version asked for. */
export interface Reader {
  get(groupVersion: GroupVersion, resource: string, namespace: string, name: string): Promise<ApiObject | undefined>;
  list(groupVersion: GroupVersion, resource: string, namespace: string): Promise<readonly ApiObject[]>;
}
/** A step in the writes of some resources that needs to look around; an operator may leave it out by its name. */
export interface Admission<T extends ApiObject = any> {
  readonly name: string;
  readonly resources: readonly Resource<T>[];
  /** Before the object is prepared, in the stored form; `prior` is undefined at creation. Returns `next` itself when nothing changes. */
  readonly mutate?: (next: T, prior: T | undefined, at: HookContext, read: Reader) => T | Promise<T>;
  /** After validation: why the write is refused (403), or undefined. */
  readonly refuse?: (next: T, prior: T | undefined, at: HookContext, read: Reader) => string | undefined | Promise<string | undefined>;
  /** Its effect outside of the object, after all steps have admitted the write; again when the write is retried. */
  readonly effect?: (next: T, prior: T | undefined, at: HookContext) => void | Promise<void>;
  /** That a dry run may leave the effect out. Without this word a dry run that meets the effect is refused (400). */
  readonly dryRun?: "leaves the effect out";
}

/** Something that is wrong until `check` resolves; it throws with the reason. */
export interface HealthCheck {
  readonly name: string;
  /** The endpoints that run the check. Default: readyz and healthz, because a restart (livez) seldom repairs a plugin. */
  readonly endpoints?: readonly ("healthz" | "livez" | "readyz")[];
  /** Resolves if the check passes; rejects with the reason if not. `signal` aborts when the time for it is over. */
  check(signal: AbortSignal): Promise<void>;
}

/** What a controller can use: the API, with the same rules as for any client, and its log and metrics. */
export interface ControllerContext {
  readonly names: Names;
  readonly api: Api;
  /** As in `HookContext`. */
  readonly metric: MetricOf;
  /** Records events about objects. Their reporting controller is the name of the controller or start hook. */
  readonly events: EventRecorder;
  /** The state of the feature gates. May be absent in tests. */
  readonly gates?: Gates;
  /** The work meter of the controller, for its queue metrics. Absent in tests. */
  readonly work?: WorkMeter;
  /** Logs an error: a sentence without secrets, and the error. Absent in tests that do not read the log. */
  readonly logError?: (sentence: string, error?: unknown) => void;
  /** The CA certificates, as PEM, that clients in the cluster use to verify the server. Absent: none are published. */
  readonly rootCertificates?: string;
}
/** What happened to an object, for `EventRecorder.record`. */
export interface EventNews {
  readonly type: "Normal" | "Warning";
  /** Why, as a word in upper camel case, at most 128 bytes: `Scaled`. */
  readonly reason: string;
  /** What was done, or failed, as a word in upper camel case, at most 128 bytes: `Scaling`. */
  readonly action: string;
  /** A sentence for people. Longer notes are cut to 1024 bytes. */
  readonly note: string;
  /** Another object that has to do with it. */
  readonly related?: ApiObject;
}
/** Records events (`events.{domain}/v1`), as client-go's recorder does. */
export interface EventRecorder {
  /**
   * Records an event about `object`, in its namespace or in `default`. It is written in the background; repetitions within six minutes
   * become a series. Never throws: an event that is rejected is logged and lost. No effect where events are not served.
   */
  record(object: ApiObject, news: EventNews): void;
}

/** Options of a write through `Api`. */
export interface ApiWriteOptions {
  /** The part of the object to write, such as `status` or `scale`. Default: the object itself. */
  readonly subresource?: string;
  /** Checks and answers the write without storing it. Default false. */
  readonly dryRun?: boolean;
  /** What unknown and duplicate fields do: Strict rejects the write (400 or 422), the others drop the fields. Default Warn. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Owner of the written fields in metadata.managedFields. Default: the `fieldManager` of the controller or start hook. */
  readonly fieldManager?: string;
}
/** Options of a create. */
export interface ApiCreateOptions extends ApiWriteOptions {
  /** The object whose `subresource` takes the POST; required with a subresource, ignored without. */
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
 * The API in process, with the rights of a system component. Names of group versions may contain `{domain}`; `namespace` is "" for kinds
 * of the cluster. Every method rejects with the StatusError that a client would get as a Status.
 */
export interface Api {
  /** Resolves with the object, or with its subresource where `options` name one. */
  get(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    name: string,
    options?: Pick<ApiWriteOptions, "subresource">,
  ): Promise<ApiObject>;
  list(groupVersion: GroupVersion, resource: string, namespace: string, query?: Readonly<Record<string, string>>): Promise<ApiList>;
  /** Creates an object, or posts to a subresource. Resolves with the reply: the object as it is stored. */
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
   * Changes parts of an object that exists. Races with other writes are retried by the server.
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
   * Server-side apply (KEP-555): creates the object or sets the given fields, and removes fields that this manager applied before and
   * omits now. `apiVersion`, `kind` and `metadata.name` are filled in where `object` lacks them.
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
  /** Initial state and then every change, reconnecting and relisting by itself, until the signal aborts. Changes outside of
   *  `concern` may be left out, which saves their cost; creation and deletion are always delivered. */
  watch(
    groupVersion: GroupVersion,
    resource: string,
    namespace: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    watchScope?: WatchScope,
  ): AsyncIterable<{ readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject }>;
  /** The collections that take `verb`, of every group version in force. */
  collections(verb: string): readonly {
    readonly groupVersion: GroupVersion;
    readonly resource: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }[];
}
/** The part of an object that a watch follows: all of it, or owner references, finalizers and deletion timestamp. */
export type WatchScope = "everything" | "ownership";
/** A list of objects, or one chunk of it. */
export interface ApiList {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly ApiObject[];
}
/** A resource that a controller cannot work without, served in at least one of `groupVersions`. */
export interface ControllerNeed {
  readonly resource: string;
  readonly groupVersions: readonly GroupVersion[];
}

/** Background work. `run` lasts until the signal aborts; an error restarts it after a pause. */
export interface Controller {
  readonly name: string;
  /** Runs only while this feature gate is on. */
  readonly gate?: string;
  /** Runs only while all of these resources are served. */
  readonly needs?: readonly ControllerNeed[];
  /** Owner of the fields that it writes, in metadata.managedFields; at most 128 bytes. Default: `name`. */
  readonly fieldManager?: string;
  run(world: ControllerContext, signal: AbortSignal): Promise<void>;
}

/** What has to be done once after the start, such as filling what the plugin answers from. Until it is done, the server is not ready
 *  (`poststarthook/<name>`), and not alive once --livez-grace-period is over; an error starts it again after a pause. */
export interface StartHook {
  readonly name: string;
  /** As in `Controller`. */
  readonly fieldManager?: string;
  run(world: ControllerContext, signal: AbortSignal): Promise<void>;
}

/** A plugin: kinds and everything that works on them. `definePlugin` checks and freezes it. */
export interface Plugin {
  /** Also its metrics and log label, and its name in `--plugins`. */
  readonly name: string;
  readonly summary: string;
  readonly featureGates?: Readonly<Record<string, readonly GateStage[]>>;
  /** Gates of this plugin that can be on only while others are, of this plugin or not. */
  readonly gateDependencies?: Readonly<Record<string, readonly string[]>>;
  /** Place of a group among groups in discovery, higher first; clients prefer the first. Default 1000. */
  readonly groupPriorities?: Readonly<Record<string, number>>;
  readonly resources?: readonly Resource[];
  readonly admission?: readonly Admission[];
  readonly controllers?: readonly Controller[];
  readonly healthChecks?: readonly HealthCheck[];
  readonly startHooks?: readonly StartHook[];
  /** Counters, gauges and histograms of the plugin, made by `defineMetric`. Recorded through `metric` of a context, served at /metrics. */
  readonly metrics?: readonly MetricDefinition[];
  /** Objects that exist after start (created when absent), such as the namespace `default`. */
  readonly bootstrapObjects?: readonly {
    readonly groupVersion: GroupVersion;
    readonly resource: string;
    readonly namespace?: string;
    readonly object: unknown;
  }[];
}

export type { Node };
