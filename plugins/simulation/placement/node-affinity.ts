/** Which nodes a pod may be on by its own wish: its selector and its affinity to nodes. */
import { selectsLabels } from "../../../toolbox.ts";
import type { Node, Pod } from "../world/world.ts";

type Spec = Pod["spec"];
type NodeAffinity = NonNullable<NonNullable<Spec["affinity"]>["nodeAffinity"]>;
/** A term of a node selector. */
export type NodeTerm = NonNullable<NodeAffinity["requiredDuringSchedulingIgnoredDuringExecution"]>["nodeSelectorTerms"][number];
type Requirement = NonNullable<NodeTerm["matchExpressions"]>[number];

/** Whether values of a node meet a requirement. It has two operators more than that of a label selector. */
function isMet({ key, operator, values = [] }: Requirement, all: Readonly<Record<string, string>>): boolean {
  if (operator !== "Gt" && operator !== "Lt") return selectsLabels({ matchExpressions: [{ key, operator, values }] }, all);
  const value = all[key] ?? "", limit = values[0] ?? "";
  if (!isWhole(value) || !isWhole(limit)) return false;
  return operator === "Gt" ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
}

const isWhole = (text: string): boolean => /^-?\d{1,18}$/.test(text);

/** Whether a node meets a term: all of its requirements. A term without any selects no node. */
export function meetsTerm({ matchExpressions = [], matchFields = [] }: NodeTerm, { metadata }: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return matchExpressions.every((each) => isMet(each, metadata.labels ?? {})) &&
    matchFields.every((each) => each.key === "metadata.name" && isMet(each, { "metadata.name": metadata.name ?? "" }));
}

/** Whether the pod's node selector and required affinity to nodes select the node. */
export function selectsNode({ nodeSelector = {}, affinity }: Spec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(nodeSelector).every(([key, value]) => labels[key] === value)) return false;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => meetsTerm(term, node));
}

/** The sum of the weights of the pod's preferences that the node meets, from 0 to 1. */
export function nodePreference({ affinity }: Spec, node: Node): number {
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const all = preferred.reduce((sum, { weight }) => sum + weight, 0);
  return all === 0 ? 0 : preferred.reduce((sum, { weight, preference }) => sum + (meetsTerm(preference, node) ? weight : 0), 0) / all;
}
