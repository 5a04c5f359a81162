/** What OpenAPI documents describe: the served resources, as far as documents depend on them. The catalog of a server has this shape. */
import type { SubresourceConnect } from "../connect.ts";
import type { Media } from "../codec/negotiate.ts";
import type { Names } from "../names.ts";
import type { Plugin, Resource } from "../plugin.ts";
import type { StructNode } from "../schema.ts";
import type { Verb } from "../versions.ts";

export interface DescribedCatalog {
  readonly names: Names;
  readonly media: Media;
  readonly gates: { isOn(name: string): boolean };
  readonly plugins: readonly Plugin[];
  readonly groups: readonly DescribedGroup[];
}

export interface DescribedGroup {
  readonly name: string;
  readonly versions: readonly DescribedVersion[];
}

/** A group version. It is immutable, so that its parts of documents can be kept by its identity. */
export interface DescribedVersion {
  readonly group: string;
  readonly version: string;
  readonly endpoints: readonly DescribedEndpoint[];
}

/** A kind in one version. */
export interface DescribedKind {
  readonly group: string;
  readonly version: string;
  /** `version` or `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: StructNode;
}

/** A resource in one version. */
export interface DescribedEndpoint extends DescribedKind {
  readonly listKind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly resource: Resource;
  readonly subresources: ReadonlyMap<string, DescribedSubresource>;
}

export interface DescribedSubresource {
  readonly verbs: readonly Verb[];
  /** The kind of the operations. */
  readonly shown: Pick<DescribedKind, "group" | "version" | "kind">;
  /** The kinds of this path only; undefined if the path has the resource's kind. */
  readonly view: DescribedKind | undefined;
  readonly request: DescribedKind | undefined;
  readonly response: DescribedKind | undefined;
  /** The kind of the options of a subresource that connects. */
  readonly options: DescribedKind | undefined;
  readonly definition: { readonly connect?: Pick<SubresourceConnect, "methods" | "hasPath" | "isRead"> | undefined };
}
