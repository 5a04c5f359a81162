/**
 * The plugin contract. A plugin is a frozen value, and its module has no side effects. An entry in `plugins/mod.ts`, or `--plugins`, makes
 * a plugin available. `define.ts` checks definitions and reports all mistakes together.
 */
import type { MetricDefinition, MetricOf } from "../metrics/mod.ts";
import type { Authorizer } from "./access.ts";
import type { Api } from "./api.ts";
import type { AuditBackendDefinition } from "./audit/backend.ts";
import type { AuthenticatorDefinition } from "./authentication.ts";
import type { Peers } from "./connect.ts";
import type { Controller, ControllerNeed, Gates, StartHook } from "./controller.ts";
import type { StoredConversion } from "./conversion.ts";
import type { DelegateDefinition } from "./delegate.ts";
import type { FieldError } from "./field-error.ts";
import type { FlowControlDefinition } from "./flow-control.ts";
import type { HookContext, RequestHookContext } from "./hook-context.ts";
import type { Column, RowCondition } from "./meta/columns.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import type { Names } from "./names.ts";
import type { ReleasedElements } from "./released.ts";
import type { Release } from "./releases.ts";
import type { StructNode, Typed } from "./schema.ts";
import type { PluginSetting } from "./setting.ts";
import type { Subresource } from "./subresource.ts";
import type { GroupVersion, Verb } from "./versions.ts";

/** The stage of a feature gate. */
export type Stability = "Alpha" | "Beta" | "GA" | "Deprecated";
/** One stage of a feature gate. It lasts from the release `since` until the next stage begins. */
export interface GateStage {
  /** The release with which the stage begins, such as `1.34`. Stages are in ascending order. */
  readonly since: Release;
  /** The stage of the gate. It never goes back to an earlier one. */
  readonly stage: Stability;
  /** Whether the gate is on without `--feature-gates`. An alpha gate must be off. */
  readonly default: boolean;
  /** Whether the gate cannot be set to another value than its default. */
  readonly locked?: true;
  /** The release that removes the gate, if known. */
  readonly removed?: Release;
}
/** How a resource behaves where resources differ. The defaults are those of most resources. */
export interface Strategy {
  /** Whether a PUT of a name that does not exist creates the object. Default false. */
  readonly createOnUpdate?: boolean;
  /** Whether a PUT without a resourceVersion overwrites the object; false rejects it. Default true. */
  readonly unconditionalUpdate?: boolean;
  /** What the response of a completed DELETE contains: the object, or a Status. Default "status". */
  readonly deleteAnswers?: "object" | "status";
  /** Returns the error messages of a name; none if it is valid. `prefix`: the text is a generateName prefix. Default: the name must be a DNS subdomain. */
  readonly nameRule?: (name: string, prefix: boolean) => readonly string[];
  /** Whether `create` validates the metadata itself. The kernel then only checks that the object can be stored. */
  readonly ownMetaRules?: true;
  /**
   * Whether metadata.generation counts changes of the spec: from 1, or with `onUpdate` from the client's value. With `exact` an empty list or map
   * that the object of a request keeps (`keepsEmpty`) is a change, with `sent` also a field that is dropped because its gate is off. Default:
   * the client's value is kept.
   */
  readonly generation?: boolean | "onUpdate" | "exact" | "sent";
  /**
   * Whether the status in a create reaches `prepare`, which then sets it; with "always" also that of an update. Writes of the object itself
   * then own the status that they contain. Default: the status is removed before, and an update keeps the stored one.
   */
  readonly preparesStatus?: true | "always";
  /** Seconds after which the store deletes an object, as for Events. Default: never. */
  readonly ttlSeconds?: number;
  /**
   * Returns the seconds that an object has to end by itself after its first DELETE. It stays in the store, marked for deletion, until a
   * DELETE with 0 seconds. `asked` is the number that the client has sent; it is not negative. Default: objects without finalizers are
   * removed at once.
   */
  readonly graceSeconds?: (object: any, asked: number | undefined) => number;
  /** Whether the watch cache answers reads; with false they always use the store. Default true. */
  readonly cached?: boolean;
  /** Whether a delete may add a finalizer for dependents; with false it adds none, whatever the propagation policy (Events). Default true. */
  readonly garbageCollected?: boolean;
  /** Whether a deletion without a propagation policy orphans the dependents, as for Job. Default: it deletes them in the background. */
  readonly orphansDependents?: true;
  /** The verbs that are not served. Default: none. */
  readonly without?: readonly Verb[];
  /** The reason for `without`, for error messages: a clause without a full stop. */
  readonly withoutReason?: string;
  /**
   * The fields, such as `spec`, that updates of the object itself do not change and that its writers do not own. Default: `status`, if it is
   * a subresource.
   */
  readonly leaves?: readonly string[];
  /** Whether finalizers without a slash are checked against the standard ones, as for kinds of the core group. */
  readonly coreFinalizers?: boolean;
  /** Whether validating the object of a request, or the stored one, takes so long that the write must run in the heavy thread. */
  readonly isHeavy?: (object: any) => boolean;
}

