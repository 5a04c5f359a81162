import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  type HookContext,
  invalid,
  nameColumn,
  notSupported,
  required,
  type Resource,
  type Subresource,
} from "../../plugin.ts";
import { hasInvalidLabelValue, metaRulesOf, selectsLabels, validateLabelSelector, validateObjectMetaUpdate } from "../../toolbox.ts";
import { isNothing, validateAmount, validateAtMostAll } from "../shared/amounts.ts";
import { notNegative } from "../shared/pod/rules.ts";
import { validatePodTemplateSpec } from "../shared/pod/validate-pod.ts";
import { warnOfPodTemplate } from "../shared/pod/warnings.ts";
import { labelsText, selectorCell } from "../shared/selector-text.ts";
import { containerColumns, selectorColumn } from "../shared/workloads/columns.ts";
import { validateCollisions, validateCounts } from "../shared/workloads/status-rules.ts";
import {
  notSelected,
  preparedTemplate,
  rejectEmptySelector,
  templateOptions,
  validateRestarts,
  validateSelectorKept,
} from "../shared/workloads/template-rules.ts";
import { DaemonSet, type DaemonSetSpec, type DaemonSetUpdateStrategy, type RollingUpdateDaemonSet } from "./daemon-set-schema.ts";
import { home } from "./schema.ts";
import { countTemplate, templateGeneration, withTemplateGeneration } from "./template-generation.ts";

const counted = (name: string, description: string, countOf: (status: DaemonSet["status"]) => number | undefined): Column<DaemonSet> => ({
  name,
  type: "integer",
  description,
  cell: ({ status }) => countOf(status) ?? 0,
});

const columns: readonly Column<DaemonSet>[] = [
  nameColumn,
  counted("Desired", "On how many nodes a pod shall run.", ({ desiredNumberScheduled }) => desiredNumberScheduled),
  counted("Current", "On how many of these nodes a pod runs.", ({ currentNumberScheduled }) => currentNumberScheduled),
  counted("Ready", "On how many nodes the pod is ready.", ({ numberReady }) => numberReady),
  counted("Up-to-date", "On how many nodes the pod is of the present template.", ({ updatedNumberScheduled }) => updatedNumberScheduled),
  counted("Available", "On how many nodes the pod is available.", ({ numberAvailable }) => numberAvailable),
  {
    name: "Node Selector",
    type: "string",
    description: "The labels that a node must have.",
    cell: ({ spec }) => labelsText(spec.template.spec.nodeSelector),
  },
  ageColumn,
  ...containerColumns<DaemonSet>(({ spec }) => spec.template.spec),
  selectorColumn<DaemonSet>(({ spec }) => selectorCell(spec.selector)),
];

/** Checks a spec. As upstream, an absent selector only does not match the template. */
function validateSpec(spec: DaemonSetSpec, prior: DaemonSetSpec | undefined, context: HookContext): readonly FieldError[] {
  const { template } = spec, selector = spec.selector ?? undefined, { labels } = template.metadata;
  const isRight = validateLabelSelector(selector, "").length === 0;
  const isSelected = selector !== undefined && selectsLabels(selector, labels ?? {});
  return [
    ...validateLabelSelector(selector, "spec.selector", { storedValues: hasInvalidLabelValue(prior?.selector ?? undefined) }),
    ...(isRight && !isSelected ? [notSelected(labels, "spec.template")] : []),
    ...rejectEmptySelector(selector, "spec.selector", "daemonset"),
    ...validatePodTemplateSpec(template, "spec.template", context.names, templateOptions(prior?.template, context)),
    ...validateRestarts(template.spec, "spec.template.spec", "DaemonSet"),
    ...notNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...validateStrategy(spec.updateStrategy),
    ...notNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
  ];
}

function validateStrategy({ type, rollingUpdate }: DaemonSetUpdateStrategy): readonly FieldError[] {
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    // The value has the names of upstream's internal type.
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
    const internal = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
    return [notSupported("spec.updateStrategy", { Type: type ?? "", RollingUpdate: internal }, ["RollingUpdate", "OnDelete"])];
  }
  const path = "spec.updateStrategy.rollingUpdate";
  return rollingUpdate === undefined ? [required(path, "")] : validateRollingUpdate(rollingUpdate, path);
}

function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, path: string): readonly FieldError[] {
  const noUnavailable = isNothing(maxUnavailable), noSurge = isNothing(maxSurge);
  return [
    ...validateAmount(maxUnavailable, `${path}.maxUnavailable`),
    ...validateAmount(maxSurge, `${path}.maxSurge`),
    ...validateAtMostAll(maxUnavailable, `${path}.maxUnavailable`),
    ...validateAtMostAll(maxSurge, `${path}.maxSurge`),
    ...(!noUnavailable && !noSurge ? [invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")] : []),
    ...(noUnavailable && noSurge ? [required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0")] : []),
  ];
}

const counts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

const status: Subresource<DaemonSet> = {
  write: (next, prior) => withTemplateGeneration({ ...next, spec: prior.spec }, templateGeneration(prior)),
  leaves: ["spec"],
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(daemonSets, names)),
    ...validateCounts(next.status, counts),
    ...validateCollisions(next.status, prior.status),
  ],
};

export const daemonSets: Resource<DaemonSet> = defineResource({
  kind: "DaemonSet",
  scope: "Namespaced",
  shortNames: ["ds"],
  categories: ["all"],
  summary: "A pod on each node, or on each of some nodes.",
  storedAs: home,
  storedUnder: "daemonsets",
  served: {
    [home]: {
      schema: DaemonSet,
      introduced: "1.9",
      columns,
      subresources: { status },
      applyDefaults: (object) => withTemplateGeneration(object, templateGeneration(object)),
    },
  },
  strategy: { generation: true, coreFinalizers: true },
  prepare(next, prior, { gates }) {
    const template = preparedTemplate(next.spec.template, prior?.spec.template, gates);
    return countTemplate(template === next.spec.template ? next : { ...next, spec: { ...next.spec, template } }, prior);
  },
  create: ({ spec }, context) => validateSpec(spec, undefined, context),
  update: (next, prior, context) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(daemonSets, context.names)),
    ...validateSelectorKept(next.spec.selector, prior.spec.selector),
    ...validateSpec(next.spec, prior.spec, context),
  ],
  warn: (next, prior, { names }) =>
    prior !== undefined && templateGeneration(next) === templateGeneration(prior)
      ? []
      : warnOfPodTemplate(next.spec.template, "spec.template", names),
});
