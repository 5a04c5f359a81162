/** The schema of a pod's status (core/v1), which kubelets and the scheduler write. */
import { boolean, field, type Infer, int32, int64, list, mapBy, oneOf, quantity, record, string, structsOf, time } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { stopSignals } from "../shared/pod/probe.ts";
import { ResourceRequirements } from "../shared/volumes/mod.ts";

const struct = structsOf("core/v1");

const ResourceHealth = struct("ResourceHealth", {
  resourceID: field(1, named("v1.ResourceID", string), "The identifier of the device, unique on the node.", { required: true }),
  health: field(2, named("v1.ResourceHealthStatus", string), "Healthy, Unhealthy or Unknown."),
}, { doc: "The health of a device of a container." });

const ResourceStatus = struct("ResourceStatus", {
  name: field(1, named("v1.ResourceName", string), "The name of the resource, or claim:NAME/REQUEST of a claim of the pod.", {
    required: true,
  }),
  resources: field(2, mapBy(["resourceID"], ResourceHealth), "The devices of the resource."),
}, { doc: "The devices of one resource of a container." });

const LinuxContainerUser = struct("LinuxContainerUser", {
  uid: field(1, int64, "The user ID of the first process.", { required: true }),
  gid: field(2, int64, "The group ID of the first process.", { required: true }),
  supplementalGroups: field(3, list(int64), "The further groups of the first process."),
}, { doc: "The user of a container on Linux." });

const ContainerUser = struct("ContainerUser", {
  linux: field(1, LinuxContainerUser, "The user on Linux.", { pointer: true }),
}, { doc: "The user that the first process of a container began with." });

const ContainerStateWaiting = struct("ContainerStateWaiting", {
  reason: field(1, string, "A word for the reason, such as ContainerCreating."),
  message: field(2, string, "The reason in a sentence."),
}, { doc: "A container that has not started yet." });

const ContainerStateRunning = struct("ContainerStateRunning", {
  startedAt: field(1, time, "The time of the start.", { written: "always" }),
}, { doc: "A container that runs." });

const ContainerStateTerminated = struct("ContainerStateTerminated", {
  exitCode: field(1, int32, "The exit code of the first process.", { required: true }),
  signal: field(2, int32, "The signal that ended the container."),
  reason: field(3, string, "A word for the reason, such as Completed or Error."),
  message: field(4, string, "The message of the container or of its runtime."),
  startedAt: field(5, time, "The time of the start.", { written: "always" }),
  finishedAt: field(6, time, "The time of the end.", { written: "always" }),
  containerID: field(7, string, "The identifier of the container: TYPE://ID."),
}, { doc: "A container that has ended." });

const ContainerState = struct("ContainerState", {
  waiting: field(1, ContainerStateWaiting, "Set while the container waits for its start.", { pointer: true }),
  running: field(2, ContainerStateRunning, "Set while the container runs.", { pointer: true }),
  terminated: field(3, ContainerStateTerminated, "Set after the container has ended.", { pointer: true }),
}, { doc: "The state of a container: at most one member is set. None means that it waits." });
export type ContainerState = Infer<typeof ContainerState>;

const VolumeMountStatus = struct("VolumeMountStatus", {
  name: field(1, string, "The name of the mount.", { required: true }),
  mountPath: field(2, string, "The path of the mount in the container.", { required: true }),
  readOnly: field(3, boolean, "Whether the mount is read-only."),
  recursiveReadOnly: field(
    4,
    named("v1.RecursiveReadOnlyMode", string),
    "Disabled or Enabled: whether mounts below it are read-only too.",
    {
      pointer: true,
    },
  ),
}, { doc: "A mount of a container as the runtime made it." });

const ContainerStatus = struct("ContainerStatus", {
  name: field(1, string, "The name of the container.", { required: true }),
  state: field(2, ContainerState, "The current state.", { written: "always" }),
  lastState: field(3, ContainerState, "The state before the last restart.", { written: "always" }),
  ready: field(4, boolean, "Whether the readiness probe succeeds.", { required: true }),
  restartCount: field(5, int32, "The number of restarts.", { required: true }),
  image: field(6, string, "The image that runs.", { required: true }),
  imageID: field(7, string, "The digest of the image that runs.", { required: true }),
  containerID: field(8, string, "The identifier of the container: TYPE://ID."),
  started: field(9, boolean, "Whether the startup probe has succeeded.", { pointer: true }),
  allocatedResources: field(10, record(quantity), "What the node has set aside for the container."),
  resources: field(11, ResourceRequirements, "What the runtime has given to the container.", { pointer: true }),
  volumeMounts: field(12, mapBy(["mountPath"], VolumeMountStatus), "The mounts of the container.", {
    patch: { strategy: ["merge"], mergeKey: "mountPath" },
  }),
  user: field(13, ContainerUser, "The user that the first process began with.", { pointer: true }),
  allocatedResourcesStatus: field(14, mapBy(["name"], ResourceStatus), "The devices of the container.", {
    patch: { strategy: ["merge"], mergeKey: "name" },
    gate: "ResourceHealthStatus",
  }),
  stopSignal: field(15, named("v1.Signal", oneOf(...stopSignals)), "The signal that stops the container.", { pointer: true }),
}, { doc: "The status of a container." });
export type ContainerStatus = Infer<typeof ContainerStatus>;