/** One served version of a resource. */
export interface Served<T extends ApiObject = any> {
  /** The schema of this version, made by `object(...)`. By default, a top-level `status` gives the resource a status subresource. */
  readonly schema: Typed<unknown, StructNode>;
  /** The first release of the server that has the version. A beta version of 1.22 or later is off by default. */
  readonly introduced: Release;
  /** The release from which on requests for this version get a warning. For a beta version it is at most three releases after `introduced`. */
  readonly deprecated?: Release;
  /** The first release that does not serve the version. For a beta version it is three releases after `deprecated`; a GA version has none. */
  readonly removed?: Release;
  /** Whether the version has stored objects but no endpoint. Only for custom resources. */
  readonly hidden?: true;
  /** A version that the target release has removed is served only if --runtime-config names it; with this gate on also by
   *  `api/alpha`, `api/beta`, `api/ga` or `api/all`. */
  readonly keptBy?: string;
  /** A feature gate. While it is off, the version is not served, whatever --runtime-config says. */
  readonly gate?: string;
  /** The group version and kind that clients should use instead. The warning shows them. */
  readonly replacement?: { readonly groupVersion: GroupVersion; readonly kind: string };
  /** Columns of tables (`kubectl get`). Default: name and creation time. */
  readonly columns?: readonly Column<T>[];
  /** Returns the conditions of the object's row in tables, which depend on the object alone. Default: none. */
  readonly rowConditions?: (object: T) => readonly RowCondition[];
  /** The fields that field selectors can use besides metadata.name and metadata.namespace: each label, and a function that returns its value. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /**
   * Returns the error of a field selector with another field. Default: `field label not supported: <field>`, the text of most kinds.
   * `groupVersion` is that of the request, such as `resource.k8s.io/v1`.
   */
  readonly unselectableText?: (field: string, groupVersion: string) => string;
  /** Paths below an object by their names, such as `scale`. */
  readonly subresources?: Readonly<Record<string, Subresource<T>>>;
  /** False if a top-level `status` does not give a status subresource. */
  readonly statusSubresource?: false;
  /** The text of the Warning header of every request for this version. It may contain `{domain}`, and replaces the one that `deprecated` gives. */
  readonly warning?: string;
  /** Applies defaults that depend on the names, after those of the schema. Returns `object` itself if nothing changes. */
  readonly applyDefaults?: (object: T, names: Names) => T;
  /**
   * Converts from this version to the stored form. `fromStored` converts back. Both are needed only if the versions differ in more than
   * apiVersion; a direction that changes nothing may be omitted. Defaults are applied afterwards.
   */
  readonly toStored?: (served: any) => T;
  /** Converts from the stored form to this version. */
  readonly fromStored?: (stored: T) => any;
}

