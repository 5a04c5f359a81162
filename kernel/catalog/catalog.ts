/**
 * The catalog: everything that is served, compiled from plugins and configuration. It is an immutable value; the server replaces the active
 * one as a whole. Requests in flight finish with the catalog of their start.
 */
import type { MatchResources } from "../../core/admission/matching.ts";
import type { Verb } from "../../core/versions.ts";
import type { FieldError } from "../../core/field-error.ts";
import type { DecodeReport } from "../../core/derive/decode.ts";
import type { CborItem } from "../../core/codec/cbor/item.ts";
import type { RuleNode } from "../../cel/schema/validator.ts";
import type { Media } from "../../core/codec/negotiate.ts";
import type { APIVersionDiscovery } from "../../core/meta/discovery.ts";
import type { Names } from "../../core/names.ts";
import type { Admission, Plugin, Resource, Served } from "../../core/plugin.ts";
import type { Subresource } from "../../core/subresource.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { StructNode } from "../../core/schema.ts";
import type { Tree } from "../../core/tree/tree.ts";
import type { Releases } from "../../core/releases.ts";
import type { GateTable } from "../../core/released/gates.ts";

/** A resource in its stored form, which the store contains and hooks receive. All served versions share it. */
export interface StoredKind {
  readonly resource: Resource;
  /** `apiVersion` of the stored form. */
  readonly apiVersion: string;
  readonly group: string;
  /** Plural resource name, for messages and metrics. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Key segments below the store's prefix, without slashes at either end; empty for a kind that is never stored. */
  readonly under: string;
  readonly schema: StructNode;
  /**
   * The rules in the tree of the kind; undefined if it has none. Rules of custom resources are not here: the validation of custom resources
   * runs them.
   */
  readonly rules: RuleNode | undefined;
  /** Checks the bounds that fields publish; undefined if the kind has none. */
  readonly bounds: ((next: ApiObject, prior: ApiObject | undefined) => readonly FieldError[]) | undefined;
  /** Runs the checks that upstream declares with the types. Undefined if the kind has none, or if its rules are not compared. */
  readonly declared: ((next: ApiObject, prior: ApiObject | undefined) => readonly FieldError[]) | undefined;
  /** The mistakes in these rules, one text for each. */
  readonly ruleMistakes: readonly string[];
  /** First bytes of each object's JSON: `{"kind":"ConfigMap","apiVersion":"v1",`. */
  readonly head: string;
  readonly headBytes: Uint8Array;
  /** Writes an object as compact JSON without a final newline. */
  readonly encode: (object: ApiObject) => string;
  /**
   * The version in which new values are stored. It is not that of the stored form while that one is too new for the oldest compatible
   * release.
   */
  readonly written: WrittenForm;
  readonly applyDefaults: (object: ApiObject) => ApiObject;
  /** Returns an object with defaults as it would be decoded from the store. */
  readonly emptyListsToNil: (object: ApiObject) => ApiObject;
  /** Returns an object with defaults, without the empty maps that its JSON omits (`keepsEmpty`). */
  readonly withoutEmptyMaps: (object: ApiObject) => ApiObject;
  /** Whether a value of `exactJson` equals the object that its text decodes to, with defaults, and `encode` writes that same text. */
  readonly isCanonical: (value: unknown) => value is ApiObject;
  /**
   * Whether it is known without decoding that `encode`, applied to the decoded object with defaults, would give this same JSON. The stored
   * JSON includes its line break. `onRead` gets the object, if it had to be made.
   */
  readonly isCanonicalBytes: (value: Uint8Array, onRead?: (object: ApiObject) => void) => boolean;
  /** Decodes values that were stored in this version, served or not; undefined for a version that the kind does not have. */
  readonly storedForm: (apiVersion: string) => StoredForm | undefined;
}

/** How objects are encoded in the store. */
export type StoredEncoding = "json" | "cbor";

/** The version in which new values of a kind are stored. */
export interface WrittenForm {
  readonly apiVersion: string;
  readonly schema: StructNode;
  /** Converts an object from the stored form to this version. */
  readonly fromStored: (object: ApiObject) => ApiObject;
  /** Writes an object of this version as compact JSON. */
  readonly encode: (object: ApiObject) => string;
}

/** A version of stored values of a kind: an earlier release may have stored another version than this one. */
export interface StoredForm {
  readonly schema: StructNode;
  /** Reads an object of this version. Unknown and duplicate fields are ignored. */
  readonly decode: (tree: Tree) => ApiObject;
  readonly decodeCbor: (item: CborItem) => ApiObject;
  /** Converts a decoded object to the stored form, with defaults. */
  readonly toStored: (object: ApiObject) => ApiObject;
}

/** A subresource of an endpoint, with everything derived from its definition. */
export interface EndpointSubresource {
  readonly definition: Subresource;
  /** The verbs of the subresource, in alphabetical order. */
  readonly verbs: readonly Verb[];
  /**
   * The kind that discovery and OpenAPI show: the view's if there is one, else that of the request or the response, else the resource's.
   */
  readonly shown: Pick<Endpoint, "group" | "version" | "kind">;
  /** The kinds of this path only, as endpoints without a collection; undefined if the path has the resource's kind. */
  readonly view: Endpoint | undefined;
  readonly request: Endpoint | undefined;
  readonly response: Endpoint | undefined;
  /** The kind of the options of a subresource that connects. */
  readonly options: Endpoint | undefined;
}

