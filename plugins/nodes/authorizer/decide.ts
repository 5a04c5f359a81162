/** What the kubelet of a node may do, with upstream's reasons. */
import type { AuthorizationAttributes } from "../../../toolbox.ts";
import type { NodeGraph, Placed } from "./graph.ts";
import type { Referenced } from "./references.ts";
import { isAllowedToNodes } from "./rules.ts";

/** True if the request is allowed, else the reason, which may be empty. */
type Answer = true | string;
type Decide = (node: string, request: AuthorizationAttributes, graph: NodeGraph) => Answer;

const writes = ["get", "create", "update", "patch", "delete"];

function related(node: string, { name }: AuthorizationAttributes, isRelated: () => boolean): Answer {
  if (name === "") return "No Object name found";
  return isRelated() || `no relationship found between node '${node}' and this object`;
}

const isUsed = (kind: Referenced): Decide => (node, request, graph) =>
  related(node, request, () => graph.isUsedOn(node, kind, request.namespace, request.name));
const isPlaced = (kind: Placed): Decide => (node, request, graph) =>
  related(node, request, () => graph.isPlacedOn(node, kind, request.namespace, request.name));

/** Reads of one object that belongs to the node. */
const get = (inner: Decide): Decide => (node, request, graph) => {
  if (request.verb !== "get") return "can only get individual resources of this type";
  return request.subresource === "" ? inner(node, request, graph) : "cannot get subresource";
};
const read = (inner: Decide): Decide => (node, request, graph) => {
  if (!["get", "list", "watch"].includes(request.verb)) return "can only read resources of this type";
  if (request.subresource !== "") return "cannot read subresource";
  return request.namespace === "" ? "can only read namespaced object of this type" : inner(node, request, graph);
};

const claim: Decide = (node, request, graph) => {
  const inner = isUsed("persistentvolumeclaims");
  if (request.subresource !== "status") return get(inner)(node, request, graph);
  return ["update", "patch"].includes(request.verb) ? inner(node, request, graph) : "can only get/update/patch this type";
};

const account: Decide = (node, request, graph) => {
  const inner = isUsed("serviceaccounts"), { verb, subresource, name } = request;
  if (verb === "get" && subresource === "") return read(inner)(node, request, graph);
  if (verb !== "create" || name === "") return "can only create tokens for individual service accounts";
  return subresource === "token" ? inner(node, request, graph) : "can only create token subresource of serviceaccount";
};

const lease: Decide = (node, { verb, namespace, name }) => {
  if (!writes.includes(verb)) return "can only get, create, update, patch, or delete a node lease";
  if (namespace !== "kube-node-lease") return 'can only access leases in the "kube-node-lease" system namespace';
  return verb === "create" || name === node || "can only access node lease with the same name as the requesting node";
};

const csiNode: Decide = (node, { verb, subresource, name }) => {
  if (!writes.includes(verb)) return "can only get, create, update, patch, or delete a CSINode";
  if (subresource !== "") return "cannot authorize CSINode subresources";
  return verb === "create" || name === node || "can only access CSINode with the same name as the requesting node";
};

/** Whether the request selects objects of the node by this field. */
function selects(node: string, field: string, { fieldSelector = [] }: AuthorizationAttributes): boolean {
  return fieldSelector.some((each) => each.field === field && each.operator === "=" && each.value === node);
}

const slice: Decide = (node, request, graph) => {
  const { verb, subresource } = request;
  if (subresource !== "") return "cannot authorize ResourceSlice subresources";
  if (verb === "create") return true;
  if (writes.includes(verb)) return isPlaced("resourceslices")(node, request, graph);
  if (["watch", "list", "deletecollection"].includes(verb)) {
    return selects(node, "spec.nodeName", request) || "can only list/watch/deletecollection resourceslices with nodeName field selector";
  }
  return "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection";
};

const certificateRequest: Decide = (node, request, graph) => {
  const { verb, subresource } = request;
  if (subresource !== "") return "nodes may not access the status subresource of PodCertificateRequests";
  if (verb === "create") return true;
  if (verb === "get") return isPlaced("podcertificaterequests")(node, request, graph);
  if (verb !== "list" && verb !== "watch") return `nodes may not ${verb} podcertificaterequests`;
  return selects(node, "spec.nodeName", request) || "can only list/watch podcertificaterequests with nodeName field selector";
};

const ownNode: Decide = (node, { verb, subresource, name }) => {
  if (subresource === "status") return ["update", "patch"].includes(verb) || "";
  if (subresource !== "") return "";
  if (["create", "update", "patch"].includes(verb)) return true;
  if (!["get", "list", "watch"].includes(verb)) return "";
  if (name === "") return `node '${node}' cannot read all nodes, only its own Node object`;
  return name === node || `node '${node}' cannot read '${name}', only its own Node object`;
};

const pod: Decide = (node, request, graph) => {
  const { verb, subresource, namespace, name } = request, isOnNode = () => graph.hasPod(node, namespace, name);
  if (subresource === "status") return ["update", "patch"].includes(verb) || "";
  if (subresource === "eviction") return verb === "create" || "";
  if (subresource !== "") return "";
  if (verb === "create" || verb === "delete") return true;
  if (verb === "get") return related(node, request, isOnNode);
  if (verb !== "list" && verb !== "watch") return "";
  if (selects(node, "spec.nodeName", request)) return true;
  return name === "" ? "can only list/watch pods with spec.nodeName field selector" : related(node, request, isOnNode);
};

/** By resource and group, without the domain of the group. */
const decisions: ReadonlyMap<string, Decide> = new Map(Object.entries({
  "secrets": read(isUsed("secrets")),
  "configmaps": read(isUsed("configmaps")),
  "persistentvolumeclaims": claim,
  "persistentvolumes": get((node, request, graph) => related(node, request, () => graph.hasVolume(node, request.name))),
  "resourceclaims.resource": get(isUsed("resourceclaims")),
  "volumeattachments.storage": get(isPlaced("volumeattachments")),
  "serviceaccounts": account,
  "leases.coordination": lease,
  "csinodes.storage": csiNode,
  "resourceslices.resource": slice,
  "podcertificaterequests.certificates": certificateRequest,
  "nodes": ownNode,
  "pods": pod,
}));

/** Decides about a request of the kubelet of a node. */
export function decideForNode(node: string, request: AuthorizationAttributes, graph: NodeGraph, domain: string): Answer {
  if (!request.isResourceRequest) return "";
  const suffix = `.${domain}`, group = request.group.endsWith(suffix) ? request.group.slice(0, -suffix.length) : request.group;
  const decide = decisions.get(group === "" ? request.resource : `${request.resource}.${group}`);
  return decide === undefined ? isAllowedToNodes(group, request) || "" : decide(node, request, graph);
}
