/** The schema of PodSpec and PodTemplateSpec (core/v1). */
import { boolean, field, type Infer, int32, int64, list, mapBy, oneOf, string, structsOf } from "../../../plugin.ts";
import { atomicRecord, type Int64, LocalObjectReference, named, ObjectMeta } from "../../../toolbox.ts";
import { ResourceList, ResourceRequirements, roundToMillis, Volume } from "../volumes/mod.ts";
import { emptyDropper, keepingEmpty } from "../keeping-empty.ts";
import { Affinity, Toleration, TopologySpreadConstraint } from "./affinity.ts";
import { Container, EphemeralContainer } from "./container.ts";
import { PodSecurityContext } from "./security.ts";

const struct = structsOf("core/v1");

export const PodDNSConfigOption = struct("PodDNSConfigOption", {
  name: field(1, string, "The name of the option."),
  value: field(2, string, "The value of the option.", { pointer: true }),
}, { doc: "An option of the resolver." });
export type PodDNSConfigOption = Infer<typeof PodDNSConfigOption>;

export const PodDNSConfig = struct("PodDNSConfig", {
  nameservers: field(1, list(string), "The IP addresses of name servers, at most 3."),
  searches: field(2, list(string), "The search domains."),
  options: field(3, list(PodDNSConfigOption), "The resolver options. They override those of the DNS policy."),
}, { doc: "The DNS configuration of the pod, merged with that of dnsPolicy." });
export type PodDNSConfig = Infer<typeof PodDNSConfig>;

export const HostAlias = struct("HostAlias", {
  ip: field(1, string, "The IP address.", { required: true }),
  hostnames: field(2, list(string), "The host names."),
}, { doc: "An IP address and its host names: a line of /etc/hosts." });
export type HostAlias = Infer<typeof HostAlias>;

export const PodOS = struct("PodOS", {
  name: field(1, named("v1.OSName", string), "linux or windows.", { required: true }),
}, { doc: "The operating system of the containers." });
export type PodOS = Infer<typeof PodOS>;

export const PodReadinessGate = struct("PodReadinessGate", {
  conditionType: field(1, named("v1.PodConditionType", string), "The type of a pod condition.", { required: true }),
}, { doc: "A condition that must be true before the pod is ready." });
export type PodReadinessGate = Infer<typeof PodReadinessGate>;

export const PodResourceClaim = struct("PodResourceClaim", {
  name: field(1, string, "The name by which containers refer to the claim: a DNS label.", { required: true }),
  resourceClaimName: field(3, string, "The name of a ResourceClaim in the same namespace. Excludes the template.", { pointer: true }),
  resourceClaimTemplateName: field(4, string, "The name of a ResourceClaimTemplate from which a claim is created.", { pointer: true }),
}, { doc: "A claim for devices that containers of the pod can use." });
export type PodResourceClaim = Infer<typeof PodResourceClaim>;

export const PodSchedulingGate = struct("PodSchedulingGate", {
  name: field(1, string, "The name of the scheduling gate, unique in the pod.", { required: true }),
}, { doc: "A gate that must be removed before the pod is scheduled." });
export type PodSchedulingGate = Infer<typeof PodSchedulingGate>;

export const WorkloadReference = struct("WorkloadReference", {
  name: field(1, string, "The name of a Workload in the same namespace.", { required: true }),
  podGroup: field(2, string, "The name of the pod group in the Workload.", { required: true }),
  podGroupReplicaKey: field(3, string, "The replica of the pod group. Empty: none."),
}, { doc: "The Workload that the pod belongs to." });
export type WorkloadReference = Infer<typeof WorkloadReference>;

