import { nodeProxy } from "./node-proxy.ts";
import { ageColumn, type Column, defineResource, type HookContext, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { warnOfCidr } from "../shared/cidr.ts";
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from "./node-rules.ts";
import { Node } from "./node-schema.ts";

/** While it is off, new nodes declare no features. */
export const declaredFeaturesGate = "NodeDeclaredFeatures";

/** The roles of a node, from two forms of labels. */
function rolesOf({ metadata: { labels = {} } }: Node): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return key.length > prefix.length ? [key.slice(prefix.length)] : [];
    return key === "kubernetes.io/role" && value !== "" ? [value] : [];
  });
  return roles.length === 0 ? "<none>" : [...new Set(roles)].sort().join(",");
}

function stateOf({ spec, status }: Node): string {
  const ready = status.conditions?.findLast(({ type }) => type === "Ready");
  const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function addressOf({ status }: Node, type: string): string {
  return status.addresses?.find((each) => each.type === type)?.address ?? "<none>";
}

const orUnknown = (text: string) => text === "" ? "<unknown>" : text;

const columns: readonly Column<Node>[] = [
  nameColumn,
  { name: "Status", type: "string", description: "Whether the node is ready, and whether pods are placed on it.", cell: stateOf },
  { name: "Roles", type: "string", description: "The roles of the node, from its labels.", cell: rolesOf },
  ageColumn,
  { name: "Version", type: "string", description: "The version of the kubelet.", cell: ({ status }) => status.nodeInfo.kubeletVersion },
  {
    name: "Internal-IP",
    type: "string",
    priority: 1,
    description: "The first internal address.",
    cell: (node) => addressOf(node, "InternalIP"),
  },
  {
    name: "External-IP",
    type: "string",
    priority: 1,
    description: "The first external address.",
    cell: (node) => addressOf(node, "ExternalIP"),
  },
  {
    name: "OS-Image",
    type: "string",
    priority: 1,
    description: "The operating system.",
    cell: ({ status: { nodeInfo } }) => orUnknown(nodeInfo.osImage),
  },
  {
    name: "Kernel-Version",
    type: "string",
    priority: 1,
    description: "The version of the kernel, and the architecture.",
    cell: ({ status: { nodeInfo: { kernelVersion, architecture } } }) =>
      orUnknown(kernelVersion) + (architecture === "" ? "" : ` (${architecture})`),
  },
  {
    name: "Container-Runtime",
    type: "string",
    priority: 1,
    description: "The container runtime and its version.",
    cell: ({ status: { nodeInfo } }) => orUnknown(nodeInfo.containerRuntimeVersion),
  },
];

/** The first range of pods and the list of ranges follow each other. If both are sent and differ, the first range holds. */
function withRanges(node: Node): Node {
  const { podCIDR = "", podCIDRs = [] } = node.spec, [first = ""] = podCIDRs;
  if (podCIDR === first) return node;
  if (podCIDR === "") return { ...node, spec: { ...node.spec, podCIDR: first } };
  return { ...node, spec: { ...node.spec, podCIDRs: [podCIDR] } };
}

function prepare(next: Node, prior: Node | undefined, { gates }: HookContext): Node {
  const { configSource, ...spec } = next.spec;
  if (prior !== undefined) return configSource === undefined || prior.spec.configSource !== undefined ? next : { ...next, spec };
  const { config: _dropped, declaredFeatures, ...status } = next.status;
  return {
    ...next,
    spec,
    status: declaredFeatures !== undefined && gates(declaredFeaturesGate) ? { ...status, declaredFeatures } : status,
  };
}

const status: Subresource<Node> = {
  write(next, prior) {
    const { config, ...status } = next.status;
    return { ...next, spec: prior.spec, status: config === undefined || prior.status.config === undefined ? status : next.status };
  },
  update: (next, prior, context) => validateNodeStatusUpdate(next, prior, nodes, context),
};

/** The warnings for fields of old, and for odd spellings of address ranges. */
function warn({ spec: { configSource, externalID = "", podCIDRs = [] } }: Node): readonly string[] {
  return [
    ...(configSource === undefined ? [] : ["spec.configSource: the feature is removed"]),
    ...(externalID === "" ? [] : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
    ...podCIDRs.flatMap((each, i) => warnOfCidr(each, `spec.podCIDRs[${i}]`)),
  ];
}

export const nodes: Resource<Node> = defineResource({
  kind: "Node",
  scope: "Cluster",
  shortNames: ["no"],
  summary: "A machine that runs pods.",
  storedAs: "v1",
  storedUnder: "minions",
  served: {
    v1: {
      schema: Node,
      introduced: "1.0",
      columns,
      selectableFields: { "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false) },
      subresources: { status, proxy: { connect: nodeProxy } },
      applyDefaults: withRanges,
    },
  },
  strategy: { coreFinalizers: true, preparesStatus: true },
  prepare,
  create: validateNode,
  update: (next, prior, context) => validateNodeUpdate(next, prior, nodes, context),
  warn: (next, _prior, { subresource }) => subresource === "" ? warn(next) : [],
});
