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
import type { Names } from "../../core/names.ts";
import type { Admission, Plugin, Resource, Served, Subresource } from "../../core/plugin.ts";
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
  /** The rules in the tree of the kind; undefined if it has none. Those of custom resources are run by their own validation. */
  readonly rules: RuleNode | undefined;
  /** The bounds that fields publish; undefined if the kind has none. */
  readonly bounds: ((next: ApiObject, prior: ApiObject | undefined) => readonly FieldError[]) | undefined;
  /** The checks that upstream declares with the types; undefined if the kind has none, or if its rules are not compared. */
  readonly declared: ((next: ApiObject, prior: ApiObject | undefined) => readonly FieldError[]) | undefined;
  /** The mistakes in these rules. */
  readonly ruleMistakes: readonly string[];
  /** First bytes of each object's JSON: `{"kind":"ConfigMap","apiVersion":"v1",`. */
  readonly head: string;
  readonly headBytes: Uint8Array;
  /** Compact JSON without a final newline. */
  readonly encode: (object: ApiObject) => string;
  /** The form of new values in the store: another version than the stored form while that is too new for the oldest compatible release. */
  readonly written: WrittenForm;
  readonly applyDefaults: (object: ApiObject) => ApiObject;
  /** An object with defaults, as it is decoded from the store. */
  readonly emptyListsToNil: (object: ApiObject) => ApiObject;
  /** An object with defaults, without the empty maps that its JSON omits (`keepsEmpty`). */
  readonly withoutEmptyMaps: (object: ApiObject) => ApiObject;
  /** Whether a value of `exactJson` is what decoding its text gives, with defaults, and what `encode` writes as that text. */
  readonly isCanonical: (value: unknown) => value is ApiObject;
  /** Whether stored JSON, with its line break, is known without decoding to be what decoding it, with defaults, and `encode` give. */
  readonly isCanonicalBytes: (value: Uint8Array) => boolean;
  /** Decodes values that were stored in this version, served or not; undefined for a version that the kind does not have. */
  readonly storedForm: (apiVersion: string) => StoredForm | undefined;
}

/** Encodings of objects in the store. */
export type StoredEncoding = "json" | "cbor";

/** The version in which new values of a kind are stored. */
export interface WrittenForm {
  readonly apiVersion: string;
  readonly schema: StructNode;
  /** From the stored form. */
  readonly fromStored: (object: ApiObject) => ApiObject;
  /** Compact JSON of an object of this version. */
  readonly encode: (object: ApiObject) => string;
}

/** A version of stored values of a kind: an earlier release may have stored another version than this one. */
export interface StoredForm {
  readonly schema: StructNode;
  /** Unknown and duplicate fields are ignored. */
  readonly decode: (tree: Tree) => ApiObject;
  readonly decodeCbor: (item: CborItem) => ApiObject;
  /** Converts a decoded object to the stored form, with defaults. */
  readonly toStored: (object: ApiObject) => ApiObject;
}

/** A subresource of an endpoint, with everything derived from its definition. */
export interface EndpointSubresource {
  readonly definition: Subresource;
  /** In alphabetical order. */
  readonly verbs: readonly Verb[];
  /** The kind in discovery and OpenAPI: of the view, else of the request or the response, else the resource's. */
  readonly shown: Pick<Endpoint, "group" | "version" | "kind">;
  /** The kinds of this path only, as endpoints without a collection; undefined if the path has the resource's kind. */
  readonly view: Endpoint | undefined;
  readonly request: Endpoint | undefined;
  readonly response: Endpoint | undefined;
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
  /** Adds the first unknown field to `findings`, if given. */
  readonly decodeCbor: (item: CborItem, findings?: string[]) => ApiObject;
  readonly applyDefaults: (object: ApiObject) => ApiObject;
  /** Converts an object with defaults of this version to the stored form, and back. Identity if the forms are equal. */
  readonly toStored: (object: ApiObject) => ApiObject;
  readonly fromStored: (object: ApiObject) => ApiObject;
  /** Text of the Warning header for a deprecated version, or undefined. */
  readonly deprecation: { readonly warning: string; readonly removedRelease: string } | undefined;
}

export interface CatalogVersion {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  /** Ordered by plural names. */
  readonly endpoints: readonly Endpoint[];
}
export interface CatalogGroup {
  readonly name: string;
  /** The preferred version first. */
  readonly versions: readonly CatalogVersion[];
}
export interface Catalog {
  readonly names: Names;
  /** Supported encodings. */
  readonly media: Media;
  /** Encodings of errors before the resource is known: authentication, authorization, routing. Never CBOR. */
  readonly earlyMedia: Media;
  /** The encoding of new values in the store; values in all encodings can be read. */
  readonly storedAs: StoredEncoding;
  readonly gates: GateTable;
  readonly releases: Releases;
  readonly plugins: readonly Plugin[];
  /** In discovery's order; the core group first, if served. */
  readonly groups: readonly CatalogGroup[];
  /** Every kind in the form in which it is stored. */
  readonly kinds: readonly StoredKind[];
  /** The kinds of `kinds` whose objects are in the store; the others have no objects of their own, such as reviews. */
  readonly stored: readonly StoredKind[];
  group(name: string): CatalogGroup | undefined;
  version(group: string, version: string): CatalogVersion | undefined;
  endpoint(group: string, version: string, plural: string): Endpoint | undefined;
  /** A version of a custom resource without paths for clients, which calls in process can use: the objects of a definition are deleted through it. */
  unserved(group: string, version: string, plural: string): Endpoint | undefined;
  /** Whether the namespace of new objects must exist and must not be terminating: the admission plugin NamespaceLifecycle. */
  readonly checksNamespaces: boolean;
  /** The admission steps of a resource's writes, in order. */
  admission(resource: Resource): readonly Admission[];
  /** By admission step: the requests for which it runs, if not for all. */
  readonly matchConstraints: ReadonlyMap<string, MatchResources>;
  /** Resources that have appeared and are left out because they cannot be compiled, with the errors. */
  readonly unusable: readonly { readonly resource: Resource; readonly error: unknown }[];
  /** Every version of a kind, served or not, except long removed ones. */
  versionsOf(kind: StoredKind): readonly Endpoint[];
}

export interface CatalogConfig {
  readonly names: Names;
  readonly featureGates: ReadonlyMap<string, boolean>;
  /** `--runtime-config`: `group/version`, `group/version/resource` or `api/all|ga|beta|alpha` to enabled or disabled, in order. */
  readonly runtimeConfig: ReadonlyMap<string, boolean>;
  /** Default: those of a server that emulates no other release. */
  readonly releases?: Releases;
  /** `--emulation-forward-compatible`: newer, more stable versions of served beta and GA kinds are served too. Default false. */
  readonly isForwardCompatible?: boolean;
  /** `--runtime-config-emulation-forward-compatible`: `runtimeConfig` can name versions newer than the emulated release. Default false. */
  readonly allowsNewer?: boolean;
  /** Default true. */
  readonly checksNamespaces?: boolean;
  /** By admission step: the requests for which it runs. Default: all. */
  readonly matchConstraints?: ReadonlyMap<string, MatchResources>;
}

/** Every mistake in plugins and configuration; the start fails and lists them. */
export class CatalogError extends Error {
  /** All mistakes, each a sentence without a full stop. */
  readonly mistakes: readonly string[];
  /** `mistakes` become the lines of the message. */
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.name = "CatalogError";
    this.mistakes = mistakes;
  }
}