/** One resource in one version, with everything derived from its definition. */
export interface Endpoint {
  readonly group: string;
  readonly version: string;
  /** `version` or `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly resource: Resource;
  readonly served: Served;
  readonly stored: StoredKind;
  readonly subresources: ReadonlyMap<string, EndpointSubresource>;
  readonly schema: StructNode;
  readonly encode: (object: ApiObject) => string;
  readonly decode: (tree: Tree, report: DecodeReport) => ApiObject;
  /** Reads an object from CBOR. Adds the first unknown field to `findings`, if given. */
  readonly decodeCbor: (item: CborItem, findings?: string[]) => ApiObject;
  readonly applyDefaults: (object: ApiObject) => ApiObject;
  /** Converts an object with defaults of this version to the stored form, and back. Returns the object itself if the forms are equal. */
  readonly toStored: (object: ApiObject) => ApiObject;
  readonly fromStored: (object: ApiObject) => ApiObject;
  /** The text of the Warning header for a deprecated version; undefined for other versions. */
  readonly deprecation: { readonly warning: string; readonly removedRelease: string } | undefined;
}

export interface CatalogVersion {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  /** The endpoints of this version, in the order of their plural names. */
  readonly endpoints: readonly Endpoint[];
  /** Present in a catalog for discovery, if another server has the version. */
  readonly remote?: RemoteVersion;
}
/** What aggregated discovery shows of a version of another server. */
export type RemoteVersion = Pick<Required<APIVersionDiscovery>, "freshness" | "resources">;
export interface CatalogGroup {
  readonly name: string;
  /** The versions of this group, the preferred one first. */
  readonly versions: readonly CatalogVersion[];
}
export interface Catalog {
  readonly names: Names;
  /** The encodings that requests and responses may have. */
  readonly media: Media;
  /**
   * The encodings of errors that occur before the resource is known: in authentication, authorization or routing. CBOR is not among them.
   */
  readonly earlyMedia: Media;
  /** The encoding of new values in the store; values in all encodings can be read. */
  readonly storedAs: StoredEncoding;
  readonly gates: GateTable;
  readonly releases: Releases;
  readonly plugins: readonly Plugin[];
  /** The groups in the order of discovery. The core group is first, if it is served. */
  readonly groups: readonly CatalogGroup[];
  /** Every kind, as the store has it. */
  readonly kinds: readonly StoredKind[];
  /** The kinds of `kinds` whose objects are in the store; the others have no objects of their own, such as reviews. */
  readonly stored: readonly StoredKind[];
  group(name: string): CatalogGroup | undefined;
  version(group: string, version: string): CatalogVersion | undefined;
  endpoint(group: string, version: string, plural: string): Endpoint | undefined;
  /**
   * Returns a version of a custom resource that has no paths for clients. Calls in the process use it to delete the objects of a
   * definition.
   */
  unserved(group: string, version: string, plural: string): Endpoint | undefined;
  /** Whether the namespace of new objects must exist and must not be terminating: the admission plugin NamespaceLifecycle. */
  readonly checksNamespaces: boolean;
  /** The admission steps of a resource's writes, in order. */
  admission(resource: Resource): readonly Admission[];
  /** The requests for which an admission step runs, by name of the step. A step that is absent runs for all. */
  readonly matchConstraints: ReadonlyMap<string, MatchResources>;
  /** The configurations of admission steps by name. */
  readonly configurations: ReadonlyMap<string, unknown>;
  /** Resources that have appeared but cannot be compiled, with the errors. They are not served. */
  readonly unusable: readonly { readonly resource: Resource; readonly error: unknown }[];
  /** Returns every version of a kind, served or not, except those removed long ago. */
  versionsOf(kind: StoredKind): readonly Endpoint[];
}

export interface CatalogConfig {
  readonly names: Names;
  readonly featureGates: ReadonlyMap<string, boolean>;
  /** `--runtime-config`: `group/version`, `group/version/resource` or `api/all|ga|beta|alpha` to enabled or disabled, in order. */
  readonly runtimeConfig: ReadonlyMap<string, boolean>;
  /** The releases that the server emulates and supports. Default: those of a server that emulates no other release. */
  readonly releases?: Releases;
  /** `--emulation-forward-compatible`: newer, more stable versions of served beta and GA kinds are served too. Default false. */
  readonly isForwardCompatible?: boolean;
  /** `--runtime-config-emulation-forward-compatible`: `runtimeConfig` can name versions newer than the emulated release. Default false. */
  readonly allowsNewer?: boolean;
  /** Whether the namespace of new objects must exist; default true. */
  readonly checksNamespaces?: boolean;
  /** The requests for which an admission step runs, by name of the step. Default: all requests. */
  readonly matchConstraints?: ReadonlyMap<string, MatchResources>;
  /** The configurations of admission steps by name. Default: none. */
  readonly configurations?: ReadonlyMap<string, unknown>;
}

/** Every mistake in plugins and configuration; the start fails and lists them. */
export class CatalogError extends Error {
  /** All mistakes, each a sentence without a full stop. */
  readonly mistakes: readonly string[];
  /** Makes the error; each of the `mistakes` becomes a line of its message. */
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.name = "CatalogError";
    this.mistakes = mistakes;
  }
}
