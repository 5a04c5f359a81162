/** Earlier states of objects: what they were at a revision, and how they came to be what they are. */
import type { Api } from "../../core/api.ts";
import { bound } from "../../core/bound.ts";
import { changedFields } from "../../core/changed-fields.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { withoutWriters, writersOf } from "../../core/meta/writers.ts";
import { spell } from "../../core/names.ts";
import { StatusError } from "../../core/status-error.ts";
import { type GroupVersion, splitGroupVersion } from "../../core/versions.ts";
import { keyOf } from "../../kernel/objects/objects.ts";
import { objectOf } from "./objects.ts";
import type { Version } from "./revision-log.ts";
import type { SnapshotParts } from "./snapshot.ts";

/** Versions of one object that are shown. */
const versionsMax = bound(10_000);

/** The objects of a server at an earlier revision, in the form of `api`. They reject with Expired if the server no longer has the revision. */
export interface EarlierApi {
  /** One object. Rejects with NotFound if it did not exist then. */
  get(groupVersion: GroupVersion, resource: string, namespace: string, name: string): Promise<ApiObject>;
  /** The objects in a namespace, or in all (""). */
  list(groupVersion: GroupVersion, resource: string, namespace: string): Promise<readonly ApiObject[]>;
}

/** One version of an object. */
export interface ObjectVersion {
  /** The revision of the store that wrote it. */
  readonly revision: number;
  /** The object as it is stored; undefined if it was deleted. */
  readonly object: ApiObject | undefined;
  /** Who wrote it: the owners of fields whose entries are new, such as `kubectl`. */
  readonly managers: readonly string[];
  /** What differs from the version before, a line for each field: `spec.replicas: 1 -> 3`. */
  readonly changes: readonly string[];
}

/** The objects at a revision. */
export function earlierApi({ list }: Pick<Api, "list">, revision: number | string): EarlierApi {
  const exact = { resourceVersion: String(revision), resourceVersionMatch: "Exact" };
  return {
    async get(groupVersion, resource, namespace, name) {
      const { items: [found] } = await list(groupVersion, resource, namespace, { ...exact, fieldSelector: `metadata.name=${name}` });
      if (found === undefined) throw new StatusError("NotFound", `${resource} "${name}" did not exist at revision ${revision}`);
      return found;
    },
    list: async (groupVersion, resource, namespace) => (await list(groupVersion, resource, namespace, exact)).items,
  };
}

/** The versions of an object that the store still has, oldest first. */
export function historyOf(
  { store: { keys, log }, active: { config, catalog } }: SnapshotParts,
  [groupVersion, resource, namespace, name]: readonly [GroupVersion, string, string, string],
): readonly ObjectVersion[] {
  const { group, version } = splitGroupVersion(spell(catalog.names, groupVersion));
  const kind = catalog.endpoint(group, version, resource)?.stored;
  if (kind === undefined) throw new StatusError("NotFound", `the server does not serve ${resource} in ${groupVersion}`);
  const versions: Version[] = [];
  for (let each = keys.get(keyOf(config["etcd-prefix"], kind, namespace, name)); each !== undefined && versions.length < versionsMax;) {
    versions.push(each);
    each = log.at(each.revision)?.prior;
  }
  let before: ApiObject | undefined;
  return versions.reverse().map(({ key, value, revision }): ObjectVersion => {
    const object = value && objectOf({ kind, entry: { key, value, revision } });
    const { managers } = writersOf(before, object),
      changes = changedFields(before && withoutWriters(before), object && withoutWriters(object));
    before = object;
    return { revision, object, managers, changes: object === undefined ? [] : changes };
  });
}
