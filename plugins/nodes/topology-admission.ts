import type { Admission, ApiObject, RequestHookContext } from "../../plugin.ts";
import { spell } from "../../toolbox.ts";

/** While it is off, pods get no labels of their nodes. */
export const topologyLabelsGate = "PodTopologyLabelsAdmission";

type Target = { readonly kind?: string; readonly name?: string };

/** The zone and the region of a node, as labels. None if the node is missing. */
async function topologyOf(name: string, { read, names }: RequestHookContext): Promise<Readonly<Record<string, string>>> {
  const labels = (await read.get("v1", "nodes", "", name))?.metadata.labels ?? {};
  const keys = ["topology.{platform}.io/zone", "topology.{platform}.io/region"].map((key) => spell(names, key));
  return Object.fromEntries(keys.flatMap((key) => Object.hasOwn(labels, key) ? [[key, labels[key]!]] : []));
}

/** The object with the labels of the node. They replace those that a client has sent. */
async function labelled<T extends ApiObject>(object: T, node: string, context: RequestHookContext): Promise<T> {
  const topology = node === "" ? {} : await topologyOf(node, context);
  if (Object.keys(topology).length === 0) return object;
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...topology } } };
}

/** Pods get the zone and the region of their node as labels, at their creation or when they are bound. */
export const podTopologyLabels: Admission<ApiObject & { readonly spec: { readonly nodeName?: string } }> = {
  name: "PodTopologyLabels",
  resources: ["pods"],
  mutate(next, prior, context) {
    if (prior !== undefined || context.subresource !== "" || !context.gates(topologyLabelsGate)) return next;
    return labelled(next, next.spec.nodeName ?? "", context);
  },
  mutateAction(request: ApiObject & { readonly target: Target }, subresource, context) {
    if (subresource !== "binding" || request.target.kind !== "Node" || !context.gates(topologyLabelsGate)) return request;
    return labelled(request, request.target.name ?? "", context);
  },
};
