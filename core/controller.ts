/** Controllers and start hooks, which work in the background, and what the plugin contract gives them. */
import type { MetricOf } from "../metrics/mod.ts";
import type { ResourceRule } from "./access.ts";
import type { Shared } from "./allocation.ts";
import type { Api } from "./api.ts";
import type { ServerClock } from "./async.ts";
import type { Peers } from "./peers.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import type { Names } from "./names.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import type { BeginProgress } from "./progress.ts";
import type { GroupVersion } from "./versions.ts";
import type { WorkMeter } from "./work.ts";

/** Returns whether a feature gate is on. Throws for a gate that no plugin declares, because that is a bug. */
export type Gates = (gate: string) => boolean;

/** A resource in a version, as discovery lists it. */
export interface ServedResource {
  /** The API group; "" for the core group. */
  readonly group: string;
  /** The version, such as `v1`. */
  readonly version: string;
  /** The kind of its objects. */
  readonly kind: string;
  /** The lower-case plural, as in paths. */
  readonly plural: string;
  /** The lower-case singular, which kubectl accepts. */
  readonly singular: string;
}
/** A group version that is served. */
export interface ServedVersion {
  /** The API group; "" for the core group. */
  readonly group: string;
  /** The version, such as `v1`. */
  readonly version: string;
  /** The priority of the group in discovery: a group with a higher number comes first. */
  readonly groupPriority: number;
  /** Whether all its kinds are custom ones. */
  readonly isCustom: boolean;
}
/** The versions of a resource of a plugin. */
export interface StoredResource {
  /** The API group; "" for the core group. */
  readonly group: string;
  /** The lower-case plural, as in paths. */
  readonly plural: string;
  /** The group version in which new objects are stored. */
  readonly encodingVersion: string;
  /** The group versions that can be read from the store. */
  readonly decodableVersions: readonly string[];
  /** The group versions of this group that are served, in alphabetical order. */
  readonly servedVersions: readonly string[];
}
/** The types that are served now, including custom kinds. */
export interface ServedTypes {
  /** Returns all group versions in the order of discovery. */
  versions(): readonly ServedVersion[];
  /** Returns the resources of a version, such as `v1`, in one group, or in all groups. */
  resources(version: string, group?: string): readonly ServedResource[];
  /** Returns the schema of a kind, with the types that OpenAPI documents publish; undefined for a kind that is not served. */
  schemaOf(kind: Pick<ServedResource, "group" | "version" | "kind">): StructuralSchema | undefined;
  /** Returns the served resources whose objects are stored, without custom ones. */
  stored(): readonly StoredResource[];
}

/** The machine on which the server runs. */
export interface Machine {
  /** The host name. */
  readonly name: string;
  /**
   * The IP addresses of the network interfaces: first those of the interfaces of the default routes, where these can be read (on Linux), then the others in
   * the order of the system, without those of the loopback interface.
   */
  addresses(): readonly string[];
}

/**
 * What a controller gets: the API, with the same rules as for any client, and its log and metrics. Every member is always there;
 * `fakeContext` of `thole/testing` makes one for a test.
 */
export interface ControllerContext {
  /** The names that replace `{domain}` and `{platform}`. */
  readonly names: Names;
  /** The time of the server, and its timers. A test may advance it. */
  readonly clock: ServerClock;
  /** The API in process. Its rights are those of the controller's `serviceAccount`. */
  readonly api: Api;
  /** The recorder of a metric that the plugin declares in `metrics`. Throws for any other. */
  readonly metric: MetricOf;
  /** Records events about objects. Their reporting controller is the name of the controller or start hook. */
  readonly events: EventRecorder;
  /** The state of the feature gates. */
  readonly gates: Gates;
  /**
   * Returns whether a plugin declares this resource, whether it is served or not. Also true if a custom resource with these names would
   * have the same place in the store.
   */
  readonly isDeclared: (group: string, plural: string) => boolean;
  /** The types that are served. */
  readonly types: ServedTypes;
  /** The work meter of the controller, which records the metrics of its queues. That of a start hook counts nothing. */
  readonly work: WorkMeter;
  /** Logs an error: a sentence without secrets, and the error. */
  readonly logError: (sentence: string, error?: unknown) => void;
  /** The machine on which the server runs. */
  readonly machine: Machine;
  /** Reads the settings in force. */
  readonly setting: Shared["setting"];
  /** Reaches other servers. */
  readonly peers: Peers;
  /** Values in the store that are no objects. */
  readonly records: Shared["records"];
  /** Shows the progress of long work to the operator. The text is such as `migrating widgets`. */
  readonly progress: BeginProgress;
  /** The CA certificates, as PEM, with which clients in the cluster verify the server. Undefined if none are published. */
  readonly rootCertificates: string | undefined;
  /** Resolves with the CAs of clients and of front proxies that the settings name, as PEM; "" for none. Rejects if a file cannot be used. */
  readonly clientTrust: () => Promise<{ readonly clientCa: string; readonly frontProxyCa: string }>;
  /**
   * Issues a token without expiration, which is accepted while the named Secret of the account's namespace contains it. Undefined if the
   * server issues none.
   */
  readonly issueLegacyToken: IssueLegacyToken | undefined;
  /** Signs a certificate by the server's own CA, whose client certificates the server accepts. Undefined without a listener. */
  readonly signCertificate: SignCertificate | undefined;
}

