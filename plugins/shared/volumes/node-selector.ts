/** Schemas of node and topology selectors (core/v1). */
import { field, type Infer, list, oneOf, string, structsOf } from "../../../plugin.ts";
import { named } from "../../../toolbox.ts";

const struct = structsOf("core/v1");

export const NodeSelectorRequirement = struct("NodeSelectorRequirement", {
  key: field(1, string, "The key of the label, or the path of the field.", { required: true }),
  operator: field(
    2,
    named("v1.NodeSelectorOperator", oneOf("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")),
    "The comparison. Gt and Lt require exactly one number.",
    { required: true },
  ),
  values: field(3, list(string), "The values to compare with. Empty for Exists and DoesNotExist."),
}, { doc: "A requirement on a label or field of a node." });
export type NodeSelectorRequirement = Infer<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = struct("NodeSelectorTerm", {
  matchExpressions: field(1, list(NodeSelectorRequirement), "Requirements on labels of the node."),
  matchFields: field(2, list(NodeSelectorRequirement), "Requirements on fields of the node. Only metadata.name is supported."),
}, { doc: "Requirements that a node must all satisfy. An empty term matches no node.", atomic: true });
export type NodeSelectorTerm = Infer<typeof NodeSelectorTerm>;

export const NodeSelector = struct("NodeSelector", {
  nodeSelectorTerms: field(1, list(NodeSelectorTerm), "The terms, combined by OR.", { required: true }),
}, { doc: "Selects the nodes that match at least one term.", atomic: true });
export type NodeSelector = Infer<typeof NodeSelector>;

export const VolumeNodeAffinity = struct("VolumeNodeAffinity", {
  required: field(1, NodeSelector, "The required node selector.", { pointer: true }),
}, { doc: "The nodes from which a volume is accessible." });
export type VolumeNodeAffinity = Infer<typeof VolumeNodeAffinity>;

export const TopologySelectorLabelRequirement = struct("TopologySelectorLabelRequirement", {
  key: field(1, string, "The key of the label.", { required: true }),
  values: field(2, list(string), "The allowed values of the label.", { required: true }),
}, { doc: "A requirement on a topology label." });
export type TopologySelectorLabelRequirement = Infer<typeof TopologySelectorLabelRequirement>;

export const TopologySelectorTerm = struct("TopologySelectorTerm", {
  matchLabelExpressions: field(1, list(TopologySelectorLabelRequirement), "Requirements that must all be satisfied."),
}, { doc: "Selects the topologies in which volumes can be provisioned.", atomic: true });
export type TopologySelectorTerm = Infer<typeof TopologySelectorTerm>;
