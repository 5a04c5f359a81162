/** Compiles the subresources of a resource in one version. */
import { verbsOfSubresource } from "../../core/define/resource.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Resource, Served } from "../../core/plugin.ts";
import type { Subresource, SubresourceKind } from "../../core/subresource.ts";
import type { Verb } from "../../core/versions.ts";
import type { Endpoint, EndpointSubresource } from "./catalog.ts";

/** The fields of the parent's endpoint that subresources inherit. */
export type Parent = Pick<Endpoint, "group" | "version" | "kind" | "plural" | "resource">;

/** Compiles a kind without a collection to an endpoint. `resource` is a resource that was made for this kind. */
export type CompileKind = (resource: Resource) => Endpoint;

/** Compiles the subresources. A stored kind with a top-level `status` has the status subresource; `served` adds others, or replaces it. */
export function subresourcesOf(parent: Parent, served: Served, compile: CompileKind): ReadonlyMap<string, EndpointSubresource> {
  const declared = Object.entries(served.subresources ?? {});
  const hasStatus = parent.resource.storedUnder !== undefined && served.statusSubresource !== false;
  if (hasStatus && Object.hasOwn(served.schema.fields, "status") && !Object.hasOwn(served.subresources ?? {}, "status")) {
    declared.push(["status", statusSubresource]);
  }
  const sorted = declared.toSorted(([a], [b]) => a < b ? -1 : 1);
  return new Map(sorted.map(([name, definition]) => [name, compileSubresource(parent, definition, compile)]));
}

function compileSubresource(parent: Parent, definition: Subresource, compile: CompileKind): EndpointSubresource {
  const endpointOf = (kind: SubresourceKind | undefined) => kind === undefined ? undefined : compile(resourceOf(parent, kind));
  const view = endpointOf(definition.view);
  const request = endpointOf(definition.create?.request), response = endpointOf(definition.create?.response);
  const { connect } = definition, options = endpointOf(connect?.options);
  const { group, version, kind } = view ?? request ?? response ?? (connect?.isRead ? parent : options) ?? parent;
  const verbs = verbsOfSubresource(definition).toSorted() as readonly Verb[]; // defineResource has checked this
  return Object.freeze({ definition, verbs, shown: { group, version, kind }, view, request, response, options });
}

/** Makes a resource that is never stored. It has the parent's plural, for messages and metrics. */
function resourceOf({ plural, resource }: Parent, { groupVersion, alsoIn = [], schema, columns }: SubresourceKind): Resource {
  const served: Served = { schema, introduced: "1.0", ...(columns === undefined ? {} : { columns }) };
  return {
    kind: schema.name,
    plural,
    scope: resource.scope,
    summary: resource.summary,
    storedAs: groupVersion,
    served: Object.fromEntries([groupVersion, ...alsoIn].map((version) => [version, served])),
    handleCreate: (object) => object,
  };
}

const statusSubresource: Subresource = Object.freeze({
  /** Metadata and status are those of the request; the rest is the stored object's. */
  write: (next: ApiObject & { status?: unknown }, prior: ApiObject & { status?: unknown }) => {
    const { status: _old, ...rest } = prior;
    return next.status === undefined ? { ...rest, metadata: next.metadata } : { ...rest, metadata: next.metadata, status: next.status };
  },
});
