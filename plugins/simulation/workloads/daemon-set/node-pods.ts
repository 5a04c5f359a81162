/** The pods of a daemon set: on which nodes they are, and what they are made of. */
import { selectsNode } from "../../placement/node-affinity.ts";
import { schedulingEffects, type Toleration, untoleratedTaint } from "../../placement/taints.ts";
import type { Node, Pod, World } from "../../world/world.ts";
import { podOfTemplate } from "../controlled-pods.ts";
import { revisionLabel } from "../revisions.ts";
import type { DaemonSet } from "./types.ts";

const tolerated = (name: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect,
});

/** Taints of nodes in trouble, which pods of daemon sets tolerate. */
const ownTolerations: readonly Toleration[] = Object.freeze([
  tolerated("not-ready", "NoExecute"),
  tolerated("unreachable", "NoExecute"),
  ...["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"].map((name) => tolerated(name, "NoSchedule")),
]);

function tolerationsOf({ tolerations = [], hostNetwork }: Pod["spec"]): readonly Toleration[] {
  const own = hostNetwork === true ? [...ownTolerations, tolerated("network-unavailable", "NoSchedule")] : ownTolerations;
  return [...tolerations, ...own.filter(({ key, effect }) => !tolerations.some((each) => each.key === key && each.effect === effect))];
}

/** Whether a pod of the daemon set should be created on the node, and whether one that is there may stay. */
export function fitOf({ spec: { template } }: DaemonSet, node: Node): { readonly shouldRun: boolean; readonly mayStay: boolean } {
  const { spec } = template, { taints = [] } = node.spec, tolerations = tolerationsOf(spec as Pod["spec"]);
  const isNamed = (spec.nodeName ?? "") === "" || spec.nodeName === node.metadata.name;
  if (!isNamed || !selectsNode(spec as Pod["spec"], node)) return { shouldRun: false, mayStay: false };
  return {
    shouldRun: untoleratedTaint(taints, tolerations, schedulingEffects) === undefined,
    mayStay: untoleratedTaint(taints, tolerations, ["NoExecute"]) === undefined,
  };
}

/** The node of a daemon set's pod: where it is, or where its affinity sends it. */
export function nodeNameOf({ spec }: Pod): string {
  if ((spec.nodeName ?? "") !== "") return spec.nodeName!;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === "metadata.name")?.values?.[0] ?? "";
}

/** Creates a pod for a node. The scheduler binds it there. */
export async function createDaemonPod(world: World, set: DaemonSet, node: string, hash: string): Promise<void> {
  const { name = "", namespace = "", annotations } = set.metadata, generation = annotations?.["deprecated.daemonset.template.generation"];
  const labels = { [revisionLabel]: hash, ...(generation === undefined ? {} : { "pod-template-generation": generation }) };
  const pod = podOfTemplate(set.spec.template, set, { generateName: `${name}-`, labels }), { affinity, ...spec } = pod.spec;
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}];
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    // The node's name replaces fields that the template requires.
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields })) },
  };
  const made = { ...pod, spec: { ...spec, affinity: { ...affinity, nodeAffinity }, tolerations: tolerationsOf(pod.spec) } };
  const { metadata } = await world.pods.create(namespace, made as unknown as Pod);
  const note = `Created pod: ${metadata.name}`;
  world.context.events.record(set, { type: "Normal", reason: "SuccessfulCreate", action: "CreatingPod", note });
}