const PodIP = struct("PodIP", {
  ip: field(1, string, "The IP address.", { required: true }),
}, { doc: "An address of a pod." });

const HostIP = struct("HostIP", {
  ip: field(1, string, "The IP address.", { required: true }),
}, { doc: "An address of the node of a pod." });

const PodCondition = struct("PodCondition", {
  type: field(1, named("v1.PodConditionType", string), "The type of the condition, such as Ready.", { required: true }),
  observedGeneration: field(7, int64, "The generation of the pod that the condition is about."),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastProbeTime: field(3, time, "The time of the last probe.", { written: "always" }),
  lastTransitionTime: field(4, time, "The time of the last change of the status.", { written: "always" }),
  reason: field(5, string, "A word for the reason of the last change."),
  message: field(6, string, "The reason of the last change in a sentence."),
}, { doc: "A condition of a pod." });
export type PodCondition = Infer<typeof PodCondition>;

const PodResourceClaimStatus = struct("PodResourceClaimStatus", {
  name: field(1, string, "The name of a claim in the spec of the pod.", { required: true }),
  resourceClaimName: field(2, string, "The name of the ResourceClaim that was made for it. Absent: none was needed.", { pointer: true }),
}, { doc: "The ResourceClaim that was made from a template for a claim of the pod." });

const ContainerExtendedResourceRequest = struct("ContainerExtendedResourceRequest", {
  containerName: field(1, string, "The name of the container.", { required: true }),
  resourceName: field(2, string, "The name of the extended resource.", { required: true }),
  requestName: field(3, string, "The name of the request in the claim.", { required: true }),
}, { doc: "The request of a claim that gives a container its extended resource." });

const PodExtendedResourceClaimStatus = struct("PodExtendedResourceClaimStatus", {
  requestMappings: field(1, list(ContainerExtendedResourceRequest), "The requests for each container and resource.", { required: true }),
  resourceClaimName: field(2, string, "The name of the claim.", { required: true }),
}, { doc: "The ResourceClaim that was made for the extended resources of the pod." });

export const PodStatus = struct("PodStatus", {
  observedGeneration: field(17, int64, "The generation of the pod that the status is about."),
  phase: field(
    1,
    named("v1.PodPhase", oneOf("Failed", "Pending", "Running", "Succeeded", "Unknown")),
    "Pending, Running, Succeeded, Failed or Unknown.",
  ),
  conditions: field(2, mapBy(["type"], PodCondition), "The conditions of the pod.", { patch: { strategy: ["merge"], mergeKey: "type" } }),
  message: field(3, string, "The reason of the phase in a sentence."),
  reason: field(4, string, "A word for the reason of the phase, such as Evicted."),
  nominatedNodeName: field(11, string, "The node on which other pods are evicted to make room for this one."),
  hostIP: field(5, string, "The address of the node."),
  hostIPs: field(16, list(HostIP), "The addresses of the node; the first is hostIP.", { patch: { strategy: ["merge"], mergeKey: "ip" } }),
  podIP: field(6, string, "The address of the pod."),
  podIPs: field(12, mapBy(["ip"], PodIP), "The addresses of the pod; the first is podIP.", {
    patch: { strategy: ["merge"], mergeKey: "ip" },
  }),
  startTime: field(7, time, "The time at which the kubelet took the pod over.", { pointer: true }),
  initContainerStatuses: field(10, list(ContainerStatus), "The states of the init containers."),
  containerStatuses: field(8, list(ContainerStatus), "The states of the containers."),
  qosClass: field(
    9,
    named("v1.PodQOSClass", oneOf("BestEffort", "Burstable", "Guaranteed")),
    "The quality of service: Guaranteed, Burstable or BestEffort. The server computes it when the pod is created.",
  ),
  ephemeralContainerStatuses: field(13, list(ContainerStatus), "The states of the ephemeral containers."),
  resize: field(14, named("v1.PodResizeStatus", string), "The state of a resize. Replaced by conditions."),
  resourceClaimStatuses: field(15, mapBy(["name"], PodResourceClaimStatus), "The claims that were made from templates.", {
    patch: { strategy: ["merge", "retainKeys"], mergeKey: "name" },
  }),
  extendedResourceClaimStatus: field(18, PodExtendedResourceClaimStatus, "The claim for the extended resources of the pod.", {
    pointer: true,
    gate: "DRAExtendedResource",
  }),
  allocatedResources: field(19, record(quantity), "What the node has set aside for the pod.", {
    gate: "InPlacePodLevelResourcesVerticalScaling",
  }),
  resources: field(20, ResourceRequirements, "What the node has given to the pod.", {
    pointer: true,
    gate: "InPlacePodLevelResourcesVerticalScaling",
  }),
}, { doc: "The state of a pod.", applyDefaults: withAgreeingAddresses });
export type PodStatus = Infer<typeof PodStatus>;

interface Addresses {
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip?: string }[] | null;
}

/** Makes `podIP` and the first of `podIPs` equal. If both are there and differ, `podIP` counts, which older kubelets write alone. */
function withAgreeingAddresses<S extends Addresses>(self: S): S {
  const { podIP = "" } = self, [first] = self.podIPs ?? [];
  if (podIP === (first?.ip ?? "")) return self;
  return podIP === "" ? { ...self, podIP: first?.ip } : { ...self, podIPs: [{ ip: podIP }] };
}
