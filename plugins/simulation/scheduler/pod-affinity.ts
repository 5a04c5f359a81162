/** Near which pods a pod may be placed: affinity, anti-affinity and topology spread. */
import { selectsLabels } from "../../../toolbox.ts";
import { schedulingEffects, untoleratedTaint } from "../placement/taints.ts";
import type { Node, Pod } from "../world/world.ts";
import { selectsNode } from "../placement/node-affinity.ts";
import type { NodeRoom } from "./node-room.ts";

type PodAntiAffinity = NonNullable<NonNullable<Pod["spec"]["affinity"]>["podAntiAffinity"]>;
/** A term of affinity or anti-affinity to pods. */
export type Term = NonNullable<PodAntiAffinity["requiredDuringSchedulingIgnoredDuringExecution"]>[number];
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

/** Why a node is not possible, in upstream's words. */
export interface Problem {
  readonly reason: string;
  /** Whether the node might be possible if pods were removed from it. */
  readonly isResolvable: boolean;
}

/** A rule for the node of one pod. */
export interface NodeCheck {
  /** Returns why the node is not possible; undefined if it is. */
  problem(node: Node): Problem | undefined;
  /** Counts a pod that is assumed to come to a node (1), or to leave it (-1). */
  change?(other: Pod, node: Node, by: 1 | -1): void;
}

const resolvable = (reason: string): Problem => ({ reason, isResolvable: true });
const final = (reason: string): Problem => ({ reason, isResolvable: false });

/** The value of a node's label, which says in which domain of a topology the node is. */
export const domainOf = (node: Node | undefined, key: string): string | undefined => node?.metadata.labels?.[key];

function count(counts: Map<string, number>, domain: string | undefined, by: number): void {
  if (domain === undefined) return;
  const next = (counts.get(domain) ?? 0) + by;
  if (next === 0) counts.delete(domain);
  else counts.set(domain, next);
}

/** The domains of a topology key with the numbers of their pods that `isCounted` counts. Domains without one are left out. */
export function countByDomain(rooms: Iterable<NodeRoom>, key: string, isCounted: (pod: Pod) => boolean): Map<string, number> {
  const counts = new Map<string, number>();
  for (const room of rooms) {
    const domain = domainOf(room.node, key);
    if (domain === undefined) continue;
    for (const pod of room.pods()) if (isCounted(pod)) count(counts, domain, 1);
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
  const counted = (term: Term) => {
    const selects = (other: Pod) => termSelects(term, pod, other, labelsOf);
    return { key: term.topologyKey, selects, counts: countByDomain(rooms, term.topologyKey, selects), isOwn: selects(pod) };
  };
  const near = affinityOf(pod).map(counted), far = antiAffinityOf(pod).map(counted);
  /** The domains in which placed pods do not want this one, by topology key. */
  const forbidden = new Map<string, Map<string, number>>();
  const forbid = (other: Pod, node: Node, by: 1 | -1) => {
    for (const term of antiAffinityOf(other)) {
      if (!termSelects(term, other, pod, labelsOf)) continue;
      const counts = forbidden.get(term.topologyKey) ?? new Map<string, number>();
      forbidden.set(term.topologyKey, counts);
      count(counts, domainOf(node, term.topologyKey), by);
    }
  };
  for (const [other, node] of guarded) forbid(other, node, 1);
  return {
    problem(node) {
      if (near.length + far.length + forbidden.size === 0) return undefined;
      // The first pod of a group that wants to be near each other may be placed anywhere.
      const isFirst = near.every(({ counts, isOwn }) => counts.size === 0 && isOwn);
      const isNear = near.every(({ key, counts }) => domainOf(node, key) !== undefined && (isFirst || counts.has(domainOf(node, key)!)));
      if (!isNear) return final("node(s) didn't match pod affinity rules");
      if (far.some(({ key, counts }) => counts.has(domainOf(node, key) ?? ""))) {
        return resolvable("node(s) didn't match pod anti-affinity rules");
      }
      const isForbidden = [...forbidden].some(([key, counts]) => counts.has(domainOf(node, key) ?? ""));
      return isForbidden ? resolvable("node(s) didn't satisfy existing pods anti-affinity rules") : undefined;
    },
    change(other, node, by) {
      for (const { key, selects, counts } of [...near, ...far]) if (selects(other)) count(counts, domainOf(node, key), by);
      forbid(other, node, by);
    },
  };
}

const spreadReason = "node(s) didn't match pod topology spread constraints";

type Constraint = NonNullable<Pod["spec"]["topologySpreadConstraints"]>[number];

/** Which pods a topology spread constraint of a pod counts. */
export function spreadSelector(constraint: Constraint, { metadata: { namespace, labels = {} } }: Pod): (other: Pod) => boolean {
  // `as`: the selector and the keys of labels have the same fields in both.
  const selector = selectorOf(constraint as unknown as Term, labels);
  return (other) =>
    other.metadata.namespace === namespace && other.metadata.deletionTimestamp === undefined && selector !== undefined &&
    selectsLabels(selector, other.metadata.labels ?? {});
}

/** Whether a constraint counts the pods of a node, which must have the keys of all constraints. */
export function isEligible(pod: Pod, node: Node, constraint: Constraint, keys: readonly string[]): boolean {
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  return keys.every((key) => domainOf(node, key) !== undefined) &&
    (nodeAffinityPolicy === "Ignore" || selectsNode(pod.spec, node)) &&
    (nodeTaintsPolicy === "Ignore" ||
      untoleratedTaint(node.spec.taints ?? [], pod.spec.tolerations ?? [], schedulingEffects) === undefined);
}

/** Returns the check for the topology spread constraints that the pod requires. */
export function spreadCheck(pod: Pod, rooms: readonly NodeRoom[]): NodeCheck | undefined {
  const required = (pod.spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");
  if (required.length === 0) return undefined;
  const keys = required.map(({ topologyKey }) => topologyKey);
  const constraints = required.map((each) => {
    const { topologyKey: key, maxSkew, minDomains } = each, selects = spreadSelector(each, pod);
    const eligible = rooms.filter(({ node }) => node !== undefined && isEligible(pod, node, each, keys));
    const names = new Set(eligible.map(({ node }) => node!.metadata.name)), counts = countByDomain(eligible, key, selects);
    const domains = new Set(eligible.flatMap(({ node }) => domainOf(node, key) ?? []));
    const least = () =>
      domains.size < (minDomains ?? 1) ? 0 : [...domains].reduce((fewest, domain) => Math.min(fewest, counts.get(domain) ?? 0), Infinity);
    return { key, names, counts, selects, least, fewest: least(), maxSkew, own: selects(pod) ? 1 : 0 };
  });
  return {
    problem(node) {
      if (keys.some((key) => domainOf(node, key) === undefined)) return final(`${spreadReason} (missing required label)`);
      const isTooFull = constraints.some(({ key, counts, fewest, maxSkew, own }) =>
        (counts.get(domainOf(node, key)!) ?? 0) + own > maxSkew + (fewest === Infinity ? 0 : fewest)
      );
      return isTooFull ? resolvable(spreadReason) : undefined;
    },
    change(other, node, by) {
      for (const each of constraints) {
        if (!each.names.has(node.metadata.name) || !each.selects(other)) continue;
        count(each.counts, domainOf(node, each.key), by);
        each.fewest = each.least();
      }
    },
  };
}
