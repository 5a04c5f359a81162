/** Discovery documents: groups, versions and resources, derived from the catalog. */
import type { APIGroupDiscoveryList } from "../../../core/meta/discovery.ts";
import type { APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions } from "../../../core/meta/options.ts";
import type { Infer } from "../../../core/schema.ts";
import type { Catalog, CatalogGroup, CatalogVersion, Endpoint, EndpointSubresource } from "../../catalog/catalog.ts";
import type { Verb } from "../../../core/versions.ts";

type Resource = Infer<typeof APIResource>;

/** The document at `/api`. `address` is the server's own host and port. */
export function apiVersions(catalog: Catalog, address: string): Infer<typeof APIVersions> {
  return {
    kind: "APIVersions",
    versions: catalog.group("")?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** The document at `/apis`. */
export function apiGroupList(catalog: Catalog): Infer<typeof APIGroupList> {
  return { kind: "APIGroupList", apiVersion: "v1", groups: catalog.groups.filter(({ name }) => name !== "").map(groupBody) };
}

/** The document at `/apis/GROUP`. */
export function apiGroup(group: CatalogGroup): Infer<typeof APIGroup> {
  return { kind: "APIGroup", apiVersion: "v1", ...groupBody(group) };
}

function groupBody({ name, versions }: CatalogGroup): Infer<typeof APIGroup> {
  const named = versions.map(({ apiVersion, version }) => ({ groupVersion: apiVersion, version }));
  return { name, versions: named, preferredVersion: named[0]! };
}

/** The document at `/api/v1` or `/apis/GROUP/VERSION`. As upstream, the one of the core group has no apiVersion. */
export async function apiResourceList(
  { group, apiVersion, endpoints }: CatalogVersion,
  { gates }: Pick<Catalog, "gates">,
): Promise<Infer<typeof APIResourceList>> {
  const hashed = gates.isOn("StorageVersionHash");
  const resources = await Promise.all(endpoints.map((endpoint) => resourcesOf(endpoint, hashed)));
  return { kind: "APIResourceList", ...(group === "" ? {} : { apiVersion: "v1" }), groupVersion: apiVersion, resources: resources.flat() };
}

async function resourcesOf(endpoint: Endpoint, hashed: boolean): Promise<readonly Resource[]> {
  const { plural, singular, namespaced, kind, resource } = endpoint, verbs = verbsOf(endpoint);
  const own: Resource = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(resource.shortNames === undefined ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories === undefined ? {} : { categories: resource.categories }),
    ...(hashed && resource.storedUnder !== undefined ? { storageVersionHash: await storageVersionHash(endpoint) } : {}),
  };
  const parts = partsOf(endpoint).map(([name, { shown, verbs }]): Resource => ({
    name: `${plural}/${name}`,
    singularName: "",
    namespaced,
    ...(isOwnVersion(endpoint, shown) ? {} : { group: shown.group, version: shown.version }),
    kind: shown.kind,
    verbs,
  }));
  return [own, ...parts];
}

/** Upstream's order of the verbs of custom resources; those of other resources are sorted. */
const customVerbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const terminatingVerbs: readonly Verb[] = customVerbs.filter((verb) => !["patch", "create", "update"].includes(verb));

function verbsOf({ resource, verbs }: Endpoint): readonly Verb[] {
  return resource.custom !== true ? verbs : resource.isTerminating?.() ? terminatingVerbs : customVerbs;
}
/** The names of the custom resources whose definitions are being deleted. They change without a new catalog. */
export function terminatingNames({ groups }: Catalog): string {
  const all = groups.flatMap(({ versions }) => versions).flatMap(({ endpoints }) => endpoints);
  return all.filter(({ resource }) => resource.isTerminating?.()).map(({ plural, apiVersion }) => `${apiVersion}/${plural}`).join();
}

/** The subresources by name; of custom resources the status comes first. */
function partsOf({ resource, subresources }: Endpoint): readonly (readonly [string, EndpointSubresource])[] {
  return resource.custom === true ? [...subresources].reverse() : [...subresources];
}

/** Group and version of a kind are omitted if they equal those of the path. */
function isOwnVersion({ group, version }: Endpoint, shown: Pick<Endpoint, "group" | "version">): boolean {
  return shown.group === group && shown.version === version;
}

/** Upstream's hash of the stored group, version and kind. It changes with the stored version of a resource. */
async function storageVersionHash({ stored, kind }: Endpoint): Promise<string> {
  const { conversion } = stored.resource;
  const apiVersion = conversion?.storedAs ?? stored.written.apiVersion;
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${version}/${kind}`));
  return btoa(String.fromCharCode(...new Uint8Array(digest, 0, 8)));
}

/**
 * The aggregated document of `/api` (core) or `/apis` (other groups). Built-in kinds omit group and version of the response kind: they
 * equal those of the path.
 */
export function aggregatedGroups(catalog: Catalog, core: boolean): APIGroupDiscoveryList {
  // A version that is registered, but that no server has, is shown at `/apis` only.
  const groups = catalog.groups.filter(({ name }) => (name === "") === core)
    .map(({ name, versions }) => ({
      name,
      versions: versions.filter(({ endpoints, remote }) => endpoints.length > 0 || remote !== undefined),
    }))
    .filter(({ versions }) => versions.length > 0);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.${catalog.names.domain}/v2`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map(({ version, endpoints, remote = { resources: endpoints.map(aggregatedResource), freshness: "Current" } }) => ({
        version,
        ...remote,
      })),
    })),
  };
}

function aggregatedResource(endpoint: Endpoint) {
  const { kind, plural, singular, namespaced, resource } = endpoint, verbs = verbsOf(endpoint);
  // Custom resources name group and version of the response kind.
  const own = resource.custom ? { group: endpoint.group, version: endpoint.version } : { group: "", version: "" };
  const parts = partsOf(endpoint).map(([subresource, { shown, verbs }]) => ({
    subresource,
    responseKind: isOwnVersion(endpoint, shown) ? { ...own, kind: shown.kind } : shown,
    verbs,
  }));
  return {
    resource: plural,
    responseKind: { ...own, kind },
    scope: namespaced ? "Namespaced" as const : "Cluster" as const,
    singularResource: singular,
    verbs,
    ...(resource.shortNames === undefined ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories === undefined ? {} : { categories: resource.categories }),
    ...(parts.length === 0 ? {} : { subresources: parts }),
  };
}
