/** The roots of the components of OpenAPI documents: kinds, their lists, and the types of the API itself. */
import type { GroupVersionKind, OpenapiRoot } from "../derive/openapi.ts";
import { componentName } from "../derive/openapi.ts";
import { ListMeta } from "../meta/object-meta.ts";
import { APIGroup, APIGroupList, APIResourceList, APIVersions, DeleteOptions, Patch, WatchEvent } from "../meta/options.ts";
import { Status } from "../meta/status.ts";
import { VersionInfo } from "../meta/version-info.ts";
import { spell } from "../names.ts";
import { field, plainList, struct, type StructNode } from "../schema.ts";
import { splitGroupVersion } from "../versions.ts";
import type { DescribedCatalog, DescribedEndpoint, DescribedKind } from "./described-catalog.ts";

const root = (node: StructNode): OpenapiRoot => ({ node, home: "v1" });
/** Types that every group version uses. */
export const metaRoots = Object.freeze({
  APIGroup: root(APIGroup),
  APIGroupList: root(APIGroupList),
  APIResourceList: root(APIResourceList),
  APIVersions: root(APIVersions),
  DeleteOptions: root(DeleteOptions),
  Patch: root(Patch),
  Status: root(Status),
  VersionInfo: root(VersionInfo),
  WatchEvent: root(WatchEvent),
});

export function objectRoot({ schema, apiVersion }: DescribedKind): OpenapiRoot {
  return { node: schema, home: apiVersion };
}

/** Returns the list of a kind, for which there is no definition. */
export function listRoot({ schema, listKind, kind, apiVersion }: DescribedEndpoint): OpenapiRoot {
  const list = struct(listKind, {
    metadata: field(1, ListMeta, "Metadata of the list.", { written: "always" }),
    items: field(2, plainList(schema), "The objects.", { required: true }),
  }, { doc: `A list of objects of kind ${kind}.`, ...(schema.package === undefined ? {} : { package: schema.package }) });
  return { node: { ...list, typeMeta: true, ...(schema.custom === undefined ? {} : { custom: schema.custom }) }, home: apiVersion };
}

/** The kinds of a component. */
export type KindsOf = (component: string) => readonly GroupVersionKind[];

/** Kinds by the component's name. One component may be served in several group versions. */
export function kindsOf(catalog: DescribedCatalog): KindsOf {
  const { names } = catalog;
  const kinds = new Map<string, GroupVersionKind[]>();
  const add = ({ node, home }: OpenapiRoot, kind: GroupVersionKind) => {
    const name = componentName(node, home, names);
    const known = kinds.get(name) ?? [];
    const isKnown = known.some((each) => each.group === kind.group && each.version === kind.version && each.kind === kind.kind);
    if (!isKnown) kinds.set(name, [...known, kind]);
  };
  for (const name of ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"] as const) {
    add(metaRoots[name], { group: "", version: "v1", kind: name });
  }
  for (const { group, version } of knownVersions(catalog)) {
    add(metaRoots.DeleteOptions, { group, version, kind: "DeleteOptions" });
    add(metaRoots.WatchEvent, { group, version, kind: "WatchEvent" });
  }
  for (const endpoint of catalog.groups.flatMap(({ versions }) => versions).flatMap(({ endpoints }) => endpoints)) {
    const { group, version, kind, listKind } = endpoint;
    add(objectRoot(endpoint), { group, version, kind });
    if (endpoint.verbs.includes("list")) add(listRoot(endpoint), { group, version, kind: listKind });
    for (const { view, request, response } of endpoint.subresources.values()) {
      for (const own of [view, request, response]) {
        if (own !== undefined) add(objectRoot(own), { group: own.group, version: own.version, kind: own.kind });
      }
    }
  }
  return (component) => kinds.get(component) ?? [];
}

/** Every group version of the definitions, served or not: delete options and watch events exist in each. */
function knownVersions({ plugins, names }: DescribedCatalog): readonly { readonly group: string; readonly version: string }[] {
  const declared = plugins.flatMap(({ resources }) => resources ?? []).filter(({ custom }) => custom !== true);
  const written = declared.flatMap(({ served }) => Object.keys(served));
  const spelled = new Set(["v1", ...written.map((groupVersion) => spell(names, groupVersion))]);
  const order = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;
  return [...spelled].map(splitGroupVersion).toSorted((a, b) => order(a.group, b.group) || order(a.version, b.version));
}
