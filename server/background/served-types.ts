/** The served types for controllers. */
import type { ServedTypes } from "../../core/controller.ts";
import { isDeclared } from "../../core/define/declared.ts";
import { groupPriorities } from "../../core/define/group-priorities.ts";
import { spell } from "../../core/names.ts";
import { publishedSchema } from "../../core/derive/published-schema.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";

/** Returns the types of served kinds. `catalog` returns the active catalog. */
export function servedTypes(catalog: () => Catalog): ServedTypes {
  return {
    versions() {
      const { groups, plugins, names } = catalog(), priorityOf = groupPriorities(plugins, names);
      return groups.flatMap(({ name, versions }) =>
        versions.map((each) => ({ group: name, version: each.version, groupPriority: priorityOf(name), isCustom: !isDeclared(each) }))
      );
    },
    resources: (version, group) =>
      catalog().groups.filter(({ name }) => group === undefined || name === group)
        .flatMap(({ versions }) => versions.filter((each) => each.version === version))
        .flatMap(({ endpoints }) => endpoints),
    schemaOf({ group, version, kind }) {
      const endpoint = catalog().version(group, version)?.endpoints.find((each) => each.kind === kind);
      return endpoint && publishedSchema(endpoint.schema);
    },
    stored() {
      const { kinds, names, versionsOf, endpoint } = catalog();
      return kinds.filter(({ resource }) => resource.custom !== true && resource.storedUnder !== undefined).map((kind) => ({
        group: kind.group,
        plural: kind.plural,
        encodingVersion: kind.written.apiVersion,
        decodableVersions: Object.keys(kind.resource.served).map((each) => spell(names, each)),
        servedVersions: versionsOf(kind).filter(({ group, version, plural }) =>
          group === kind.group && endpoint(group, version, plural) !== undefined
        )
          .map(({ apiVersion }) => apiVersion).toSorted(),
      })).filter(({ servedVersions }) => servedVersions.length > 0);
    },
  };
}
