/** Finds the registered version of another server by the path of a request. */
import type { Delegate, RegisteredVersion } from "../../core/delegate.ts";

/** Returns a function that returns the version of a path; undefined for paths of this server. */
export function remoteVersions(delegate: Pick<Delegate, "versions">): (path: string) => RegisteredVersion | undefined {
  let listed: readonly RegisteredVersion[] = [], byName: ReadonlyMap<string, RegisteredVersion> = new Map();
  return (path) => {
    const now = delegate.versions();
    if (now !== listed) {
      listed = now;
      byName = new Map(now.filter(({ isRemote }) => isRemote).map((each) => [`${each.group}/${each.version}`, each]));
    }
    return byName.size === 0 ? undefined : byName.get(nameAt(path));
  };
}

const openapiV3 = "/openapi/v3";

/**
 * Group and version at the beginning of a path: `/apis/apps/v1/deployments` has `apps/v1`, and so has its OpenAPI v3 document. All paths of the
 * core group belong to its only version.
 */
function nameAt(path: string): string {
  if (path === "/api" || path.startsWith("/api/")) return "/v1";
  const [, prefix, group = "", version = ""] = (path.startsWith(`${openapiV3}/`) ? path.slice(openapiV3.length) : path).split("/", 4);
  return prefix === "apis" && group !== "" && version !== "" ? `${group}/${version}` : "";
}
