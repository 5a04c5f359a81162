/** Finds the registered version of another server by the path of a request. */
import type { Delegate, RegisteredVersion } from "../../core/delegate.ts";

/** Returns a function that returns the version of a path; undefined for paths of this server. */
export function remoteVersions(delegate: Pick<Delegate, "versions">): (path: string) => RegisteredVersion | undefined {
  let listed: readonly RegisteredVersion[] = [], byName: ReadonlyMap<string, RegisteredVersion> = new Map();
  return (path) => {
    const now = delegate.versions();
    if (now !== listed) {
      listed = now;
      const remote = now.filter(({ isRemote }) => isRemote), own = new Set(now.filter((each) => !each.isRemote).map(({ group }) => group));
      // A group without versions of this server is described by another one as well.
      const groups = remote.filter(({ group }) => !own.has(group)).toSorted((a, b) => a.versionPriority - b.versionPriority)
        .map((each) => [`${each.group}/`, each] as const); // the last one of a name stays
      byName = new Map([...groups, ...remote.map((each) => [`${each.group}/${each.version}`, each] as const)]);
    }
    return byName.size === 0 ? undefined : byName.get(nameAt(path));
  };
}

const openapiV3 = "/openapi/v3";

/**
 * Group and version at the beginning of a path: `/apis/apps/v1/deployments` has `apps/v1`, and so has its OpenAPI v3 document. The v3 document of a group has `apps/`. All paths of the
 * core group belong to its only version.
 */
function nameAt(path: string): string {
  if (path === "/api" || path.startsWith("/api/")) return "/v1";
  const isDocument = path.startsWith(`${openapiV3}/`);
  const [, prefix, group = "", version = ""] = (isDocument ? path.slice(openapiV3.length) : path).split("/", 4);
  return prefix === "apis" && group !== "" && (version !== "" || isDocument) ? `${group}/${version}` : "";
}
