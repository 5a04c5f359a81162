/** Selectors of a new pod that follow from its own labels: `matchLabelKeys` of affinities and of spread constraints. */
import type { LabelSelector } from "../../plugin.ts";
import type { Gates } from "../../toolbox.ts";
import type { PodAffinity, PodAffinityTerm, TopologySpreadConstraint } from "../shared/pod/affinity.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";

type Labels = Readonly<Record<string, string>>;

/** The spec with requirements for the label keys of its affinities and spread constraints. */
export function applyLabelKeys(spec: PodSpec, labels: Labels, isOn: Gates): PodSpec {
  const { affinity, topologySpreadConstraints: spread } = spec;
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  return {
    ...spec,
    ...(affinity === undefined ? {} : {
      affinity: {
        ...affinity,
        ...(podAffinity === undefined ? {} : { podAffinity: inAffinity(podAffinity, labels) }),
        ...(podAntiAffinity === undefined ? {} : { podAntiAffinity: inAffinity(podAntiAffinity, labels) }),
      },
    }),
    ...(spread === undefined || !isOn("MatchLabelKeysInPodTopologySpreadSelectorMerge")
      ? {}
      : { topologySpreadConstraints: spread.map((each) => inConstraint(each, labels)) }),
  };
}

function inAffinity(affinity: PodAffinity, labels: Labels): PodAffinity {
  const { requiredDuringSchedulingIgnoredDuringExecution: needed, preferredDuringSchedulingIgnoredDuringExecution: preferred } = affinity;
  return {
    ...(needed === undefined ? {} : { requiredDuringSchedulingIgnoredDuringExecution: needed.map((term) => inTerm(term, labels)) }),
    ...(preferred === undefined ? {} : {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map((each) => ({
        ...each,
        podAffinityTerm: inTerm(each.podAffinityTerm, labels),
      })),
    }),
  };
}

function inTerm(term: PodAffinityTerm, labels: Labels): PodAffinityTerm {
  const { labelSelector, matchLabelKeys, mismatchLabelKeys } = term;
  // An absent selector selects no pods.
  if (labelSelector === undefined) return term;
  const matching = withKeys(labelSelector, matchLabelKeys, "In", labels);
  return { ...term, labelSelector: withKeys(matching, mismatchLabelKeys, "NotIn", labels) };
}

function inConstraint(constraint: TopologySpreadConstraint, labels: Labels): TopologySpreadConstraint {
  const { labelSelector, matchLabelKeys } = constraint;
  return labelSelector === undefined ? constraint : { ...constraint, labelSelector: withKeys(labelSelector, matchLabelKeys, "In", labels) };
}

function withKeys(selector: LabelSelector, keys: readonly string[] | undefined, operator: "In" | "NotIn", labels: Labels): LabelSelector {
  const known = (keys ?? []).filter((key) => Object.hasOwn(labels, key));
  if (known.length === 0) return selector;
  return {
    ...selector,
    matchExpressions: [...selector.matchExpressions ?? [], ...known.map((key) => ({ key, operator, values: [labels[key]!] }))],
  };
}
