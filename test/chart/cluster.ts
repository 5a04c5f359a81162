/** A cluster for Helm's lookups: our own server, with placeholders for the kinds that it lacks. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { kubeconfig } from "../../server/listen/pki.ts";
import { definePlugin, defineResource, object, type Plugin } from "../../plugin.ts";
import { plugins } from "../../plugins/mod.ts";
import { inFolder, type Served, served } from "../flags/served.ts";
import type { Rendered } from "./helm.ts";

const own: ReadonlySet<string> = new Set(plugins.flatMap(({ resources = [] }) => resources).map(({ kind }) => kind));

/** Kinds of these objects that our server lacks. */
function inName(objects: readonly Rendered[]): Plugin {
  const kinds = new Map(
    objects.filter(({ kind }) => !own.has(kind)).map(({ apiVersion, kind, metadata }) => [kind, { apiVersion, metadata }]),
  );
  return definePlugin({
    name: "in-name-only",
    summary: "Kinds of a cluster, without what is in them.",
    resources: [...kinds].map(([kind, { apiVersion, metadata }]) =>
      defineResource({
        kind,
        scope: metadata.namespace === undefined ? "Cluster" : "Namespaced",
        summary: "A kind in name only.",
        storedAs: apiVersion,
        storedUnder: kind.toLowerCase(),
        served: { [apiVersion]: { schema: object(kind, {}, { package: apiVersion, doc: "Nothing." }), introduced: "1.0" } },
      })
    ),
  });
}

/** Calls `use` with the cluster and an administrator's kubeconfig. The cluster has the kinds of `objects`. */
export async function cluster(objects: readonly Rendered[], use: (server: Served, kubeconfig: string) => Promise<void>): Promise<void> {
  await inFolder((folder) =>
    served([], async (server) => {
      const file = join(folder, "kubeconfig");
      await writeFile(file, kubeconfig(server.url, server.ca, server.running.admin, { domain: "k8s.io", platform: "kubernetes" }));
      await use(server, file);
    }, [...plugins, inName(objects)])
  );
}
