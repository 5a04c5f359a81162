/** How volumes choose nodes and places (core/v1). */
import { field, type Infer, list, named, oneOf, string, structsOf } from "../../../core/schema.ts";

const struct = structsOf("core/v1");

export const NodeSelectorRequirement = struct("NodeSelectorRequirement", {
  key: field(1, string, "Key of the label, or path of the field.", { required: true }),
  operator: field(
    2,
    named("v1.NodeSelectorOperator", oneOf("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")),
    "How the values are compared; Gt and Lt take exactly one number.",
    { required: true },
  ),
  values: field(3, list(string), "Values to compare with; none for Exists and DoesNotExist."),
}, { doc: "One condition on a label or field of a node." });
export type NodeSelectorRequirement = Infer<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = struct("NodeSelectorTerm", {
  matchExpressions: field(1, list(NodeSelectorRequirement), "Conditions on labels of the node."),
  matchFields: field(2, list(NodeSelectorRequirement), "Conditions on fields of the node; metadata.name is the only one."),
}, { doc: "Conditions that a node has to meet together; an empty term matches no node.", atomic: true });
export type NodeSelectorTerm = Infer<typeof NodeSelectorTerm>;

export const NodeSelector = struct("NodeSelector", {
  nodeSelectorTerms: field(1, list(NodeSelectorTerm), "Alternatives; one that holds is enough.", { required: true }),
}, { doc: "Chooses the nodes that meet at least one of its terms.", atomic: true });
export type NodeSelector = Infer<typeof NodeSelector>;

export const VolumeNodeAffinity = struct("VolumeNodeAffinity", {
  required: field(1, NodeSelector, "What a node has to meet.", { pointer: true }),
}, { doc: "The nodes from which a volume can be reached." });
export type VolumeNodeAffinity = Infer<typeof VolumeNodeAffinity>;

export const TopologySelectorLabelRequirement = struct("TopologySelectorLabelRequirement", {
  key: field(1, string, "Key of the label.", { required: true }),
  values: field(2, list(string), "Values of which the label must have one.", { required: true }),
}, { doc: "One condition on a topology label." });
export type TopologySelectorLabelRequirement = Infer<typeof TopologySelectorLabelRequirement>;

export const TopologySelectorTerm = struct("TopologySelectorTerm", {
  matchLabelExpressions: field(1, list(TopologySelectorLabelRequirement), "Conditions that must hold together."),
}, { doc: "Chooses the places in which volumes may be provisioned.", atomic: true });
export type TopologySelectorTerm = Infer<typeof TopologySelectorTerm>;