/** Resolves with a certificate, as PEM. It ends with the CA at the latest. */
export type SignCertificate = (granted: {
  /** The subject, as DER. */
  readonly subject: Uint8Array;
  /** The public key with its algorithm, as DER. */
  readonly publicKeyInfo: Uint8Array;
  /** The value of the extension of alternative names, as DER; undefined for none. */
  readonly alternativeNames?: Uint8Array | undefined;
  /** The numbers of the bits of the key usage (RFC 5280, 4.2.1.3). */
  readonly keyUsage: readonly number[];
  /** The extended key usages, dotted. */
  readonly extendedKeyUsages: readonly string[];
  /** The time from which on it is valid, in milliseconds since 1970. */
  readonly notBefore: number;
  /** The time of its end, in milliseconds since 1970. */
  readonly notAfter: number;
}) => Promise<string>;

/** Issues a token of a service account for the Secret of that name, which is in the account's namespace. */
export type IssueLegacyToken = (
  namespace: string,
  account: { readonly name: string; readonly uid: string },
  secretName: string,
) => Promise<string>;

/** The content of an event about an object, for `EventRecorder.record`. */
export interface EventNews {
  /** `Warning` if an operator should look at it, else `Normal`. */
  readonly type: "Normal" | "Warning";
  /** The reason, in upper camel case and at most 128 bytes, such as `Scaled`. */
  readonly reason: string;
  /** The action that was done or has failed, in upper camel case and at most 128 bytes, such as `Scaling`. */
  readonly action: string;
  /** A sentence for people. It is cut to 1024 bytes. */
  readonly note: string;
  /** A further object that the event concerns. */
  readonly related?: ApiObject;
  /** The name in `reportingController`, if clients know the work by another name than the controller's. */
  readonly controller?: string;
}
/** Records events (`events.{domain}/v1`), as client-go's recorder does. */
export interface EventRecorder {
  /**
   * Records an event about `object`, in its namespace or in `default`. It is written in the background; repetitions within six minutes
   * become a series. Never throws: an event that the API rejects is logged and lost. It has no effect if events are not served.
   */
  record(object: ApiObject, news: EventNews): void;
}

/** A resource that a controller needs, in at least one of `groupVersions`. */
export interface ControllerNeed {
  /** The plural of the resource. */
  readonly resource: string;
  /** Group versions, which may contain `{domain}`. It is enough if one of them is served. */
  readonly groupVersions: readonly GroupVersion[];
}

/** Background work. `run` lasts until the signal aborts; an error restarts it after a pause. */
export interface Controller {
  /**
   * The name: lower-case letters, digits and dashes, such as `widget-scaler`. It is unique among all plugins, and shown in the log, in
   * metrics and in events.
   */
  readonly name: string;
  /** The feature gate without which the controller does not run. */
  readonly gate?: string;
  /** Whether the setting `controllers` cannot leave it out. Of the built-in ones those that every kube-apiserver runs, and the simulation. */
  readonly isRequired?: boolean;
  /** The resources without which the controller does not run. */
  readonly needs?: readonly ControllerNeed[];
  /** The owner of the fields that the controller writes, in metadata.managedFields; at most 128 bytes. Default: `name`. */
  readonly fieldManager?: string;
  /**
   * The service account of `kube-system` for its writes, such as `namespace-controller`: its requests are authorized like those of any
   * client. Its reads use the user `system:kube-controller-manager`, which may read everything. `permissions` are the rights of the
   * account; without them roles or other authorizers must grant its rights. Default: the controller is a member of `system:masters`. This
   * is also so if no plugin has the authorizer RBAC.
   */
  readonly serviceAccount?: string;
  /**
   * The rights of `serviceAccount`. While RBAC is served, they are stored as the ClusterRole `system:controller:<serviceAccount>` with a
   * ClusterRoleBinding of the same name. API groups may contain `{domain}`.
   */
  readonly permissions?: readonly ResourceRule[];
  /** Works until `signal` aborts, then resolves. If it rejects, the error is logged and `run` is called again after a growing pause. */
  run(world: ControllerContext, signal: AbortSignal): Promise<void>;
}

/** A task that runs once after the start, such as filling a cache of the plugin. Until it has succeeded, the server is not ready
 *  (`poststarthook/<name>`), and not alive after --livez-grace-period. An error restarts it after a pause. */
export interface StartHook {
  /** The name in `poststarthook/<name>`, unique among all plugins. */
  readonly name: string;
  /** The names of its health checks. Default: `poststarthook/<name>`. */
  readonly checks?: readonly string[];
  /** The owner of the fields that the task writes, in metadata.managedFields; at most 128 bytes. Default: `name`. */
  readonly fieldManager?: string;
  /**
   * Holds the writes of clients back until the task has succeeded, if the gate is on: they are answered with 503. `own`: the resource that the task itself
   * writes, such as `storageversions.internal.apiserver.{domain}`. Writes of custom resources, of kinds that are not stored and of other servers are not held.
   */
  readonly holdsWrites?: { readonly gate: string; readonly own: string };
  /** Does the task and resolves. If it rejects, the error is logged and `run` is called again after a pause. */
  run(world: ControllerContext, signal: AbortSignal): Promise<void>;
  /** Works on every server after `run`, with or without leadership, until the signal aborts. Must not reject. */
  follow?(world: ControllerContext, signal: AbortSignal): Promise<void>;
}