/** A type of objects in the store, with all groups and versions that serve it. */
export interface Resource<T extends ApiObject = any> {
  /** The TypeScript type of its objects, for `Api.of`. Never set. */
  readonly "~object"?: T;
  /** Name in upper camel case, such as `Widget`. */
  readonly kind: string;
  /** Lower-case plural. Default: the regular plural. */
  readonly plural?: string;
  /** Lower-case singular. Default: the kind in lower case. */
  readonly singular?: string;
  /** The kind of its lists. Default: `<Kind>List`. */
  readonly listKind?: string;
  /** Whether objects belong to a namespace. */
  readonly scope: "Cluster" | "Namespaced";
  /** Further names for kubectl, in lower case. Default: none. */
  readonly shortNames?: readonly string[];
  /** Names such as `all`, by which `kubectl get` lists several resources. Default: none. */
  readonly categories?: readonly string[];
  /**
   * Whether the resource was made from a definition that clients have written, and not from a plugin's code. It is then always served,
   * without protobuf and strategic merge patches, and items of lists have kind and apiVersion. Its schema has no field numbers.
   */
  readonly custom?: true;
  /** Returns whether its definition is being deleted. Discovery then lists no verbs that create or change objects. Only for custom resources. */
  readonly isTerminating?: () => boolean;
  /** Whether the resource is served but not listed in discovery and OpenAPI documents. */
  readonly unlisted?: true;
  /** One sentence for reference pages. */
  readonly summary: string;
  /** The version of stored objects and of the objects that hooks receive; must be one of `served`. */
  readonly storedAs: GroupVersion;
  /** The segments of its keys below the store's prefix, as in upstream: `configmaps`, `services/specs`. Required without `handleCreate` and `compute`. */
  readonly storedUnder?: string;
  /** The served versions by group version, such as `apps/v1`. The group may contain `{domain}`. */
  readonly served: Readonly<Record<GroupVersion, Served<T>>>;
  /** Converts stored objects, for a version of a kind whose versions are converted by calls. `storedAs` is then this version. */
  readonly conversion?: StoredConversion;
  /** How the resource differs from most resources. */
  readonly strategy?: Strategy;
  /**
   * How rules in the tree (`rules` of structs and fields) work beside `create` and `update`. Default: they apply, after these hooks.
   * `"compared"`: they will replace errors that the hooks mark with `coveredByRule`. While the gate DeclarativeValidation is on, both are
   * compared, and differences are logged and counted; with DeclarativeValidationTakeover the rules apply instead of the marked errors.
   */
  readonly rules?: "compared";
  /**
   * Completes the object before validation. It must be pure. `prior` is undefined at creation. Returns `next` itself if nothing changes. Texts that it
   * adds to `warnings` are in Warning headers also if validation rejects the object.
   */
  prepare?(next: T, prior: T | undefined, context: HookContext, warnings?: { add(text: string): void }): T;
  /** Removes fields of disabled features, unless they are already stored. */
  dropDisabled?(next: T, prior: T | undefined, gates: Gates): T;
  /** Validates an object at its creation, in upstream's order. */
  create?(next: T, context: HookContext): readonly FieldError[];
  /** Validates an update of the object itself, in upstream's order. Rules of creation that also hold for updates are called here. */
  update?(next: T, prior: T, context: HookContext): readonly FieldError[];
  /** Returns the response of a POST after the rules of `create`, for a kind that is never stored (a review). Such a kind has no other verb, and a dry run has no effect. */
  handleCreate?(next: T, context: RequestHookContext): T | Promise<T>;
  /**
   * Computes the objects of a kind that is only read and never stored, in the order in which lists have them. Such a kind has cluster scope
   * and the verbs get and list. `context.requestName` is the name of a get, for which the others need not be computed; "" for a list. `peers` reaches other servers.
   */
  compute?(context: RequestHookContext, peers: Peers): Promise<readonly T[]>;
  /**
   * A subresource whose POST a POST of this kind stands for, of the object that the body names. For a kind with `handleCreate`, which is then
   * not called.
   */
  readonly actsOn?: { readonly groupVersion: GroupVersion; readonly resource: string; readonly subresource: string };
  /**
   * Returns the reason why the caller may not write this object (403), or undefined. It is for rules about the contents, such as rights
   * that the caller lacks. It runs after `mutate` and before the object is prepared, for writes of the object itself. `prior` is undefined
   * at creation. A StatusError that it throws is the response.
   */
  authorizeWrite?(next: T, prior: T | undefined, context: RequestHookContext): Promise<string | undefined> | string | undefined;
  /**
   * Completes the object with what it gets from a common pool, such as an address. It runs after `mutate` and before the object is prepared,
   * for writes of the object itself. An effect is registered with `context.ifNotStored`, and what an update gives back with
   * `context.ifStored`. A dry run has no effects. An error that it throws rejects the write. Requests of the kind stay in the serving thread.
   */
  allocate?(next: T, prior: T | undefined, context: RequestHookContext): Promise<T>;
  /** Gives back what a removed object had from a common pool. Must not reject. It does not run for a dry run. */
  release?(object: T, context: RequestHookContext): Promise<void>;
  /** Returns texts for Warning headers. */
  warn?(next: T, prior: T | undefined, context: HookContext): readonly string[];
  /**
   * Deletes objects gracefully. `begin` marks the object at its first DELETE, or returns `object` itself. The deletion then waits while
   * `holds` returns true or metadata.finalizers is not empty.
   */
  readonly deletion?: {
    /** Whether an object that cannot be read may be deleted without these steps (`ignoreStoreReadErrorWithClusterBreakingPotential`). */
    readonly unsafe?: boolean;
    /** Marks the object. `prior` is the stored object, without the timestamp, grace period, generation and finalizers of the deletion that `object` has. */
    readonly begin: (object: T, context: HookContext, prior: T) => T;
    /** Whether the object must be kept although metadata.finalizers is empty. */
    readonly holds: (object: T) => boolean;
    /** The reason why the object with this name cannot be deleted (403), or undefined. */
    readonly refuse?: (name: string) => string | undefined;
  };
}

