/** Kinds of resources, by the discovery documents of a server. */
import { type Names, spell } from "../core/names.ts";
import { versionPath } from "../core/client/paths.ts";
import type { ApiRequest, ObjectType } from "../core/client/transport.ts";
import { notFoundError } from "../core/status-error.ts";
import { type GroupVersion, splitGroupVersion } from "../core/versions.ts";
import { bound } from "../core/bound.ts";

/** Group versions whose kinds a client remembers. */
const knownVersionsMax = bound(1_000);

/** Finds the type of a resource's objects. Rejects with the error of the server, or with NotFound for a resource that it does not serve. */
export function kindsOf(ask: (request: ApiRequest) => Promise<any>, names: Names) {
  const known = new Map<GroupVersion, ReadonlyMap<string, string>>();
  return async (version: GroupVersion, resource: string): Promise<ObjectType> => {
    const apiVersion = spell(names, version);
    let kind = known.get(apiVersion)?.get(resource);
    if (kind === undefined) {
      const { resources = [] } = await ask({ method: "GET", url: versionPath(names, version) });
      if (known.size >= knownVersionsMax) known.clear();
      const kinds = new Map<string, string>(resources.map((each: { name: string; kind: string }) => [each.name, each.kind]));
      known.set(apiVersion, kinds);
      kind = kinds.get(resource);
    }
    if (kind === undefined) throw notFoundError({ group: splitGroupVersion(apiVersion).group, name: resource }, "");
    return { apiVersion, kind };
  };
}
