import { ageColumn, type Column, defineResource, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { labelName, metaRulesOf, validateObjectMetaUpdate } from "../../toolbox.ts";
import { fractionOf } from "../shared/pod/fraction.ts";
import { selectorText } from "../shared/selector-text.ts";
import { containerColumns } from "../shared/workloads/columns.ts";
import { workloadScale } from "../shared/workloads/scale.ts";
import { validateCollisions, validateCounts, validateWithinReplicas } from "../shared/workloads/status-rules.ts";
import { preparedTemplate, warnOfTemplate } from "../shared/workloads/template-rules.ts";
import { home } from "./schema.ts";
import { validateStatefulSetSpec, validateStatefulSetUpdate } from "./stateful-set-rules.ts";
import { StatefulSet } from "./stateful-set-schema.ts";

const columns: readonly Column<StatefulSet>[] = [
  nameColumn,
  {
    name: "Ready",
    type: "string",
    description: "How many of the wanted pods are ready.",
    cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  },
  ageColumn,
  ...containerColumns<StatefulSet>(({ spec }) => spec.template.spec),
];

const limited = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];

const status: Subresource<StatefulSet> = {
  write: (next, prior) => ({ ...next, spec: prior.spec }),
  leaves: ["spec"],
  update: (next, prior, { names }) => [
    ...validateCounts(next.status, ["replicas", ...limited, "observedGeneration", "collisionCount"]),
    ...validateWithinReplicas(next.status, limited, "status.readyReplicas"),
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(statefulSets, names)),
    ...validateCollisions(next.status, prior.status),
  ],
};

/** The warnings of claims and of the history. As upstream, a path of an update has another spelling. */
function warnOfSpec({ spec }: StatefulSet, isNew: boolean): readonly string[] {
  const { volumeClaimTemplates = [], revisionHistoryLimit = 0 } = spec;
  return [
    ...volumeClaimTemplates.flatMap(({ spec: { resources: { requests = {}, limits = {} } } }, i) => {
      const at = `spec.volumeClaimTemplates[${i}]${isNew ? "" : ".Spec"}.resources`;
      return [...fractionOf(requests, "storage", `${at}.requests`), ...fractionOf(limits, "storage", `${at}.limits`)];
    }),
    ...(revisionHistoryLimit < 0
      ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
      : []),
  ];
}

export const statefulSets: Resource<StatefulSet> = defineResource({
  kind: "StatefulSet",
  scope: "Namespaced",
  shortNames: ["sts"],
  categories: ["all"],
  summary: "Pods with numbers, each with its own name and its own claims.",
  storedAs: home,
  storedUnder: "statefulsets",
  served: {
    [home]: {
      schema: StatefulSet,
      introduced: "1.9",
      columns,
      subresources: { status, scale: workloadScale<StatefulSet>(({ spec }) => selectorText(spec.selector) ?? "") },
    },
  },
  strategy: { generation: true, coreFinalizers: true, nameRule: labelName },
  prepare(next, prior, { gates }) {
    const template = preparedTemplate(next.spec.template, prior?.spec.template, gates);
    return template === next.spec.template ? next : { ...next, spec: { ...next.spec, template } };
  },
  create: ({ spec }, context) => validateStatefulSetSpec(spec, undefined, context),
  update: (next, prior, context) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(statefulSets, context.names)),
    ...validateStatefulSetUpdate(next.spec, prior.spec, context),
  ],
  warn: (next, prior, context) =>
    context.subresource === "status" ? [] : [...warnOfTemplate(next, prior, context), ...warnOfSpec(next, prior === undefined)],
});
