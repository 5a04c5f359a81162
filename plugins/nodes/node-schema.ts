/** The schema of Node (core/v1). */
import {
  boolean,
  field,
  type Infer,
  int32,
  int64,
  list,
  mapBy,
  object,
  oneOf,
  quantity,
  record,
  setOf,
  string,
  structsOf,
  time,
} from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { roundToMillis } from "../shared/volumes/mod.ts";
import { NodeConfigSource, NodeConfigStatus } from "./config-source.ts";

const struct = structsOf("core/v1");

export const Taint = struct("Taint", {
  key: field(1, string, "The key of the taint.", { required: true }),
  value: field(2, string, "The value of the taint."),
  effect: field(
    3,
    named("v1.TaintEffect", oneOf("NoExecute", "NoSchedule", "PreferNoSchedule")),
    "The effect on pods that do not tolerate the taint.",
    { required: true },
  ),
  timeAdded: field(4, time, "The time when the taint was added.", { pointer: true }),
}, { doc: "A mark on a node that keeps away pods without a matching toleration." });
export type Taint = Infer<typeof Taint>;

const NodeSpec = struct("NodeSpec", {
  podCIDR: field(1, string, "The first address range of the pods of the node."),
  podCIDRs: field(7, setOf(string), "The address ranges of the pods of the node, at most one for each IP family.", {
    patch: { strategy: ["merge"] },
  }),
  providerID: field(3, string, "The identity of the node at the provider of its machine. It is set once."),
  unschedulable: field(4, boolean, "Whether the scheduler places no new pods on the node."),
  taints: field(5, list(Taint), "The taints of the node."),
  configSource: field(6, NodeConfigSource, "Deprecated. New values are dropped.", { pointer: true }),
  externalID: field(2, string, "Deprecated and without effect. It cannot change."),
}, { doc: "What the node shall be." });
export type NodeSpec = Infer<typeof NodeSpec>;

