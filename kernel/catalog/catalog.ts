/**
 * The catalog: everything that is served, compiled from plugins and configuration. It is an immutable value; the
 * server holds the one in force and swaps it whole. Requests finish on the one that they began with.
 */
import type { Verb } from "../../core/versions.ts";
import type { DecodeReport } from "../../core/derive/decode.ts";
import type { CborItem } from "../../core/codec/cbor/item.ts";
import type { Media } from "../../core/codec/negotiate.ts";
import type { Names } from "../../core/names.ts";
import type { Admission, Plugin, Resource, Served, Subresource } from "../../core/plugin.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { StructNode } from "../../core/schema.ts";
import type { Tree } from "../../core/tree/tree.ts";
import type { GateTable } from "./gates.ts";

/** A resource in its one stored form: what the store holds and hooks see. Shared by every version that shows it. */
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
  /** What the JSON of each object begins with: `{"kind":"ConfigMap","apiVersion":"v1",`. */
  readonly head: string;
  readonly headBytes: Uint8Array;
  /** Compact JSON without a final newline. */
  readonly encode: (object: ApiObject) => string;
  readonly applyDefaults: (object: ApiObject) => ApiObject;
  /** A filled object as it comes back from the store. */
  readonly emptyListsToNil: (object: ApiObject) => ApiObject;
  /** A filled object without the empty maps that its JSON leaves out (`keepsEmpty`). */
  readonly withoutEmptyMaps: (object: ApiObject) => ApiObject;
  /** How values are read that were stored in this version, be it served or not; undefined where the kind has none of that name. */
  readonly storedForm: (apiVersion: string) => StoredForm | undefined;
}

/** What objects can be written to the store as. */
export type StoredEncoding = "json" | "cbor";

/** One version in which values of a kind may lie in the store: an earlier release may have stored another one than we do. */
export interface StoredForm {
  readonly schema: StructNode;
  /** Unknown and duplicate fields pass in silence. */
  readonly decode: (tree: Tree) => ApiObject;
  readonly decodeCbor: (item: CborItem) => ApiObject;
  /** What was decoded to the one form that hooks see, filled. */
  readonly toStored: (object: ApiObject) => ApiObject;
}

/** A subresource of an endpoint, with everything that is derived from its definition. */
export interface EndpointSubresource {
  readonly definition: Subresource;
  /** In alphabetical order. */
  readonly verbs: readonly Verb[];
  /** The kind that discovery and OpenAPI name: of the view, else of the request or the response, else the resource's. */
  readonly shown: Pick<Endpoint, "group" | "version" | "kind">;
  /** The kinds that only this path has, as endpoints without a collection; undefined where the path has the resource's kind. */
  readonly view: Endpoint | undefined;
  readonly request: Endpoint | undefined;
  readonly response: Endpoint | undefined;
}

/** One resource in one version, with everything that is derived from its definition. */
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
  /** The first unknown field is added to `findings`, where given. */
  readonly decodeCbor: (item: CborItem, findings?: string[]) => ApiObject;
  readonly applyDefaults: (object: ApiObject) => ApiObject;
  /** A filled object of this version to the stored form, and back. Identity where the forms are one. */
  readonly toStored: (object: ApiObject) => ApiObject;
  readonly fromStored: (object: ApiObject) => ApiObject;
  /** Text of the Warning header for a deprecated version, or undefined. */
  readonly deprecation: { readonly warning: string; readonly removedRelease: string } | undefined;
}

export interface CatalogVersion {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  /** In the order of plural names. */
  readonly endpoints: readonly Endpoint[];
}
export interface CatalogGroup {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly CatalogVersion[];
}
export interface Catalog {
  readonly names: Names;
  /** Encodings that are spoken. */
  readonly media: Media;
  /** Encodings of errors before a resource is known: authentication, authorization, routing. Never CBOR. */
  readonly earlyMedia: Media;
  /** The encoding in which objects are written to the store; every other is read all the same. */
  readonly storedAs: StoredEncoding;
  readonly gates: GateTable;
  readonly plugins: readonly Plugin[];
  /** In discovery's order; the core group, where served, first. */
  readonly groups: readonly CatalogGroup[];
  /** Every kind, in its one form. */
  readonly kinds: readonly StoredKind[];
  /** Those of them that the store holds. */
  readonly stored: readonly StoredKind[];
  group(name: string): CatalogGroup | undefined;
  version(group: string, version: string): CatalogVersion | undefined;
  endpoint(group: string, version: string, plural: string): Endpoint | undefined;
  /** The steps that writes of a resource go through, in the order of plugins. */
  admission(resource: Resource): readonly Admission[];
  /** Every version that shows a kind, served or not; versions that are long gone are left out. */
  versionsOf(kind: StoredKind): readonly Endpoint[];
}

export interface CatalogConfig {
  readonly names: Names;
  readonly featureGates: ReadonlyMap<string, boolean>;
  /** `--runtime-config`: `group/version`, `group/version/resource` or `api/all|ga|beta|alpha` to on or off, in order. */
  readonly runtimeConfig: ReadonlyMap<string, boolean>;
}

/** Everything that is wrong with plugins and configuration together; the start stops and lists it. */
export class CatalogError extends Error {
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.name = "CatalogError";
    this.mistakes = mistakes;
  }
}