/**
 * An admission step for writes of some resources, which may read other objects. Operators can disable it by name. Steps with names of
 * kube-apiserver run in its order; others run before policies, webhooks and quotas, in the order of plugins.
 */
export interface Admission<T extends ApiObject = any> {
  /** The name for `--enable-admission-plugins`, `--disable-admission-plugins` and metrics. It must be unique. */
  readonly name: string;
  /** Whether the step runs only if --enable-admission-plugins names it. */
  readonly isOptional?: true;
  /** Whether the server creates the namespace of a new object if it is missing, before `NamespaceLifecycle` looks for it. */
  readonly makesNamespaces?: true;
  /**
   * The resources to whose writes the step applies. Resources of other plugins are given by name (`pods`,
   * `priorityclasses.scheduling.{domain}`); a name that no plugin serves has no effect. `"all"` stands for every stored resource, including
   * custom ones.
   */
  readonly resources: readonly (Resource<T> | string)[] | "all";
  /** Whether `"all"` includes kinds that are answered and never stored, such as SubjectAccessReview. */
  readonly includesReviews?: true;
  /** Changes the object before it is prepared, in the stored form. `prior` is undefined at creation. Returns `next` itself if nothing changes. */
  readonly mutate?: (next: T, prior: T | undefined, context: RequestHookContext) => T | Promise<T>;
  /** Returns the reason to reject the write (403), or undefined. It runs after validation. */
  readonly refuse?: (next: T, prior: T | undefined, context: RequestHookContext) => string | undefined | Promise<string | undefined>;
  /**
   * Returns the reason to reject a deletion (403), or undefined. It runs after preconditions, before the object is removed or marked for
   * deletion. It runs for each object of a collection, and again if the object has changed meanwhile. The removal of the last finalizer of
   * a marked object is an update.
   */
  readonly refuseDelete?: (prior: T, context: RequestHookContext) => string | undefined | Promise<string | undefined>;
  /** Has a side effect outside of the object, after all steps have admitted the write. It runs again if the write is retried. */
  readonly effect?: (next: T, prior: T | undefined, context: RequestHookContext) => void | Promise<void>;
  /**
   * Changes the request of an action (the POST of a subresource) that has a request kind, before it is validated. Returns `request` itself
   * if nothing changes. `context.requestName` is the name of the object.
   */
  readonly mutateAction?: (request: any, subresource: string, context: RequestHookContext) => any;
  /**
   * Returns the reason to reject an action (403), or undefined. It runs after the validation of the request, and before the object changes.
   * `request` is undefined for an action without a request kind.
   */
  readonly refuseAction?: (request: any, subresource: string, context: RequestHookContext) => ReturnType<NonNullable<Admission["refuse"]>>;
  /**
   * The kind of its configuration in the file of --admission-control-config-file. `context.configuration` has it. Default: the step has none
   * but `AdmissionStepConfiguration`, which every step may have.
   */
  readonly configuration?: StepConfiguration;
  /** Whether a dry run may skip `effect`. A step with an effect and without this member rejects dry runs with 400. */
  readonly supportsDryRun?: true;
}