export const PodSpec = struct("PodSpec", {
  volumes: field(1, mapBy(["name"], Volume), "The volumes that containers can mount.", {
    patch: { strategy: ["merge", "retainKeys"], mergeKey: "name" },
  }),
  initContainers: field(20, mapBy(["name"], Container), "Containers that run one after the other before the other containers start.", {
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  containers: field(2, mapBy(["name"], Container), "The containers, at least one.", {
    required: true,
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  ephemeralContainers: field(
    34,
    mapBy(["name"], EphemeralContainer),
    "Containers that were added to a running pod. Not allowed in a template.",
    {
      patch: { strategy: ["merge"], mergeKey: "name" },
    },
  ),
  restartPolicy: field(
    3,
    named("v1.RestartPolicy", oneOf("Always", "Never", "OnFailure")),
    "The restart policy of all containers: Always (the default), OnFailure or Never.",
  ),
  terminationGracePeriodSeconds: field(4, int64, "Time in seconds for containers to terminate. Default 30.", { pointer: true }),
  activeDeadlineSeconds: field(5, int64, "Maximum time in seconds that the pod may be active on its node.", { pointer: true }),
  dnsPolicy: field(
    6,
    named("v1.DNSPolicy", oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")),
    "ClusterFirst (the default), ClusterFirstWithHostNet, Default or None.",
  ),
  nodeSelector: field(7, atomicRecord(string), "Labels that the node must have."),
  serviceAccountName: field(8, string, "The name of the service account of the pod."),
  serviceAccount: field(9, string, "Deprecated alias of serviceAccountName. Both fields are always equal.", {
    goName: "DeprecatedServiceAccount",
  }),
  automountServiceAccountToken: field(21, boolean, "Whether the token of the service account is mounted.", { pointer: true }),
  nodeName: field(10, string, "The node of the pod. Empty: the scheduler sets it."),
  hostNetwork: field(11, boolean, "Whether the pod uses the network namespace of the node."),
  hostPID: field(12, boolean, "Whether the pod uses the PID namespace of the node."),
  hostIPC: field(13, boolean, "Whether the pod uses the IPC namespace of the node."),
  shareProcessNamespace: field(27, boolean, "Whether the containers share one PID namespace. Excludes hostPID.", {
    pointer: true,
  }),
  securityContext: field(14, PodSecurityContext, "The security options of the pod and the defaults for its containers.", { pointer: true }),
  imagePullSecrets: field(15, mapBy(["name"], LocalObjectReference), "Secrets for pulling the images.", {
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  hostname: field(16, string, "The host name of the pod. Default: the pod's name."),
  subdomain: field(17, string, "The subdomain. The full name is hostname.subdomain.namespace.svc.cluster-domain."),
  affinity: field(18, Affinity, "The scheduling constraints of the pod.", { pointer: true }),
  schedulerName: field(19, string, "The name of the scheduler. Default default-scheduler."),
  tolerations: field(22, list(Toleration), "The tolerations of node taints."),
  hostAliases: field(23, mapBy(["ip"], HostAlias), "Additional lines of /etc/hosts.", { patch: { strategy: ["merge"], mergeKey: "ip" } }),
  priorityClassName: field(24, string, "The name of the priority class."),
  priority: field(25, int32, "The priority. Set by admission from the priority class.", { pointer: true }),
  dnsConfig: field(26, PodDNSConfig, "The DNS configuration, merged with that of dnsPolicy.", { pointer: true }),
  readinessGates: field(28, list(PodReadinessGate), "Conditions that must be true before the pod is ready."),
  runtimeClassName: field(29, string, "The name of the runtime class. Absent: the default runtime.", { pointer: true }),
  enableServiceLinks: field(30, boolean, "Whether containers get environment variables for the services of the namespace.", {
    pointer: true,
  }),
  preemptionPolicy: field(
    31,
    named("v1.PreemptionPolicy", oneOf("Never", "PreemptLowerPriority")),
    "Whether pods with lower priority are preempted: PreemptLowerPriority or Never.",
    { pointer: true },
  ),
  overhead: field(
    32,
    ResourceList,
    "The resource overhead of the pod in addition to its containers. Set by admission from the runtime class.",
    { keepsEmpty: true },
  ),
  topologySpreadConstraints: field(
    33,
    mapBy(["topologyKey", "whenUnsatisfiable"], TopologySpreadConstraint),
    "How pods are spread over topology domains. All constraints apply.",
    { patch: { strategy: ["merge"], mergeKey: "topologyKey" } },
  ),
  setHostnameAsFQDN: field(35, boolean, "Whether the host name is the fully qualified domain name.", { pointer: true }),
  os: field(36, PodOS, "The operating system of the containers. Fields of other systems are rejected.", { pointer: true }),
  hostUsers: field(37, boolean, "Whether the pod uses the user namespace of the node. Default true.", { pointer: true }),
  schedulingGates: field(38, mapBy(["name"], PodSchedulingGate), "Gates that must be removed before the pod is scheduled.", {
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  resourceClaims: field(39, mapBy(["name"], PodResourceClaim), "Claims for devices that the containers can use.", {
    patch: { strategy: ["merge", "retainKeys"], mergeKey: "name" },
  }),
  resources: field(40, keepingEmpty(ResourceRequirements, ["claims"]), "The total resource requests and limits of the containers.", {
    pointer: true,
    gate: "PodLevelResources",
  }),
  hostnameOverride: field(41, string, "The host name of the pod. Overrides hostname and subdomain.", {
    pointer: true,
    gate: "HostnameOverride",
  }),
  workloadRef: field(42, WorkloadReference, "The Workload that the pod belongs to.", { pointer: true, gate: "GenericWorkload" }),
}, { doc: "The specification of a pod.", applyDefaults: podDefaults });
export type PodSpec = Infer<typeof PodSpec>;

export const PodTemplateSpec = struct("PodTemplateSpec", {
  metadata: field(1, ObjectMeta, "The labels and annotations of the pods. Other metadata has no effect.", { written: "always" }),
  spec: field(2, PodSpec, "The specification of the pods.", { written: "always" }),
}, { doc: "The template of pods." });
export type PodTemplateSpec = Infer<typeof PodTemplateSpec>;

/** The template as it is stored, which comparisons with stored templates need. */
export const templateWithoutEmpty: (template: PodTemplateSpec) => PodTemplateSpec = emptyDropper(PodTemplateSpec);

interface Defaulted {
  readonly restartPolicy?: string;
  readonly dnsPolicy?: string;
  readonly schedulerName?: string;
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  readonly securityContext?: unknown;
  readonly terminationGracePeriodSeconds?: Int64 | null;
}
const roundOverhead = roundToMillis("overhead");

/** Applies the defaults. `serviceAccountName` takes precedence over its deprecated alias `serviceAccount`. */
function podDefaults(self: Defaulted): Defaulted {
  const { restartPolicy = "", dnsPolicy = "", schedulerName = "", serviceAccountName = "", serviceAccount = "" } = self;
  const account = serviceAccountName || serviceAccount;
  const complete = restartPolicy !== "" && dnsPolicy !== "" && schedulerName !== "" &&
    (self.terminationGracePeriodSeconds ?? null) !== null &&
    self.securityContext !== undefined && serviceAccountName === serviceAccount;
  if (complete) return roundOverhead(self);
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
