/** The resources that quotas limit. */
import type { Api } from "../../plugin.ts";
import type { ApiCollection, Gates, Names } from "../../toolbox.ts";
import { spell } from "../../toolbox.ts";
import type { Usage } from "./counting.ts";
import { countName } from "./counting.ts";
import { usageOf } from "./usage.ts";

/** A served collection that quotas count. */
export interface Counted {
  readonly collection: ApiCollection;
  readonly usage: Usage;
}

/** Returns the served collections that quotas count. They are namespaced, and their objects can be created, watched and deleted. */
export function countedCollections(api: Api, names: Names, gates: Gates, now: () => number): readonly Counted[] {
  const key = ({ groupVersion, resource }: ApiCollection) => `${groupVersion}/${resource}`;
  const keysOf = (verb: string) => new Set(api.collections(verb).map(key));
  const supported = [keysOf("create"), keysOf("list"), keysOf("delete")];
  return api.collections("watch").filter((each) => each.namespaced && supported.every((keys) => keys.has(key(each)))).flatMap(
    (collection) => {
      const { groupVersion, resource } = collection;
      const group = groupVersion.includes("/") ? groupVersion.slice(0, groupVersion.indexOf("/")) : "";
      const usage = usageOf(group, resource, { names, gates, seconds: () => now() / 1000 });
      return usage === undefined ? [] : [{ collection, usage }];
    },
  );
}

/**
 * Namespaced kinds of kube-apiserver. A kind that is not served has no objects, so its usage is 0, as in a cluster without such objects.
 */
const ofCluster: Readonly<Record<string, string>> = {
  "": "endpoints persistentvolumeclaims pods podtemplates replicationcontrollers serviceaccounts services",
  apps: "controllerrevisions daemonsets deployments replicasets statefulsets",
  autoscaling: "horizontalpodautoscalers",
  batch: "cronjobs jobs",
  "discovery.{domain}": "endpointslices",
  "networking.{domain}": "ingresses networkpolicies",
  policy: "poddisruptionbudgets",
  "resource.{domain}": "resourceclaims resourceclaimtemplates",
};
const ofPods = ["pods", "services", "services.nodeports", "services.loadbalancers", "replicationcontrollers"];
const compute: readonly string[] = ["cpu", "memory", "ephemeral-storage"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);

/** Whether the limit applies to objects that only a cluster with nodes has. */
export function isOfWorkloads(name: string, names: Names): boolean {
  if (ofPods.includes(name) || compute.includes(name)) return true;
  if (name.startsWith("hugepages-") || name.startsWith("requests.hugepages-")) return true;
  // These are extended resources of containers, and devices.
  if (name.startsWith("requests.") && name.includes("/") && !name.includes(spell(names, "{platform}.io/"))) return true;
  if (name.endsWith(spell(names, ".deviceclass.resource.{domain}/devices"))) return true;
  return Object.entries(ofCluster).some(([group, plurals]) =>
    plurals.split(" ").some((plural) => name === countName(spell(names, group), plural))
  );
}
