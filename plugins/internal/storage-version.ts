import { ageColumn, type Column, defineResource, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { metaOfStatus } from "../../toolbox.ts";
import { storageVersionName, validateStatus } from "./rules.ts";
import { StorageVersion } from "./schema.ts";

const groupVersion = "internal.apiserver.{domain}/v1alpha1";
/** Number of servers that a table shows. */
const shownMax = 3;

function serversText({ status: { storageVersions = [] } }: StorageVersion): string {
  if (storageVersions.length === 0) return "<unset>";
  const shown = storageVersions.slice(0, shownMax).map(({ apiServerID = "", encodingVersion = "" }) => `${apiServerID}=${encodingVersion}`);
  return shown.join(",") + (storageVersions.length > shownMax ? ` + ${storageVersions.length - shownMax} more...` : "");
}

const columns: readonly Column<StorageVersion>[] = [
  nameColumn,
  {
    name: "CommonEncodingVersion",
    type: "string",
    description: "The version in which all servers store objects.",
    cell: ({ status }) => status.commonEncodingVersion ?? "<unset>",
  },
  { name: "StorageVersions", type: "string", description: "The version in which each server stores objects.", cell: serversText },
  ageColumn,
];

const status: Subresource<StorageVersion> = {
  write: (next, prior) => ({ ...prior, metadata: metaOfStatus(next.metadata, prior.metadata), status: next.status }),
  update: ({ status }) => validateStatus(status),
  leaves: ["metadata", "spec"],
};

export const storageVersions: Resource<StorageVersion> = defineResource({
  kind: "StorageVersion",
  scope: "Cluster",
  summary: "The versions in which servers store the objects of a resource.",
  storedAs: groupVersion,
  storedUnder: "storageversions",
  served: { [groupVersion]: { schema: StorageVersion, introduced: "1.20", columns, subresources: { status } } },
  strategy: { unconditionalUpdate: false, coreFinalizers: true, nameRule: storageVersionName },
  prepare: (next, prior) => ({ ...next, status: prior?.status ?? {} }),
});
