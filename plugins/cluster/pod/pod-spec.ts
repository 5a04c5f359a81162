/** What a pod is made of (core/v1). */
import { ObjectMeta } from "../../../core/meta/object-meta.ts";
import { LocalObjectReference } from "../../../core/meta/references.ts";
import { inMillis, ResourceList, ResourceRequirements, Volume } from "../../shared/volumes/mod.ts";
import { Affinity, Toleration, TopologySpreadConstraint } from "./affinity.ts";
import { Container, EphemeralContainer } from "./container.ts";
import { PodSecurityContext } from "./security.ts";
import {
  atomicRecord,
  boolean,
  field,
  type Infer,
  int32,
  type Int64,
  int64,
  list,
  mapBy,
  named,
  oneOf,
  string,
  structsOf,
} from "../../../core/schema.ts";

const struct = structsOf("core/v1");

export const PodDNSConfigOption = struct("PodDNSConfigOption", {
  name: field(1, string, "Name of the option."),
  value: field(2, string, "Its value.", { pointer: true }),
}, { doc: "An option of the resolver." });
export type PodDNSConfigOption = Infer<typeof PodDNSConfigOption>;

export const PodDNSConfig = struct("PodDNSConfig", {
  nameservers: field(1, list(string), "Addresses of name servers, three at most."),
  searches: field(2, list(string), "Domains to search."),
  options: field(3, list(PodDNSConfigOption), "Options; they win over equal ones."),
}, { doc: "What the resolver of the pod is told beside what dnsPolicy says." });
export type PodDNSConfig = Infer<typeof PodDNSConfig>;

export const HostAlias = struct("HostAlias", {
  ip: field(1, string, "The address.", { required: true }),
  hostnames: field(2, list(string), "Its names."),
}, { doc: "An address and its names, as a line of /etc/hosts." });
export type HostAlias = Infer<typeof HostAlias>;

export const PodOS = struct("PodOS", {
  name: field(1, named("v1.OSName", string), "linux or windows.", { required: true }),
}, { doc: "The system of the containers." });
export type PodOS = Infer<typeof PodOS>;

export const PodReadinessGate = struct("PodReadinessGate", {
  conditionType: field(1, named("v1.PodConditionType", string), "Type of a condition of the pod.", { required: true }),
}, { doc: "A condition that has to hold before the pod counts as ready." });
export type PodReadinessGate = Infer<typeof PodReadinessGate>;

export const PodResourceClaim = struct("PodResourceClaim", {
  name: field(1, string, "Name by which containers mean it, a DNS label.", { required: true }),
  resourceClaimName: field(3, string, "A claim of the same namespace; this or the template.", { pointer: true }),
  resourceClaimTemplateName: field(4, string, "A template from which a claim is made for the pod.", { pointer: true }),
}, { doc: "A claim for devices that containers of the pod may use." });
export type PodResourceClaim = Infer<typeof PodResourceClaim>;

export const PodSchedulingGate = struct("PodSchedulingGate", {
  name: field(1, string, "Name of it, unique in the pod.", { required: true }),
}, { doc: "Something that has to be taken away before the pod is placed." });
export type PodSchedulingGate = Infer<typeof PodSchedulingGate>;

export const WorkloadReference = struct("WorkloadReference", {
  name: field(1, string, "Name of the workload, in the same namespace.", { required: true }),
  podGroup: field(2, string, "Name of the group in the workload.", { required: true }),
  podGroupReplicaKey: field(3, string, "Which replica of the group; none if empty."),
}, { doc: "The workload that the pod is a part of." });
export type WorkloadReference = Infer<typeof WorkloadReference>;