const NodeCondition = struct("NodeCondition", {
  type: field(1, named("v1.NodeConditionType", string), "The type of the condition.", { required: true }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastHeartbeatTime: field(3, time, "The time when the condition was last reported.", { written: "always" }),
  lastTransitionTime: field(4, time, "The time of the last change of the status.", { written: "always" }),
  reason: field(5, string, "The reason of the last transition, in CamelCase."),
  message: field(6, string, "Details for people."),
}, { doc: "A condition of a node." });

const NodeAddress = struct("NodeAddress", {
  type: field(1, named("v1.NodeAddressType", string), "Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.", { required: true }),
  address: field(2, string, "The address.", { required: true }),
}, { doc: "An address of a node." });

const DaemonEndpoint = struct("DaemonEndpoint", {
  Port: field(1, int32, "The port number.", { required: true }),
}, { doc: "The port of a daemon." });

const NodeDaemonEndpoints = struct("NodeDaemonEndpoints", {
  kubeletEndpoint: field(1, DaemonEndpoint, "The port of the kubelet.", { written: "always" }),
}, { doc: "The ports of the daemons on the node." });

const NodeSwapStatus = struct("NodeSwapStatus", {
  capacity: field(1, int64, "The size of the swap memory in bytes.", { pointer: true }),
}, { doc: "The swap memory of the node." });

const NodeSystemInfo = struct("NodeSystemInfo", {
  machineID: field(1, string, "The identity of the machine in the cluster.", { required: true }),
  systemUUID: field(2, string, "The UUID of the system.", { required: true }),
  bootID: field(3, string, "The identity of the current boot.", { required: true }),
  kernelVersion: field(4, string, "The version of the operating system's kernel.", { required: true }),
  osImage: field(5, string, "The operating system, as its release file names it.", { required: true }),
  containerRuntimeVersion: field(6, string, "The container runtime and its version.", { required: true }),
  kubeletVersion: field(7, string, "The version of the kubelet.", { required: true }),
  kubeProxyVersion: field(8, string, "Deprecated. The version of the network proxy.", { required: true }),
  operatingSystem: field(9, string, "The operating system.", { required: true }),
  architecture: field(10, string, "The architecture of the processor.", { required: true }),
  swap: field(11, NodeSwapStatus, "The swap memory.", { pointer: true }),
}, { doc: "Identities and versions of the node." });

const ContainerImage = struct("ContainerImage", {
  names: field(1, list(string), "The names by which the image is known.", { written: "always" }),
  sizeBytes: field(2, int64, "The size of the image in bytes."),
}, { doc: "An image on a node." });

const AttachedVolume = struct("AttachedVolume", {
  name: field(1, named("v1.UniqueVolumeName", string), "The name of the volume.", { required: true }),
  devicePath: field(2, string, "The path of the device.", { required: true }),
}, { doc: "A volume that is attached to a node." });

const NodeRuntimeHandlerFeatures = struct("NodeRuntimeHandlerFeatures", {
  recursiveReadOnlyMounts: field(1, boolean, "Whether the handler supports mounts that are read-only recursively.", { pointer: true }),
  userNamespaces: field(2, boolean, "Whether the handler supports user namespaces, also for volumes.", { pointer: true }),
}, { doc: "What a handler of the container runtime supports." });

const NodeRuntimeHandler = struct("NodeRuntimeHandler", {
  name: field(1, string, "The name of the handler. Empty: the default handler.", { written: "always" }),
  features: field(2, NodeRuntimeHandlerFeatures, "What the handler supports.", { pointer: true }),
}, { doc: "A handler of the container runtime." });

const NodeFeatures = struct("NodeFeatures", {
  supplementalGroupsPolicy: field(1, boolean, "Whether the runtime supports policies of supplemental groups.", { pointer: true }),
}, { doc: "What the container runtime of the node supports, whatever the handler." });

const rounded = roundToMillis("capacity", "allocatable");

/** A node that reports a capacity and no allocatable amounts offers all of it. */
function withAllocatable<T extends { readonly capacity?: object; readonly allocatable?: object }>(given: T): T {
  const self = rounded(given);
  return self.allocatable === undefined && self.capacity !== undefined ? { ...self, allocatable: self.capacity } : self;
}

const NodeStatus = struct("NodeStatus", {
  capacity: field(1, record(quantity), "The resources of the node."),
  allocatable: field(2, record(quantity), "The resources for pods. Default: the capacity.", { keepsEmpty: true }),
  phase: field(3, named("v1.NodePhase", oneOf("Pending", "Running", "Terminated")), "Deprecated and never set."),
  conditions: field(4, mapBy(["type"], NodeCondition), "The conditions of the node, such as Ready.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
  addresses: field(5, mapBy(["type"], NodeAddress), "The addresses of the node.", { patch: { strategy: ["merge"], mergeKey: "type" } }),
  daemonEndpoints: field(6, NodeDaemonEndpoints, "The ports of the daemons on the node.", { written: "always" }),
  nodeInfo: field(7, NodeSystemInfo, "Identities and versions of the node.", { written: "always" }),
  images: field(8, list(ContainerImage), "The images on the node."),
  volumesInUse: field(9, list(named("v1.UniqueVolumeName", string)), "The attachable volumes that the node uses."),
  volumesAttached: field(10, list(AttachedVolume), "The volumes that are attached to the node."),
  config: field(11, NodeConfigStatus, "Deprecated. New values are dropped.", { pointer: true }),
  runtimeHandlers: field(12, list(NodeRuntimeHandler), "The handlers of the container runtime."),
  features: field(13, NodeFeatures, "What the container runtime supports.", { pointer: true }),
  declaredFeatures: field(14, list(string), "The features that the node declares, in alphabetical order."),
}, { doc: "What the node is. Written by its kubelet.", applyDefaults: withAllocatable });
export type NodeStatus = Infer<typeof NodeStatus>;

export const Node = object("Node", {
  spec: field(2, NodeSpec, "What the node shall be.", { written: "always" }),
  status: field(3, NodeStatus, "What the node is. Written by its kubelet.", { written: "always" }),
}, { package: "core/v1", doc: "A machine that runs pods. This server stores nodes; a kubelet acts for each." });
export type Node = Infer<typeof Node>;
