/** Where a scheduler may place a pod (core/v1). */
import { LabelSelector } from "../../../core/meta/label-selector.ts";
import { NodeSelector, NodeSelectorTerm } from "../../shared/volumes/mod.ts";
import { field, type Infer, int32, int64, list, named, oneOf, string, structsOf } from "../../../core/schema.ts";

const struct = structsOf("core/v1");

export const PreferredSchedulingTerm = struct("PreferredSchedulingTerm", {
  weight: field(1, int32, "How much it counts, 1 to 100.", { required: true }),
  preference: field(2, NodeSelectorTerm, "What the node should be like.", { required: true }),
}, { doc: "A wish about the node, and how much it counts." });
export type PreferredSchedulingTerm = Infer<typeof PreferredSchedulingTerm>;

export const NodeAffinity = struct("NodeAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: field(1, NodeSelector, "What the node has to be like when the pod is placed.", {
    pointer: true,
  }),
  preferredDuringSchedulingIgnoredDuringExecution: field(
    2,
    list(PreferredSchedulingTerm),
    "What the node should be like; the scheduler adds up what holds.",
  ),
}, { doc: "On which nodes the pod may run and would like to." });
export type NodeAffinity = Infer<typeof NodeAffinity>;

export const PodAffinityTerm = struct("PodAffinityTerm", {
  labelSelector: field(1, LabelSelector, "Chooses the pods by labels; none if absent.", { pointer: true }),
  namespaces: field(2, list(string), "Namespaces of those pods, beside what namespaceSelector chooses; the own one if both are absent."),
  topologyKey: field(3, string, "Label of nodes that makes them one place.", { required: true }),
  namespaceSelector: field(4, LabelSelector, "Chooses namespaces by labels; all of them if empty.", { pointer: true }),
  matchLabelKeys: field(5, list(string), "Labels of the pod itself that those pods have to share."),
  mismatchLabelKeys: field(6, list(string), "Labels of the pod itself that those pods must not share."),
}, { doc: "Pods near which, or far from which, the pod is to be placed." });
export type PodAffinityTerm = Infer<typeof PodAffinityTerm>;

export const WeightedPodAffinityTerm = struct("WeightedPodAffinityTerm", {
  weight: field(1, int32, "How much it counts, 1 to 100.", { required: true }),
  podAffinityTerm: field(2, PodAffinityTerm, "The pods that are meant.", { required: true }),
}, { doc: "A wish about other pods, and how much it counts." });
export type WeightedPodAffinityTerm = Infer<typeof WeightedPodAffinityTerm>;

export const PodAffinity = struct("PodAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: field(1, list(PodAffinityTerm), "Pods that have to be near when the pod is placed."),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, list(WeightedPodAffinityTerm), "Pods that should be near."),
}, { doc: "Near which pods the pod is to be placed." });
export type PodAffinity = Infer<typeof PodAffinity>;

export const PodAntiAffinity = struct("PodAntiAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: field(1, list(PodAffinityTerm), "Pods that must not be near when the pod is placed."),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, list(WeightedPodAffinityTerm), "Pods that should not be near."),
}, { doc: "Far from which pods the pod is to be placed." });
export type PodAntiAffinity = Infer<typeof PodAntiAffinity>;

export const Affinity = struct("Affinity", {
  nodeAffinity: field(1, NodeAffinity, "By the nodes themselves.", { pointer: true }),
  podAffinity: field(2, PodAffinity, "By pods that should be near.", { pointer: true }),
  podAntiAffinity: field(3, PodAntiAffinity, "By pods that should not be near.", { pointer: true }),
}, { doc: "Where the scheduler places the pod." });
export type Affinity = Infer<typeof Affinity>;

export const Toleration = struct("Toleration", {
  key: field(1, string, "Key of the taint; every taint if empty and the operator is Exists."),
  operator: field(
    2,
    named("v1.TolerationOperator", oneOf("Equal", "Exists", "Gt", "Lt")),
    "How value and taint are compared: Equal (the default), Exists, or Lt and Gt for numbers.",
  ),
  value: field(3, string, "Value of the taint; none with Exists."),
  effect: field(
    4,
    named("v1.TaintEffect", oneOf("NoExecute", "NoSchedule", "PreferNoSchedule")),
    "Effect of the taint; all effects if empty.",
  ),
  tolerationSeconds: field(5, int64, "How long a NoExecute taint is put up with, in seconds; for ever if absent.", { pointer: true }),
}, { doc: "A taint of nodes that the pod puts up with." });
export type Toleration = Infer<typeof Toleration>;

export const TopologySpreadConstraint = struct("TopologySpreadConstraint", {
  maxSkew: field(1, int32, "How many more pods one place may have than another, 1 at least.", { required: true }),
  topologyKey: field(2, string, "Label of nodes that makes them one place.", { required: true }),
  whenUnsatisfiable: field(
    3,
    named("v1.UnsatisfiableConstraintAction", oneOf("DoNotSchedule", "ScheduleAnyway")),
    "DoNotSchedule keeps the pod waiting, ScheduleAnyway only prefers.",
    { required: true },
  ),
  labelSelector: field(4, LabelSelector, "Chooses the pods that are counted.", { pointer: true }),
  minDomains: field(5, int32, "How many places there have to be, 1 at least; fewer count as if one were empty. Only with DoNotSchedule.", {
    pointer: true,
  }),
  nodeAffinityPolicy: field(
    6,
    named("v1.NodeInclusionPolicy", oneOf("Honor", "Ignore")),
    "Whether nodes that the pod cannot use by its node affinity are left out: Honor (the default) or Ignore.",
    { pointer: true },
  ),
  nodeTaintsPolicy: field(
    7,
    named("v1.NodeInclusionPolicy", oneOf("Honor", "Ignore")),
    "Whether nodes whose taints the pod does not tolerate are left out: Honor or Ignore (the default).",
    { pointer: true },
  ),
  matchLabelKeys: field(8, list(string), "Labels of the pod itself that the counted pods have to share."),
}, { doc: "How evenly pods of one kind are spread over places." });
export type TopologySpreadConstraint = Infer<typeof TopologySpreadConstraint>;
