/** How good nodes are for a pod, with the weights of kube-scheduler: each rule gives 0 to 100. */
import { meetsTerm } from "../placement/node-affinity.ts";
import { untoleratedTaint } from "../placement/taints.ts";
import type { Node } from "../world/world.ts";
import type { Candidate } from "./candidate.ts";
import type { ClusterRoom } from "./cluster-room.ts";
import type { NodeRoom } from "./node-room.ts";
import { countByDomain, domainOf, isEligible, spreadSelector, termSelects } from "./pod-affinity.ts";

/** Gives each room a number; higher ones are better. */
type Rule = (candidate: Candidate, rooms: readonly NodeRoom[], cluster: ClusterRoom) => readonly number[];

const best = 100;
/** What a pod more on a node weighs: it decides only between nodes that are equal otherwise. */
const podWeight = 1e-5;

/** Returns the scores of rooms, in their order. */
export function scoresOf(candidate: Candidate, rooms: readonly NodeRoom[], cluster: ClusterRoom): readonly number[] {
  if (rooms.length < 2) return rooms.map(() => 0);
  const sums = rooms.map((room) => ofResources(candidate, room));
  for (const [weight, rule] of rules) {
    for (const [index, score] of rule(candidate, rooms, cluster).entries()) sums[index]! += weight * score;
  }
  return sums;
}

const rules: readonly (readonly [weight: number, rule: Rule])[] = [
  [2, ofNodeAffinity],
  [3, ofTaints],
  [2, ofPodAffinity],
  [2, ofSpread],
];

/** Free resources, and a balance of both; the number of pods, which need not request anything. */
function ofResources({ requests }: Candidate, room: NodeRoom): number {
  const [cpu, memory] = room.usedWith(requests);
  return best * (1 - (cpu + memory) / 2) + best * (1 - Math.abs(cpu - memory) / 2) - podWeight * room.size;
}

const lowestOf = (numbers: readonly number[]): number => numbers.reduce((lowest, each) => Math.min(lowest, each), Infinity);
const highestOf = (numbers: readonly number[]): number => numbers.reduce((highest, each) => Math.max(highest, each), -Infinity);

/** Numbers as parts of the highest one; none if all are 0. */
function ofHighest(numbers: readonly number[]): readonly number[] {
  const highest = highestOf(numbers);
  return highest <= 0 ? [] : numbers.map((each) => best * each / highest);
}

function ofNodeAffinity({ pod: { spec } }: Candidate, rooms: readonly NodeRoom[]): readonly number[] {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (preferred.length === 0) return [];
  return ofHighest(
    rooms.map(({ node }) => preferred.reduce((sum, { weight, preference }) => sum + (meetsTerm(preference, node!) ? weight : 0), 0)),
  );
}

function ofTaints({ pod: { spec } }: Candidate, rooms: readonly NodeRoom[]): readonly number[] {
  const discouraging = ({ spec: { taints = [] } }: Node) =>
    taints.filter((taint) => untoleratedTaint([taint], spec.tolerations ?? [], ["PreferNoSchedule"]) !== undefined).length;
  return ofHighest(rooms.map(({ node }) => discouraging(node!))).map((each) => best - each);
}

/** Preferred affinity and anti-affinity of the pod to those that are placed. */
function ofPodAffinity({ pod, labelsOf }: Candidate, rooms: readonly NodeRoom[], cluster: ClusterRoom): readonly number[] {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const terms = [
    ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => ({ ...each, weight: -each.weight })),
  ];
  if (terms.length === 0) return [];
  const all = cluster.rooms();
  const counted = terms.map(({ weight, podAffinityTerm: term }) => ({
    weight,
    key: term.topologyKey,
    counts: countByDomain(all, term.topologyKey, (other) => termSelects(term, pod, other, labelsOf)),
  }));
  const raw = rooms.map(({ node }) =>
    counted.reduce((sum, { weight, key, counts }) => sum + weight * (counts.get(domainOf(node, key) ?? "") ?? 0), 0)
  );
  const lowest = lowestOf(raw);
  return ofHighest(raw.map((each) => each - lowest));
}

/** Topology spread constraints that are not required. */
function ofSpread({ pod }: Candidate, rooms: readonly NodeRoom[], cluster: ClusterRoom): readonly number[] {
  const wanted = (pod.spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "ScheduleAnyway");
  if (wanted.length === 0) return [];
  const keys = wanted.map(({ topologyKey }) => topologyKey),
    isIgnored = (node: Node) => keys.some((key) => domainOf(node, key) === undefined);
  const counted = wanted.map((each) => {
    const eligible = cluster.rooms().filter(({ node }) => isEligible(pod, node!, each, keys));
    const domains = new Set(rooms.flatMap(({ node }) => domainOf(node, each.topologyKey) ?? []));
    return { ...each, counts: countByDomain(eligible, each.topologyKey, spreadSelector(each, pod)), weight: Math.log(domains.size + 2) };
  });
  const raw = rooms.map(({ node }) =>
    counted.reduce(
      (sum, { topologyKey, counts, weight, maxSkew }) => sum + (counts.get(domainOf(node, topologyKey) ?? "") ?? 0) * weight + maxSkew - 1,
      0,
    )
  );
  const known = raw.filter((_, index) => !isIgnored(rooms[index]!.node!));
  const lowest = lowestOf(known), highest = highestOf(known);
  return raw.map((each, index) => isIgnored(rooms[index]!.node!) ? 0 : highest === 0 ? best : best * (highest + lowest - each) / highest);
}