/** The configuration of an admission step. */
export interface StepConfiguration<C = any> {
  /** The kind, such as `PodSecurityConfiguration`; "" for a document without kind and apiVersion. */
  readonly kind: string;
  /** The API group of the kind, which may contain `{domain}`. */
  readonly group: string;
  /** The accepted versions, the preferred one first. */
  readonly versions: readonly string[];
  /** Older kinds with the same schema, which are accepted as well. */
  readonly older?: readonly Pick<StepConfiguration, "kind" | "group" | "versions">[];
  /** The schema of every version, without metadata. */
  readonly schema: Typed<C, StructNode>;
  /** Validates a configuration. Default: every one that fits the schema is valid. */
  readonly validate?: (configuration: C) => readonly FieldError[];
  /** Whether the step cannot run without a configuration. */
  readonly isRequired?: true;
  /** The kubeconfig file that a configuration names. The server does not start if it cannot be used and the step is enabled. */
  readonly kubeconfig?: (configuration: C) => string;
}

/** A health check. It fails while `check` rejects. */
export interface HealthCheck {
  /** The name of the check, in the reports of its endpoints and in the path `/readyz/<name>`. */
  readonly name: string;
  /** The endpoints that run the check. Default: readyz and healthz, because a restart (livez) seldom repairs a plugin. */
  readonly endpoints?: readonly ("healthz" | "livez" | "readyz")[];
  /** Resolves if the check passes; rejects with the reason if it does not. `signal` aborts at the timeout of the check. */
  check(signal: AbortSignal): Promise<void>;
}

/** What an authorizer of a plugin gets. It is valid while the server runs. */
export interface AuthorizerContext {
  /** The names that replace `{domain}` and `{platform}`. */
  readonly names: Names;
  /** The API in process, as a member of system:masters, so that it never waits for the authorizer. */
  readonly api: Api;
  /** The recorder of a metric that the plugin declares in `metrics`. Throws for any other. */
  readonly metric: MetricOf;
  /** Logs an error: a sentence without secrets, and the error. */
  readonly logError: (sentence: string, error?: unknown) => void;
  /** Aborts when the server stops, or when the authorizer is removed from the chain. */
  readonly signal: AbortSignal;
}
/** A running authorizer of a plugin. */
export interface OpenedAuthorizer extends Authorizer {
  /** Resolves when the authorizer can decide. The server is not ready before. */
  readonly ready: Promise<void>;
}
/** An authorizer of a plugin. --authorization-mode selects the authorizers of the chain. */
export interface AuthorizerDefinition {
  /** The name of the authorizer in --authorization-mode, such as `RBAC`. */
  readonly name: string;
  /** One sentence for --help. */
  readonly summary: string;
  /** Starts the authorizer. Must not throw. */
  open(context: AuthorizerContext): OpenedAuthorizer;
}
/**
 * Resources that appear, change and disappear while the server runs, such as those of custom resource definitions. A description is plain
 * data (`structuredClone` copies it), because other threads of the server create the resources as well.
 */
export interface ResourceSource<D = any> {
  /** The name of the start hook that ends with the first descriptions, such as `crd-informer-synced`. The server is not ready before it has ended. */
  readonly hook: string;
  /** Resources without which the source is not followed. While one of them is not served, there are no descriptions. */
  readonly needs?: readonly ControllerNeed[];
  /**
   * Yields all descriptions: first the existing ones, then all of them again after each change. It runs on every server, with or without
   * leadership, until the signal aborts. A description that has not changed is the same value. An error restarts it after a pause; the last
   * descriptions stay active. The source reports an object that it cannot describe by `failed`, and goes on with the others.
   */
  follow(context: SourceContext, signal: AbortSignal): AsyncIterable<readonly D[]>;
  /**
   * Returns the resources of a description. It must be pure, and is called once for each description. A resource whose name or stored keys
   * are those of another one is left out. If it throws, this description has no resources, the error is logged with the member `name` of
   * the description, and the others go on.
   */
  resources(description: D): readonly Resource[];
}

