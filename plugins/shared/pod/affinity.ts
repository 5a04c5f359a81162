/** Schemas for the placement of pods by the scheduler (core/v1). */
import { field, type Infer, int32, int64, LabelSelector, list, oneOf, string, structsOf } from "../../../plugin.ts";
import { named } from "../../../toolbox.ts";
import { NodeSelector, NodeSelectorTerm } from "../volumes/mod.ts";

const struct = structsOf("core/v1");

export const PreferredSchedulingTerm = struct("PreferredSchedulingTerm", {
  weight: field(1, int32, "The weight of the preference, 1 to 100.", { required: true }),
  preference: field(2, NodeSelectorTerm, "The preferred node selector term.", { required: true }),
}, { doc: "A weighted preference for nodes." });
export type PreferredSchedulingTerm = Infer<typeof PreferredSchedulingTerm>;

export const NodeAffinity = struct("NodeAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: field(1, NodeSelector, "The requirements on the node when the pod is scheduled.", {
    pointer: true,
  }),
  preferredDuringSchedulingIgnoredDuringExecution: field(
    2,
    list(PreferredSchedulingTerm),
    "The preferences for nodes. The scheduler adds the weights of those that match.",
  ),
}, { doc: "The required and preferred nodes of the pod." });
export type NodeAffinity = Infer<typeof NodeAffinity>;

export const PodAffinityTerm = struct("PodAffinityTerm", {
  labelSelector: field(1, LabelSelector, "Selects the pods by labels. Absent: no pods.", { pointer: true }),
  namespaces: field(
    2,
    list(string),
    "The namespaces of the pods, in addition to those of namespaceSelector. Default: the pod's namespace, if both are absent.",
  ),
  topologyKey: field(3, string, "The node label that defines the topology domains.", { required: true }),
  namespaceSelector: field(4, LabelSelector, "Selects namespaces by labels. Empty: all namespaces.", { pointer: true }),
  matchLabelKeys: field(5, list(string), "Label keys whose values must be equal to those of the pod."),
  mismatchLabelKeys: field(6, list(string), "Label keys whose values must differ from those of the pod."),
}, { doc: "A set of pods for affinity or anti-affinity, and the topology domain." });
export type PodAffinityTerm = Infer<typeof PodAffinityTerm>;

export const WeightedPodAffinityTerm = struct("WeightedPodAffinityTerm", {
  weight: field(1, int32, "The weight of the preference, 1 to 100.", { required: true }),
  podAffinityTerm: field(2, PodAffinityTerm, "The pods and the topology domain.", { required: true }),
}, { doc: "A weighted preference for pods." });
export type WeightedPodAffinityTerm = Infer<typeof WeightedPodAffinityTerm>;

export const PodAffinity = struct("PodAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: field(
    1,
    list(PodAffinityTerm),
    "Pods that must be in the same topology domain when the pod is scheduled.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, list(WeightedPodAffinityTerm), "Pods that should be in the same domain."),
}, { doc: "Affinity to other pods." });
export type PodAffinity = Infer<typeof PodAffinity>;

export const PodAntiAffinity = struct("PodAntiAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: field(
    1,
    list(PodAffinityTerm),
    "Pods that must be in other topology domains when the pod is scheduled.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, list(WeightedPodAffinityTerm), "Pods that should be in other domains."),
}, { doc: "Anti-affinity to other pods." });
export type PodAntiAffinity = Infer<typeof PodAntiAffinity>;

export const Affinity = struct("Affinity", {
  nodeAffinity: field(1, NodeAffinity, "Affinity to nodes.", { pointer: true }),
  podAffinity: field(2, PodAffinity, "Affinity to other pods.", { pointer: true }),
  podAntiAffinity: field(3, PodAntiAffinity, "Anti-affinity to other pods.", { pointer: true }),
}, { doc: "Scheduling constraints of the pod." });
export type Affinity = Infer<typeof Affinity>;

export const Toleration = struct("Toleration", {
  key: field(1, string, "The key of the taint. Empty with operator Exists: all taints."),
  operator: field(
    2,
    named("v1.TolerationOperator", oneOf("Equal", "Exists", "Gt", "Lt")),
    "The comparison with the taint: Equal (the default), Exists, or Lt and Gt for numbers.",
  ),
  value: field(3, string, "The value of the taint. Empty with Exists."),
  effect: field(
    4,
    named("v1.TaintEffect", oneOf("NoExecute", "NoSchedule", "PreferNoSchedule")),
    "The effect of the taint. Empty: all effects.",
  ),
  tolerationSeconds: field(5, int64, "How long a NoExecute taint is tolerated, in seconds. Absent: for ever.", { pointer: true }),
}, { doc: "A toleration of node taints." });
export type Toleration = Infer<typeof Toleration>;

export const TopologySpreadConstraint = struct("TopologySpreadConstraint", {
  maxSkew: field(1, int32, "The maximum difference in the number of pods between two topology domains, at least 1.", { required: true }),
  topologyKey: field(2, string, "The node label that defines the topology domains.", { required: true }),
  whenUnsatisfiable: field(
    3,
    named("v1.UnsatisfiableConstraintAction", oneOf("DoNotSchedule", "ScheduleAnyway")),
    "DoNotSchedule (the pod waits) or ScheduleAnyway (the constraint is a preference).",
    { required: true },
  ),
  labelSelector: field(4, LabelSelector, "Selects the pods to count.", { pointer: true }),
  minDomains: field(
    5,
    int32,
    "The minimum number of domains, at least 1. With fewer, the global minimum of pods is 0. Only with DoNotSchedule.",
    {
      pointer: true,
    },
  ),
  nodeAffinityPolicy: field(
    6,
    named("v1.NodeInclusionPolicy", oneOf("Honor", "Ignore")),
    "Whether nodes that do not match the pod's node affinity are excluded: Honor (the default) or Ignore.",
    { pointer: true },
  ),
  nodeTaintsPolicy: field(
    7,
    named("v1.NodeInclusionPolicy", oneOf("Honor", "Ignore")),
    "Whether nodes with taints that the pod does not tolerate are excluded: Honor or Ignore (the default).",
    { pointer: true },
  ),
  matchLabelKeys: field(8, list(string), "Label keys for which counted pods must have the same values as the pod."),
}, { doc: "How pods are spread over topology domains." });
export type TopologySpreadConstraint = Infer<typeof TopologySpreadConstraint>;