export const PodSpec = struct("PodSpec", {
  volumes: field(1, mapBy(["name"], Volume), "Volumes that containers may mount.", {
    patch: { strategy: ["merge", "retainKeys"], mergeKey: "name" },
  }),
  initContainers: field(20, mapBy(["name"], Container), "Containers that run one after the other before the others start.", {
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  containers: field(2, mapBy(["name"], Container), "The containers, one at least.", {
    required: true,
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  ephemeralContainers: field(34, mapBy(["name"], EphemeralContainer), "Containers put into a running pod; none in a template.", {
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  restartPolicy: field(
    3,
    named("v1.RestartPolicy", oneOf("Always", "Never", "OnFailure")),
    "When containers are started again: Always (the default), OnFailure or Never.",
  ),
  terminationGracePeriodSeconds: field(4, int64, "Seconds that containers get to end, 30 unless said otherwise.", { pointer: true }),
  activeDeadlineSeconds: field(5, int64, "Seconds that the pod may be active on its node.", { pointer: true }),
  dnsPolicy: field(
    6,
    named("v1.DNSPolicy", oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")),
    "ClusterFirst (the default), ClusterFirstWithHostNet, Default or None.",
  ),
  nodeSelector: field(7, atomicRecord(string), "Labels that the node has to have."),
  serviceAccountName: field(8, string, "Service account that the pod runs as."),
  serviceAccount: field(9, string, "The older name of serviceAccountName; always the same.", { goName: "DeprecatedServiceAccount" }),
  automountServiceAccountToken: field(21, boolean, "Whether the token of the service account is mounted.", { pointer: true }),
  nodeName: field(10, string, "Node that is to run it; written by the scheduler otherwise."),
  hostNetwork: field(11, boolean, "Whether it uses the network of the node."),
  hostPID: field(12, boolean, "Whether it sees the processes of the node."),
  hostIPC: field(13, boolean, "Whether it shares the memory of the node."),
  shareProcessNamespace: field(27, boolean, "Whether its containers see each other's processes; not together with hostPID.", {
    pointer: true,
  }),
  securityContext: field(14, PodSecurityContext, "With what rights its containers run.", { pointer: true }),
  imagePullSecrets: field(15, mapBy(["name"], LocalObjectReference), "Secrets with which its images are pulled.", {
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  hostname: field(16, string, "Name of the host in the pod; that of the pod if empty."),
  subdomain: field(17, string, "Makes the full name hostname.subdomain.namespace.svc and the domain of the cluster."),
  affinity: field(18, Affinity, "Where the scheduler places it.", { pointer: true }),
  schedulerName: field(19, string, "Scheduler that places it, default-scheduler unless said otherwise."),
  tolerations: field(22, list(Toleration), "Taints of nodes that it puts up with."),
  hostAliases: field(23, mapBy(["ip"], HostAlias), "Lines of its /etc/hosts.", { patch: { strategy: ["merge"], mergeKey: "ip" } }),
  priorityClassName: field(24, string, "Class that says how important it is."),
  priority: field(25, int32, "How important it is; an admission step writes it from the class.", { pointer: true }),
  dnsConfig: field(26, PodDNSConfig, "What its resolver is told besides.", { pointer: true }),
  readinessGates: field(28, list(PodReadinessGate), "Conditions that have to hold before it counts as ready."),
  runtimeClassName: field(29, string, "Class of container runtime; the default one if absent.", { pointer: true }),
  enableServiceLinks: field(30, boolean, "Whether it gets variables for the services of its namespace.", { pointer: true }),
  preemptionPolicy: field(
    31,
    named("v1.PreemptionPolicy", oneOf("Never", "PreemptLowerPriority")),
    "Whether others are pushed out for it: PreemptLowerPriority or Never.",
    { pointer: true },
  ),
  overhead: field(32, ResourceList, "What running it costs beside its containers, by resource; from its runtime class."),
  topologySpreadConstraints: field(
    33,
    mapBy(["topologyKey", "whenUnsatisfiable"], TopologySpreadConstraint),
    "How evenly pods like it are spread; all have to hold.",
    { patch: { strategy: ["merge"], mergeKey: "topologyKey" } },
  ),
  setHostnameAsFQDN: field(35, boolean, "Whether its host name is its full name.", { pointer: true }),
  os: field(36, PodOS, "System of its containers; some fields are refused by it.", { pointer: true }),
  hostUsers: field(37, boolean, "Whether it uses the user ids of the node; true if absent.", { pointer: true }),
  schedulingGates: field(38, mapBy(["name"], PodSchedulingGate), "What has to be taken away before it is placed.", {
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  resourceClaims: field(39, mapBy(["name"], PodResourceClaim), "Claims for devices that its containers may use.", {
    patch: { strategy: ["merge", "retainKeys"], mergeKey: "name" },
  }),
  resources: field(40, ResourceRequirements, "What its containers need and may use together.", {
    pointer: true,
    gate: "PodLevelResources",
  }),
  hostnameOverride: field(41, string, "Name of the host in the pod, in place of hostname and subdomain.", {
    pointer: true,
    gate: "HostnameOverride",
  }),
  workloadRef: field(42, WorkloadReference, "The workload that it is a part of.", { pointer: true, gate: "GenericWorkload" }),
}, { doc: "What a pod is made of and where it may run. Schedulers and nodes act on it.", fill: podDefaults });
export type PodSpec = Infer<typeof PodSpec>;

export const PodTemplateSpec = struct("PodTemplateSpec", {
  metadata: field(1, ObjectMeta, "Labels and annotations of the pods; other metadata has no effect.", { written: "always" }),
  spec: field(2, PodSpec, "What the pods are made of.", { written: "always" }),
}, { doc: "What pods made from it look like." });
export type PodTemplateSpec = Infer<typeof PodTemplateSpec>;

interface Defaulted {
  readonly restartPolicy?: string;
  readonly dnsPolicy?: string;
  readonly schedulerName?: string;
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  readonly securityContext?: unknown;
  readonly terminationGracePeriodSeconds?: Int64 | null;
}
const roundOverhead = inMillis("overhead");

/** The two names of the service account are one field: the newer one goes before the older. */
function podDefaults(self: Defaulted): Defaulted {
  const { restartPolicy = "", dnsPolicy = "", schedulerName = "", serviceAccountName = "", serviceAccount = "" } = self;
  const account = serviceAccountName || serviceAccount;
  const told = restartPolicy !== "" && dnsPolicy !== "" && schedulerName !== "" && (self.terminationGracePeriodSeconds ?? null) !== null &&
    self.securityContext !== undefined && serviceAccountName === serviceAccount;
  if (told) return roundOverhead(self);
  return roundOverhead({
    ...self,
    restartPolicy: restartPolicy || "Always",
    terminationGracePeriodSeconds: self.terminationGracePeriodSeconds ?? 30,
    dnsPolicy: dnsPolicy || "ClusterFirst",
    ...(account === "" ? {} : { serviceAccountName: account, serviceAccount: account }),
    securityContext: self.securityContext ?? {},
    schedulerName: schedulerName || "default-scheduler",
  });
}
