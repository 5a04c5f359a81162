/** Aggregated discovery: all groups, versions and resources in one document (apidiscovery/v2). */
import { field, type Infer, list, oneOf, string, type StructNode, structsOf, type Typed } from "../schema.ts";
import { ListMeta, ObjectMeta } from "./object-meta.ts";

const struct = structsOf("apidiscovery/v2");
const meta = structsOf("meta/v1");

export const GroupVersionKind = meta("GroupVersionKind", {
  group: field(1, string, "Group of the kind; empty for the core group.", { written: "always" }),
  version: field(2, string, "Version of the kind.", { written: "always" }),
  kind: field(3, string, "The kind.", { written: "always" }),
}, { doc: "A kind with its group and version." });

export const APISubresourceDiscovery = struct("APISubresourceDiscovery", {
  subresource: field(1, string, "Name of the subresource, without the name of the resource.", { required: true }),
  responseKind: field(2, GroupVersionKind, "Kind of the response.", { pointer: true }),
  acceptedTypes: field(3, list(GroupVersionKind), "Accepted kinds in addition to the response kind."),
  verbs: field(4, list(string), "Supported verbs.", { required: true }),
});
export const APIResourceDiscovery = struct("APIResourceDiscovery", {
  resource: field(1, string, "Plural name, as in paths.", { required: true }),
  responseKind: field(2, GroupVersionKind, "Kind of the objects.", { pointer: true }),
  scope: field(3, oneOf("Cluster", "Namespaced"), "Whether objects are namespaced.", { required: true }),
  singularResource: field(4, string, "Singular name.", { required: true }),
  verbs: field(5, list(string), "Supported verbs.", { required: true }),
  shortNames: field(6, list(string), "Short names for the command line."),
  categories: field(7, list(string), "Groups of resources that this one belongs to, such as all."),
  subresources: field(8, list(APISubresourceDiscovery), "Subresources of the resource."),
});
export const APIVersionDiscovery = struct("APIVersionDiscovery", {
  version: field(1, string, "The version.", { required: true }),
  resources: field(2, list(APIResourceDiscovery), "Resources of the version."),
  freshness: field(3, oneOf("Current", "Stale"), "Whether the entry is up to date."),
});
export type APIVersionDiscovery = Infer<typeof APIVersionDiscovery>;
export const APIGroupDiscovery = struct("APIGroupDiscovery", {
  metadata: field(1, ObjectMeta, "Metadata; the name is that of the group, empty for the core group.", { written: "always" }),
  versions: field(2, list(APIVersionDiscovery), "Versions, the preferred one first."),
});
const List = struct("APIGroupDiscoveryList", {
  metadata: field(1, ListMeta, "Standard list metadata; always empty.", { written: "always" }),
  items: field(2, list(APIGroupDiscovery), "Groups, the preferred one first.", { required: true, made: true }),
});
/** The document, with its kind and version. */
// The fields of a type are those that typeMeta describes.
export const APIGroupDiscoveryList = Object.freeze({ ...List, typeMeta: true }) as Typed<
  { readonly kind: string; readonly apiVersion: string } & Infer<typeof List>,
  StructNode
>;
export type APIGroupDiscoveryList = Infer<typeof APIGroupDiscoveryList>;
