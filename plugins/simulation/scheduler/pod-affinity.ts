/** Near which pods a pod may be placed: affinity, anti-affinity and topology spread. */
import { selectsLabels } from "../../../toolbox.ts";
import { untoleratedTaint } from "../placement/taints.ts";
import type { Node, Pod } from "../world/world.ts";
import { selectsNode } from "../placement/node-affinity.ts";
import type { NodeRoom } from "./node-room.ts";

type PodAntiAffinity = NonNullable<NonNullable<Pod["spec"]["affinity"]>["podAntiAffinity"]>;
type Term = NonNullable<PodAntiAffinity["requiredDuringSchedulingIgnoredDuringExecution"]>[number];
type Selector = NonNullable<Term["labelSelector"]>;

/** Returns the labels of a namespace. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>>;

/** The terms of anti-affinity that a pod requires. */
export function antiAffinityOf({ spec }: Pod): readonly Term[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

const affinityOf = ({ spec }: Pod): readonly Term[] => spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** The selector with the requirements of `matchLabelKeys` and `mismatchLabelKeys`, which the server may have merged already. */
function selectorOf(
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: Term,
  labels: Readonly<Record<string, string>>,
): Selector | undefined {
  if (labelSelector === undefined) return undefined;
  const more = [
    ...matchLabelKeys.filter((key) => labels[key] !== undefined).map((key) => ({ key, operator: "In" as const, values: [labels[key]!] })),
    ...mismatchLabelKeys.filter((key) => labels[key] !== undefined).map((key) => ({
      key,
      operator: "NotIn" as const,
      values: [labels[key]!],
    })),
  ];
  return more.length === 0 ? labelSelector : { ...labelSelector, matchExpressions: [...labelSelector.matchExpressions ?? [], ...more] };
}

/** Whether the term of `owner` selects the pod `other`. */
export function termSelects(term: Term, owner: Pod, other: Pod, labelsOf: NamespaceLabels): boolean {
  const selector = selectorOf(term, owner.metadata.labels ?? {}), { namespace = "", labels = {} } = other.metadata;
  const { namespaces = [], namespaceSelector } = term;
  const isNear = namespaces.length === 0 && namespaceSelector === undefined
    ? namespace === owner.metadata.namespace
    : namespaces.includes(namespace) || (namespaceSelector !== undefined && selectsLabels(namespaceSelector, labelsOf(namespace)));
  return selector !== undefined && isNear && selectsLabels(selector, labels);
}

/** A check of nodes for one pod; it returns why the node is not possible, in upstream's words, or undefined. */
export type NodeCheck = (node: Node) => string | undefined;

const domainOf = (node: Node | undefined, key: string): string | undefined => node?.metadata.labels?.[key];

/** The domains of a topology key in which pods are that `isCounted` counts. */
function countByDomain(rooms: Iterable<NodeRoom>, key: string, isCounted: (pod: Pod) => boolean): Map<string, number> {
  const counts = new Map<string, number>();
  for (const room of rooms) {
    const domain = domainOf(room.node, key);
    if (domain === undefined) continue;
    for (const pod of room.pods()) if (isCounted(pod)) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return counts;
}

/** Returns the check for the affinities of the pod, and for the anti-affinities of those that are placed already (`guarded`). */
export function affinityCheck(
  pod: Pod,
  rooms: readonly NodeRoom[],
  guarded: Iterable<readonly [Pod, Node]>,
  labelsOf: NamespaceLabels,
): NodeCheck | undefined {
  const near = affinityOf(pod).map((term) => ({
    key: term.topologyKey,
    counts: countByDomain(rooms, term.topologyKey, (other) => termSelects(term, pod, other, labelsOf)),
    isOwn: termSelects(term, pod, pod, labelsOf),
  }));
  // The first pod of a group that wants to be near each other may be placed anywhere.
  const isFirst = near.every(({ counts, isOwn }) => counts.size === 0 && isOwn);
  const far = antiAffinityOf(pod).map((term) => ({
    key: term.topologyKey,
    counts: countByDomain(rooms, term.topologyKey, (other) => termSelects(term, pod, other, labelsOf)),
  }));
  const forbidden = new Set<string>();
  for (const [other, node] of guarded) {
    for (const term of antiAffinityOf(other)) {
      const domain = domainOf(node, term.topologyKey);
      if (domain !== undefined && termSelects(term, other, pod, labelsOf)) forbidden.add(`${term.topologyKey}=${domain}`);
    }
  }
  if (near.length + far.length + forbidden.size === 0) return undefined;
  const keys = new Set([...forbidden].map((each) => each.slice(0, each.indexOf("="))));
  return (node) => {
    const isNear = near.every(({ key, counts }) => domainOf(node, key) !== undefined && (isFirst || counts.has(domainOf(node, key)!)));
    if (!isNear) return "node(s) didn't match pod affinity rules";
    if (far.some(({ key, counts }) => counts.has(domainOf(node, key) ?? ""))) return "node(s) didn't match pod anti-affinity rules";
    const isForbidden = [...keys].some((key) => forbidden.has(`${key}=${domainOf(node, key)}`));
    return isForbidden ? "node(s) didn't satisfy existing pods anti-affinity rules" : undefined;
  };
}

const spreadReason = "node(s) didn't match pod topology spread constraints";

/** Returns the check for the topology spread constraints that the pod requires. */
export function spreadCheck(pod: Pod, rooms: readonly NodeRoom[]): NodeCheck | undefined {
  const required = (pod.spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");
  if (required.length === 0) return undefined;
  const { namespace, labels = {} } = pod.metadata;
  const constraints = required.map((each) => {
    const { topologyKey, maxSkew, minDomains = 1, nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = each;
    const selector = selectorOf(each as unknown as Term, labels);
    const isCounted = (other: Pod) =>
      other.metadata.namespace === namespace && other.metadata.deletionTimestamp === undefined && selector !== undefined &&
      selectsLabels(selector, other.metadata.labels ?? {});
    const eligible = rooms.filter(({ node }) =>
      node !== undefined && required.every(({ topologyKey }) => domainOf(node, topologyKey) !== undefined) &&
      (nodeAffinityPolicy === "Ignore" || selectsNode(pod.spec, node)) &&
      (nodeTaintsPolicy === "Ignore" ||
        untoleratedTaint(node.spec.taints ?? [], pod.spec.tolerations ?? [], ["NoSchedule", "NoExecute"]) === undefined)
    );
    const counts = countByDomain(eligible, topologyKey, isCounted);
    const domains = new Set(eligible.flatMap(({ node }) => domainOf(node, topologyKey) ?? []));
    const least = domains.size < minDomains
      ? 0
      : [...domains].reduce((fewest, domain) => Math.min(fewest, counts.get(domain) ?? 0), Infinity);
    return { topologyKey, counts, most: maxSkew + (least === Infinity ? 0 : least), own: isCounted(pod) ? 1 : 0 };
  });
  return (node) => {
    if (constraints.some(({ topologyKey }) => domainOf(node, topologyKey) === undefined)) return `${spreadReason} (missing required label)`;
    const isTooFull = constraints.some(({ topologyKey, counts, most, own }) =>
      (counts.get(domainOf(node, topologyKey)!) ?? 0) + own > most
    );
    return isTooFull ? spreadReason : undefined;
  };
}
