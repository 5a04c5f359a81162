/** The groups of discovery: those that this server has, and those that are registered. */
import type { RegisteredVersion } from "../../core/delegate.ts";
import { groupPriorities } from "../../core/define/group-priorities.ts";
import { compareVersions } from "../../core/versions.ts";
import type { Catalog, CatalogGroup, CatalogVersion, RemoteVersion } from "../../kernel/catalog/catalog.ts";

/**
 * Returns a catalog for discovery: a version of another server has the resources that `described` returns, in place of those of this server. A
 * version that no server has is shown without resources. Groups and versions are in the order of their priorities. If nothing differs, the catalog itself.
 */
export function mergedCatalog(
  catalog: Catalog,
  registered: readonly RegisteredVersion[],
  described: (version: RegisteredVersion) => RemoteVersion,
): Catalog {
  const byGroup = Map.groupBy(registered, ({ group }) => group), own = new Set(catalog.groups.map(({ name }) => name));
  const merged = [...own, ...[...byGroup.keys()].filter((each) => !own.has(each))].map((name) =>
    mergedGroup(name, catalog.group(name), byGroup.get(name) ?? [], described)
  );
  const builtIn = groupPriorities(catalog.plugins, catalog.names);
  // The highest of its versions counts.
  const priorityOf = (name: string) =>
    byGroup.get(name)?.reduce((highest, { groupPriority }) => Math.max(highest, groupPriority), 0) ?? builtIn(name);
  // The group of the registrations has none itself, and comes first.
  const groups = merged.toSorted((a, b) => priorityOf(b.name) - priorityOf(a.name) || (a.name < b.name ? -1 : 1));
  if (groups.length === catalog.groups.length && groups.every((each, i) => each === catalog.groups[i])) return catalog;
  const byName = new Map(groups.map((each) => [each.name, each]));
  return {
    ...catalog,
    groups,
    group: (name) => byName.get(name),
    version: (group, version) => byName.get(group)?.versions.find((each) => each.version === version),
  };
}

function mergedGroup(
  name: string,
  own: CatalogGroup | undefined,
  registered: readonly RegisteredVersion[],
  described: (version: RegisteredVersion) => RemoteVersion,
): CatalogGroup {
  const known = own?.versions ?? [], isKnown = (version: string) => known.some((each) => each.version === version);
  const others = registered.filter(({ version, isRemote }) => isRemote || !isKnown(version));
  if (own !== undefined && others.length === 0) return own;
  const versions = [
    ...known.filter(({ version }) => !others.some((each) => each.version === version)),
    ...others.map((each): CatalogVersion => ({
      group: name,
      version: each.version,
      apiVersion: name === "" ? each.version : `${name}/${each.version}`,
      endpoints: [],
      ...(each.isRemote ? { remote: described(each) } : {}),
    })),
  ];
  const priorityOf = ({ version }: CatalogVersion) => registered.find((each) => each.version === version)?.versionPriority ?? 0;
  return { name, versions: versions.toSorted((a, b) => priorityOf(b) - priorityOf(a) || compareVersions(a.version, b.version)) };
}