/** What the server passes to a resource source. */
export interface SourceContext {
  /** The names that replace `{domain}` and `{platform}`. */
  readonly names: Names;
  /** The API in process, as a member of `system:masters`. */
  readonly api: Api;
  /** Logs the error of one object, by its name. Absent if errors are not logged here. */
  readonly failed?: (name: string, error: unknown) => void;
}

/**
 * Which built-in plugins a server has that names none (`--preset`): `kubernetes` all kinds of a kube-apiserver; `control-plane` those of an API without
 * pods, nodes and workloads.
 */
export type Preset = "kubernetes" | "control-plane";

/** A plugin: kinds, their rules, controllers, checks and metrics. `definePlugin` checks and freezes it. */
export interface Plugin {
  /** The name of the plugin in `--plugins`, in metrics and in the log. */
  readonly name: string;
  /** One sentence for reference pages. */
  readonly summary: string;
  /** The names of other plugins whose kinds those of this one need. A start that selects this plugin without them is an error. */
  readonly needs?: readonly string[];
  /** The values of `--preset` that select the plugin, if it is a built-in one. Default: all. A plugin that `--plugins` names is served with each. */
  readonly presets?: readonly Preset[];
  /** Gates by name in upper camel case, with their stages in ascending order. */
  readonly featureGates?: Readonly<Record<string, readonly GateStage[]>>;
  /** Gates of this plugin that require other gates, of any plugin. */
  readonly gateDependencies?: Readonly<Record<string, readonly string[]>>;
  /** The elements of earlier releases of the plugin, by `releasedElements`. The definition must still have those that the deprecation policy protects. */
  readonly released?: ReleasedElements;
  /** Priorities of groups in discovery; a group with a higher number comes first. Clients prefer the first group. Default 1000. */
  readonly groupPriorities?: Readonly<Record<string, number>>;
  /** The resources that the plugin serves. */
  readonly resources?: readonly Resource[];
  /** A source of resources that change while the server runs. */
  readonly resourceSource?: ResourceSource;
  /** Admission steps, in the order in which they run. */
  readonly admission?: readonly Admission[];
  /** Authenticators. They run while the plugin is served. */
  readonly authenticators?: readonly AuthenticatorDefinition[];
  /** Backends of audit events. They are opened once, at the start. */
  readonly auditBackends?: readonly AuditBackendDefinition[];
  /** Authorizers that `--authorization-mode` can name. */
  readonly authorizers?: readonly AuthorizerDefinition[];
  /** Decides when requests run, in place of the limits on requests in flight. At most one plugin of a server has it. */
  readonly flowControl?: FlowControlDefinition;
  /** Passes requests for group versions on to other servers. At most one plugin has it. */
  readonly delegate?: DelegateDefinition;
  /** Background work of the leader, or of the only server. */
  readonly controllers?: readonly Controller[];
  /** Checks of `/readyz`, `/healthz` and `/livez`. */
  readonly healthChecks?: readonly HealthCheck[];
  /** Tasks that must be done before the server is ready. */
  readonly startHooks?: readonly StartHook[];
  /** Flags of the plugin, made by `defineSetting`. */
  readonly settings?: readonly PluginSetting[];
  /** Counters, gauges and histograms of the plugin, made by `defineMetric`. Recorded through `metric` of a context, served at /metrics. */
  readonly metrics?: readonly MetricDefinition[];
  /** Objects that exist after the start, such as the namespace `default`. The server creates those that are absent. */
  readonly bootstrapObjects?: readonly {
    readonly groupVersion: GroupVersion;
    readonly resource: string;
    readonly namespace?: string;
    readonly object: unknown;
  }[];
}
